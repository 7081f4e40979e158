//! How a process ends: by returning, by a call that skips all handlers, by becoming another program, or by a signal. A stale read that is held back because it may belong to a loop is told in
//! any of these cases; and a process that has reported something says so with its exit code.
//!
//! As soon as something is held back, the signals that would end the process have a handler of ours wherever the program has none ([`foresee`]), also when it asks for the default action later
//! ([`act`]). The program does not see it. What remains are `SIGKILL`, and default actions that come about without a call of ours, by the system call itself.

use crate::lock::Lock;
use crate::{report, signals, spin, sys, tls};
use core::ffi::c_int;
use core::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use libc::{sigaction as Action, siginfo_t, ucontext_t};

/// The process that this memory belongs to. A child of `vfork` has the memory of its parent, and nothing to say about it.
static OWNER: AtomicI32 = AtomicI32::new(0);

/// This process begins, at its start or as the child of a fork.
pub(crate) fn begin() {
    OWNER.store(sys::process_number(), Ordering::Relaxed);
    // SAFETY: this asks for nothing. It lets the original be found before somebody who holds our lock would have to wait for the linker's.
    unsafe { real::sigaction(libc::SIGTERM, core::ptr::null(), core::ptr::null_mut()) };
}

fn is_owner() -> bool {
    OWNER.load(Ordering::Relaxed) == sys::process_number()
}

/// Whether the memory of this process is its own, which is not so in a child of `vfork`.
#[cfg_attr(test, allow(dead_code, reason = "only what is intercepted asks"))]
pub(crate) fn owns_memory() -> bool {
    let owner = OWNER.load(Ordering::Relaxed);
    owner == 0 || owner == sys::process_number()
}

/// Tells what was held back, unless this is no moment for it.
fn tell_all() {
    if tls::local().inside == 0 {
        tell_all_from_here();
    }
}

/// The same for a thread that holds no lock of the runtime, although it may be inside.
fn tell_all_from_here() {
    if is_owner() {
        let _inside = tls::Inside::enter();
        spin::settle_all();
        report::wait();
    }
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

/// The process ends at once, without any handler, or after those for this kind of end. What is still in the buffers of its files stays there.
pub(crate) extern "C" fn at_once() {
    tell_all();
    if is_owner() && report::conclude() {
        report::leave_if_wanted();
    }
}

/// The process is about to become another program.
pub(crate) fn before_exec() {
    tell_all();
}

/// A thread ends without any handler, and with it the process if there is no other.
#[cfg_attr(test, allow(dead_code, reason = "only what is intercepted asks"))]
pub(crate) fn of_thread_at_once() {
    if sys::is_alone() {
        at_once();
    } else if let Some(_inside) = tls::Inside::first() {
        // SAFETY: this thread's own structure.
        spin::settle(unsafe { &mut *crate::thread::current() });
    }
}

unsafe extern "C" {
    fn fcloseall() -> c_int;
}

sys::next! {
    fn sigaction(number: c_int, new: *const Action, old: *mut Action) -> c_int;
}

/// Whether this is the handler that deadly signals have from us, so that for the program there is none.
#[cfg_attr(test, allow(dead_code, reason = "only what is intercepted asks"))]
pub(crate) fn is_ours(handler: usize) -> bool {
    handler == on_signal as *const () as usize
}

/// The signals that do not end a process, whatever it does; and those that nobody can have a handler for, because they are the system's and libc's own.
const OTHERS: [c_int; 11] = [
    libc::SIGCHLD,
    libc::SIGCONT,
    libc::SIGURG,
    libc::SIGWINCH,
    libc::SIGTSTP,
    libc::SIGTTIN,
    libc::SIGTTOU,
    libc::SIGSTOP,
    libc::SIGKILL,
    32,
    33,
];

/// Whether the signal ends a process unless that has a handler of its own.
fn is_deadly(number: c_int) -> bool {
    (1..=64).contains(&number) && !OTHERS.contains(&number)
}

/// Whether deadly signals have a handler of ours. Whoever changes what happens at a signal holds it, with signals blocked.
static FORESEEN: Lock<bool> = Lock::new(false);

/// Lets nobody else change what happens at signals. A handler that does must not come in between: it would wait for its own thread.
fn changing<R>(change: impl FnOnce(&mut bool) -> R) -> R {
    let blocked = signals::block_even_faults();
    let result = change(&mut FORESEEN.lock());
    blocked.restore();
    result
}

/// Something is held back: from now on deadly signals have a handler, if the program has none.
pub(crate) fn foresee() {
    static DONE: AtomicBool = AtomicBool::new(false);
    if DONE.load(Ordering::Relaxed) || DONE.swap(true, Ordering::Relaxed) {
        return;
    }
    changing(|foreseen| {
        *foreseen = true;
        for signal in (1..=64).filter(|&number| is_deadly(number)) {
            let ours = ours();
            // SAFETY: the structures are ours; zeroes are a valid action.
            unsafe {
                let mut action: Action = core::mem::zeroed();
                if real::sigaction(signal, core::ptr::null(), &raw mut action) == 0
                    && action.sa_sigaction == libc::SIG_DFL
                {
                    real::sigaction(signal, &raw const ours, core::ptr::null_mut());
                }
            }
        }
    });
}

fn ours() -> Action {
    // SAFETY: zeroes are a valid action, with an empty mask.
    let mut action: Action = unsafe { core::mem::zeroed() };
    action.sa_sigaction = on_signal as *const () as usize;
    action.sa_flags = libc::SA_ONSTACK | libc::SA_SIGINFO;
    action
}

/// `sigaction` for the program: where it asks for the default action of a deadly signal, that is ours.
///
/// # Safety
/// As for the original.
#[cfg_attr(test, allow(dead_code, reason = "only what is intercepted asks"))]
pub(crate) unsafe fn act(number: c_int, new: *const Action, old: *mut Action) -> c_int {
    // SAFETY: `new` and `old` are null or the program's structures, as for `sigaction`; zeroes are a valid action. What cannot be read fails here, and not while others wait.
    unsafe {
        let new = new.as_ref().copied();
        let mut before: Action = core::mem::zeroed();
        let result = changing(|foreseen| {
            let is_default = |action: &Action| action.sa_sigaction == libc::SIG_DFL && is_deadly(number);
            let new = new.map(|action| if *foreseen && is_default(&action) { ours() } else { action });
            real::sigaction(number, new.as_ref().map_or(core::ptr::null(), core::ptr::from_ref), &raw mut before)
        });
        if result == 0 && !old.is_null() {
            *old = before;
        }
        result
    }
}

/// What the kernel calls where the program has no handler.
unsafe extern "C" fn on_signal(signal: c_int, info: *mut siginfo_t, context: *mut ucontext_t) {
    // SAFETY: these are the kernel's arguments.
    unsafe {
        if is_waiting_for_turn(context) {
            tell_all_from_here();
        } else if signals::defer(signal, info, context, true) {
            return;
        }
    }
    die(signal);
}

/// Tells everything, and lets the default action follow, as soon as the signal is not blocked any more.
pub(crate) fn die(signal: c_int) {
    tell_all();
    // SAFETY: zeroes are a valid action; the rest is a signal for this thread.
    unsafe {
        // Whatever others ask for meanwhile: it was the default action when the signal came.
        real::sigaction(signal, &core::mem::zeroed(), core::ptr::null_mut());
        let arguments = [sys::process_number() as usize, sys::thread_number() as usize, signal as usize, 0, 0, 0];
        sys::raw_syscall(libc::SYS_tgkill, arguments);
    }
}

/// Whether the thread was interrupted while it slept until it is its turn. It may have to do so for ever, so the signal cannot wait; and it holds no lock then.
///
/// # Safety
/// Only for handlers, with what the kernel has given them.
unsafe fn is_waiting_for_turn(context: *mut ucontext_t) -> bool {
    let thread = tls::local().thread;
    // SAFETY: the context is the one that the kernel has given to the handler.
    let word = unsafe { sys::slept_on(context.cast()) };
    !thread.is_null()
        && word.is_some_and(|word| {
            // SAFETY: this thread's own structure.
            word.wrapping_sub(core::ptr::from_ref(unsafe { &(*thread).entry().turn }) as usize)
                < size_of::<crate::schedule::Turn>()
        })
}
