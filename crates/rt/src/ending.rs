//! The end of a process: by returning from `main`, by a call that skips all handlers, by `exec`, or by a signal. A stale read that is held back because it may belong to a loop is reported in
//! all of these cases; and a process that has reported something says so with its exit code.
//!
//! As soon as a stale read is held back, the runtime installs a handler for the signals that would end the process, wherever the program has none ([`foresee`]), also if the program asks for the
//! default action later ([`act`]). The program cannot see these handlers. Not covered: `SIGKILL`, and default actions that the program sets by the system call itself.

use crate::lock::Lock;
use crate::{report, signals, spin, sys, tls};
use core::ffi::c_int;
use core::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use libc::{sigaction as Action, siginfo_t, ucontext_t};

/// The process that this memory belongs to. A child of `vfork` uses the memory of its parent and must not report from it.
static OWNER: AtomicI32 = AtomicI32::new(0);

/// Called when a process begins: at its start, or as the child of a fork.
pub(crate) fn begin() {
    OWNER.store(sys::process_number(), Ordering::Relaxed);
    // SAFETY: this changes nothing. It looks the original up now, so that no thread waits for the linker's lock while it holds the runtime's.
    unsafe { real::sigaction(libc::SIGTERM, core::ptr::null(), core::ptr::null_mut()) };
}

fn is_owner() -> bool {
    OWNER.load(Ordering::Relaxed) == sys::process_number()
}

/// Whether this process has memory of its own. A child of `vfork` has not.
#[cfg_attr(test, allow(dead_code, reason = "only what is intercepted asks"))]
pub(crate) fn owns_memory() -> bool {
    let owner = OWNER.load(Ordering::Relaxed);
    owner == 0 || owner == sys::process_number()
}

/// Reports the stale reads that are held back, unless this thread is inside the runtime.
fn tell_all() {
    if tls::local().inside == 0 {
        tell_all_from_here();
    }
}

/// The same for a thread that holds no lock of the runtime, although it may be inside the runtime.
fn tell_all_from_here() {
    if is_owner() {
        let _inside = tls::Inside::enter();
        spin::settle_all();
        report::wait();
    }
}

/// Called when the process has returned from `main` or called `exit`.
pub(crate) extern "C" fn at_exit() {
    tell_all();
    if report::count() == 0 {
        return;
    }
    // SAFETY: libc would have done only this after the runtime; not `fflush`, which waits for threads that read.
    unsafe { fcloseall() };
    report::conclude();
    report::leave_if_wanted();
}

/// Called when the process ends at once (`_exit`, `quick_exit`). File buffers are not flushed.
pub(crate) extern "C" fn at_once() {
    tell_all();
    if is_owner() && report::conclude() {
        report::leave_if_wanted();
    }
}

/// Called before `exec`.
pub(crate) fn before_exec() {
    tell_all();
}

/// Called when a thread ends without any handler. If it is the only thread, the process ends, too.
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

/// Whether this is the runtime's handler for deadly signals, which the program must not see.
#[cfg_attr(test, allow(dead_code, reason = "only what is intercepted asks"))]
pub(crate) fn is_ours(handler: usize) -> bool {
    handler == on_signal as *const () as usize
}

/// The signals whose default action does not end a process, and those that cannot have a handler because the system or libc uses them.
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

/// Whether the signal ends a process that has no handler for it.
fn is_deadly(number: c_int) -> bool {
    (1..=64).contains(&number) && !OTHERS.contains(&number)
}

/// Whether the runtime has installed its handlers for deadly signals. A thread that changes the action of a signal holds this lock, with signals blocked.
static FORESEEN: Lock<bool> = Lock::new(false);

/// Excludes other changes of signal actions. Signals are blocked meanwhile: a handler that changes an action would wait for a lock that its own thread holds.
fn changing<R>(change: impl FnOnce(&mut bool) -> R) -> R {
    let blocked = signals::block_even_faults();
    let result = change(&mut FORESEEN.lock());
    blocked.restore();
    result
}

/// Called when a stale read is held back: from now on deadly signals have the runtime's handler if the program has none.
pub(crate) fn foresee() {
    static DONE: AtomicBool = AtomicBool::new(false);
    if DONE.load(Ordering::Relaxed) || DONE.swap(true, Ordering::Relaxed) {
        return;
    }
    changing(|foreseen| {
        *foreseen = true;
        for signal in (1..=64).filter(|&number| is_deadly(number)) {
            let ours = ours();
            // SAFETY: the structures are local variables; zeroes are a valid action.
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

/// `sigaction` for the program. If it asks for the default action of a deadly signal, it gets the runtime's handler.
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

/// The runtime's handler for deadly signals.
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

/// Reports everything that is held back, and raises the signal again with its default action. It takes effect as soon as the signal is not blocked any more.
pub(crate) fn die(signal: c_int) {
    tell_all();
    // SAFETY: zeroes are a valid action; the rest is a signal for this thread.
    unsafe {
        // Other threads may change the action at the same time, but when the signal came it was the default one.
        real::sigaction(signal, &core::mem::zeroed(), core::ptr::null_mut());
        let arguments = [sys::process_number() as usize, sys::thread_number() as usize, signal as usize, 0, 0, 0];
        sys::raw_syscall(libc::SYS_tgkill, arguments);
    }
}

/// Whether the signal interrupted a thread that waits for its turn. The turn may never come, so the signal cannot be deferred; and the thread holds no lock then.
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
