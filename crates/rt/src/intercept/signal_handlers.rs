//! The functions that install signal handlers. What a thread did before it installed a handler happens before the handler, and the handler runs only when the runtime can record it
//! ([`crate::signals`]). All of them are built on `sigaction`, as in libc; libc's versions would bypass the runtime's `sigaction`.

use crate::{ending, handlers, signals, sync, sys};
use core::ffi::c_int;
use core::sync::atomic::{AtomicU64, Ordering};
use libc::{EINVAL, SIG_DFL, SIG_ERR, SIG_IGN, sigaction as Action, sighandler_t, sigset_t};

crate::sys::next! {
    fn siginterrupt(number: c_int, interrupts: c_int) -> c_int;
}

#[unsafe(no_mangle)]
unsafe extern "C" fn sigaction(number: c_int, new: *const Action, old: *mut Action) -> c_int {
    // SAFETY: the structures are the program's, or null, as for `sigaction`; zeroes are a valid action.
    unsafe {
        let Some(handler) = handlers::of(number) else { return ending::act(number, new, old) };
        let before = handler.get();
        let wanted = new.as_ref().filter(|action| !matches!(action.sa_sigaction, SIG_DFL | SIG_IGN));
        // A child of `vfork` has signal actions of its own, but shares its memory with its parent: a note here would change the parent's.
        let wanted = wanted.filter(|_| ending::owns_memory());
        let replaced = wanted.map(handlers::instead);
        if let Some(action) = wanted {
            sync::contributing(handlers::address(number));
            if signals::comes_at_any_time(number) {
                signals::expect();
            }
            handler.set(handlers::parts(action));
        }
        let result = ending::act(number, replaced.as_ref().map_or(new, core::ptr::from_ref), old);
        if result != 0 && wanted.is_some() {
            handler.set(before);
        }
        if let Some(old) = old.as_mut()
            && result == 0
        {
            handlers::translate(old, before);
            // The program must not see the runtime's handler.
            if ending::is_ours(old.sa_sigaction) {
                *old = core::mem::zeroed();
            }
        }
        result
    }
}

/// Installs a handler that blocks its own signal or none. Returns the previous handler, or `SIG_ERR`.
unsafe fn ask(number: c_int, function: sighandler_t, flags: c_int, blocks_itself: bool) -> sighandler_t {
    if function == SIG_ERR || !(1..=64).contains(&number) {
        return refuse();
    }
    // SAFETY: zeroes are a valid action, with an empty mask.
    unsafe {
        let (mut action, mut old): (Action, Action) = (core::mem::zeroed(), core::mem::zeroed());
        (action.sa_sigaction, action.sa_flags) = (function, flags);
        if blocks_itself {
            libc::sigaddset(&raw mut action.sa_mask, number);
        }
        if sigaction(number, &raw const action, &raw mut old) == 0 { old.sa_sigaction } else { SIG_ERR }
    }
}

fn refuse() -> sighandler_t {
    sys::set_errno(EINVAL);
    SIG_ERR
}

/// The signals for which the program wants system calls to be interrupted by the handlers that [`signal`] sets.
static INTERRUPTING: AtomicU64 = AtomicU64::new(0);

#[unsafe(no_mangle)]
unsafe extern "C" fn siginterrupt(number: c_int, interrupts: c_int) -> c_int {
    // The original changes the flags of the kernel's action; it does not matter that the function in it is the runtime's.
    // SAFETY: numbers that the kernel checks.
    let result = unsafe { real::siginterrupt(number, interrupts) };
    if let (Some(handler), 0) = (handlers::of(number), result) {
        if interrupts == 0 {
            INTERRUPTING.fetch_and(!signals::bit(number), Ordering::Relaxed);
        } else {
            INTERRUPTING.fetch_or(signals::bit(number), Ordering::Relaxed);
        }
        if ending::owns_memory() {
            handler.set_restarting(interrupts == 0);
        }
    }
    result
}

#[unsafe(no_mangle)]
unsafe extern "C" fn signal(number: c_int, function: sighandler_t) -> sighandler_t {
    let interrupts = handlers::of(number).is_some() && INTERRUPTING.load(Ordering::Relaxed) & signals::bit(number) != 0;
    // SAFETY: any address is a handler; the program answers for what is there.
    unsafe { ask(number, function, if interrupts { 0 } else { libc::SA_RESTART }, true) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn bsd_signal(number: c_int, function: sighandler_t) -> sighandler_t {
    // SAFETY: any address is a handler; the program answers for what is there.
    unsafe { signal(number, function) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn ssignal(number: c_int, function: sighandler_t) -> sighandler_t {
    // SAFETY: any address is a handler; the program answers for what is there.
    unsafe { signal(number, function) }
}

/// `signal` for programs that ask for an older standard.
#[unsafe(no_mangle)]
unsafe extern "C" fn __sysv_signal(number: c_int, function: sighandler_t) -> sighandler_t {
    // SAFETY: any address is a handler; the program answers for what is there.
    unsafe { ask(number, function, libc::SA_RESETHAND | libc::SA_NODEFER, false) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn sysv_signal(number: c_int, function: sighandler_t) -> sighandler_t {
    // SAFETY: any address is a handler; the program answers for what is there.
    unsafe { __sysv_signal(number, function) }
}

/// Given instead of a handler: blocks the signal.
const SIG_HOLD: sighandler_t = 2;

#[unsafe(no_mangle)]
unsafe extern "C" fn sigset(number: c_int, function: sighandler_t) -> sighandler_t {
    // SAFETY: any address is a handler, for which the program answers; zeroes are valid sets, and both are local variables.
    unsafe {
        let holds = function == SIG_HOLD;
        let before = if holds { current(number) } else { ask(number, function, 0, false) };
        if before == SIG_ERR {
            return SIG_ERR;
        }
        let (mut set, mut blocked): (sigset_t, sigset_t) = (core::mem::zeroed(), core::mem::zeroed());
        libc::sigaddset(&raw mut set, number);
        libc::sigprocmask(if holds { libc::SIG_BLOCK } else { libc::SIG_UNBLOCK }, &raw const set, &raw mut blocked);
        if libc::sigismember(&raw const blocked, number) == 1 { SIG_HOLD } else { before }
    }
}

/// The current handler, or `SIG_ERR`.
unsafe fn current(number: c_int) -> sighandler_t {
    // SAFETY: zeroes are a valid action, which is a local variable and only written to.
    unsafe {
        let mut old: Action = core::mem::zeroed();
        if sigaction(number, core::ptr::null(), &raw mut old) == 0 { old.sa_sigaction } else { SIG_ERR }
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn sigignore(number: c_int) -> c_int {
    // SAFETY: to ignore the signal, there need not be a handler.
    let before = unsafe { ask(number, SIG_IGN, 0, false) };
    if before == SIG_ERR { -1 } else { 0 }
}
