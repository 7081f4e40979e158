//! How a process ends: by returning, by a call that skips all handlers, by becoming another program, or by a signal. A stale read that is held back because it may belong to a loop is told in
//! any of these cases; and a process that has reported something says so with its exit code.

use crate::{report, spin, sys, tls};
use core::ffi::c_int;
use core::sync::atomic::{AtomicBool, AtomicI32, Ordering};

/// The process that this memory belongs to. A child of `vfork` has the memory of its parent, and nothing to say about it.
static OWNER: AtomicI32 = AtomicI32::new(0);

/// This process begins, at its start or as the child of a fork.
pub(crate) fn begin() {
    OWNER.store(sys::process_number(), Ordering::Relaxed);
}

/// Whether the memory of this process is its own, which is not so in a child of `vfork`.
#[cfg_attr(test, allow(dead_code, reason = "only what is intercepted asks"))]
pub(crate) fn owns_memory() -> bool {
    let owner = OWNER.load(Ordering::Relaxed);
    owner == 0 || owner == sys::process_number()
}

/// Tells what was held back, unless this is no moment for it.
fn tell_all() {
    if tls::local().inside != 0 || OWNER.load(Ordering::Relaxed) != sys::process_number() {
        return;
    }
    let _inside = tls::Inside::enter();
    spin::settle_all();
}

/// The process has returned from its main function, or called `exit`.
pub(crate) extern "C" fn at_exit() {
    tell_all();
    if report::count() == 0 {
        return;
    }
    // SAFETY: what libc would have done after us is only this; not `fflush`, which waits for threads that read.
    unsafe { fcloseall() };
    report::conclude();
    report::leave_if_wanted();
}

/// The process ends at once, without any handler.
pub(crate) fn at_once() {
    tell_all();
    if OWNER.load(Ordering::Relaxed) == sys::process_number() && report::conclude() {
        report::leave_if_wanted();
    }
}

/// The process is about to become another program.
pub(crate) fn before_exec() {
    tell_all();
}

unsafe extern "C" {
    fn fcloseall() -> c_int;
}

sys::next! {
    fn sigaction(number: c_int, new: *const libc::sigaction, old: *mut libc::sigaction) -> c_int;
}

/// Whether this is the handler that deadly signals have from us, so that for the program there is none.
#[cfg_attr(test, allow(dead_code, reason = "only what is intercepted asks"))]
pub(crate) fn is_ours(handler: usize) -> bool {
    handler == on_signal as *const () as usize
}

/// The signals that end a process unless it has a handler of its own.
const DEADLY: [c_int; 9] = [
    libc::SIGSEGV,
    libc::SIGBUS,
    libc::SIGILL,
    libc::SIGFPE,
    libc::SIGABRT,
    libc::SIGTERM,
    libc::SIGINT,
    libc::SIGHUP,
    libc::SIGQUIT,
];

/// Something is held back: from now on deadly signals have a handler, if the program has none.
pub(crate) fn foresee() {
    static DONE: AtomicBool = AtomicBool::new(false);
    if DONE.load(Ordering::Relaxed) || DONE.swap(true, Ordering::Relaxed) {
        return;
    }
    for signal in DEADLY {
        // SAFETY: the structures are ours; zeroes are a valid action, with an empty mask.
        unsafe {
            let mut action: libc::sigaction = core::mem::zeroed();
            if real::sigaction(signal, core::ptr::null(), &raw mut action) != 0 || action.sa_sigaction != libc::SIG_DFL
            {
                continue;
            }
            action.sa_sigaction = on_signal as *const () as usize;
            action.sa_flags = libc::SA_ONSTACK | libc::SA_RESETHAND;
            real::sigaction(signal, &raw const action, core::ptr::null_mut());
        }
    }
}

/// The default action is there again; it follows as soon as this returns.
extern "C" fn on_signal(signal: c_int) {
    tell_all();
    let arguments = [sys::process_number() as usize, sys::thread_number() as usize, signal as usize, 0, 0, 0];
    // SAFETY: a signal for this thread.
    unsafe { sys::raw_syscall(libc::SYS_tgkill, arguments) };
}
