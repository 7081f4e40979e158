//! The handlers of signals: what a thread did before it asked for a handler is known in the handler, and the handler is called at a time at which the runtime can follow
//! what it does ([`crate::signals`]).

use crate::{ending, signals, sync};
use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicI32, AtomicUsize, Ordering};
use libc::{SIG_DFL, SIG_ERR, SIG_IGN, sigaction as Action, sighandler_t};

/// Numbers of signals begin at one.
const COUNT: usize = 65;
/// From here on there are addresses at which nothing else can be, one for each signal.
const FIRST_ADDRESS: usize = 128;

/// What the program wants to be called, with which flags.
struct Handler {
    function: AtomicUsize,
    flags: AtomicI32,
}

static HANDLERS: [Handler; COUNT] =
    [const { Handler { function: AtomicUsize::new(0), flags: AtomicI32::new(0) } }; COUNT];

fn address(number: c_int) -> usize {
    FIRST_ADDRESS + 8 * number as usize
}

/// The handler of a signal that can come at any time.
fn handler(number: c_int) -> Option<&'static Handler> {
    HANDLERS.get(usize::try_from(number).ok()?).filter(|_| signals::comes_at_any_time(number))
}

impl Handler {
    fn get(&self) -> (usize, c_int) {
        (self.function.load(Ordering::Relaxed), self.flags.load(Ordering::Relaxed))
    }

    fn set(&self, (function, flags): (usize, c_int)) {
        self.flags.store(flags, Ordering::Relaxed);
        self.function.store(function, Ordering::Relaxed);
    }
}

/// What the kernel calls instead.
unsafe extern "C" fn called(number: c_int, info: *mut c_void, context: *mut c_void) {
    // SAFETY: these are the kernel's arguments.
    if unsafe { signals::defer(number, info, context) } {
        return;
    }
    let Some(handler) = handler(number) else { return };
    let (function, flags) = handler.get();
    if flags & libc::SA_RESETHAND != 0 {
        // SAFETY: zeroes are a valid action, the default one.
        unsafe { ending::act(number, &core::mem::zeroed(), core::ptr::null_mut()) };
    }
    sync::acquired(address(number));
    signals::handling(flags & libc::SA_RESTART != 0);
    // SAFETY: it is what the program has given. One that takes only the number leaves the rest where it is.
    unsafe {
        core::mem::transmute::<usize, unsafe extern "C" fn(c_int, *mut c_void, *mut c_void)>(function)(
            number, info, context,
        );
    }
}

/// What to ask the kernel for, if the program asks for this.
fn instead(action: &Action) -> Action {
    let mut instead = *action;
    instead.sa_sigaction = called as *const () as usize;
    // The first call may not be the one that counts.
    instead.sa_flags = action.sa_flags & !libc::SA_RESETHAND | libc::SA_SIGINFO;
    instead
}

#[unsafe(no_mangle)]
unsafe extern "C" fn sigaction(number: c_int, new: *const Action, old: *mut Action) -> c_int {
    // SAFETY: in this file, the arguments are the program's, as the manual wants them.
    unsafe {
        let Some(handler) = handler(number) else { return hidden(ending::act(number, new, old), old) };
        let before = handler.get();
        let wanted = new.as_ref().filter(|action| !matches!(action.sa_sigaction, SIG_DFL | SIG_IGN));
        let replaced = wanted.map(instead);
        if let Some(action) = wanted {
            sync::contributing(address(number));
            signals::expect();
            handler.set((action.sa_sigaction, action.sa_flags));
        }
        let result = ending::act(number, replaced.as_ref().map_or(new, core::ptr::from_ref), old);
        if result != 0 {
            handler.set(before);
        } else if let Some(old) = old.as_mut()
            && old.sa_sigaction == called as *const () as usize
        {
            let changed = libc::SA_SIGINFO | libc::SA_RESETHAND;
            (old.sa_sigaction, old.sa_flags) = (before.0, old.sa_flags & !changed | before.1 & changed);
        }
        hidden(result, old)
    }
}

/// A handler of our own is none.
///
/// # Safety
/// The old action is the program's, if it wants to have it.
unsafe fn hidden(result: c_int, old: *mut Action) -> c_int {
    // SAFETY: by the caller's promise; zeroes are the default action.
    unsafe {
        if let Some(old) = old.as_mut()
            && result == 0
            && ending::is_ours(old.sa_sigaction)
        {
            *old = core::mem::zeroed();
        }
    }
    result
}

#[unsafe(no_mangle)]
unsafe extern "C" fn signal(number: c_int, function: sighandler_t) -> sighandler_t {
    // SAFETY: zeroes are a valid action, and the rest is the program's.
    unsafe {
        let mut action: Action = core::mem::zeroed();
        (action.sa_sigaction, action.sa_flags) = (function, libc::SA_RESTART);
        let mut old = core::mem::zeroed();
        if sigaction(number, &raw const action, &raw mut old) == 0 { old.sa_sigaction } else { SIG_ERR }
    }
}
