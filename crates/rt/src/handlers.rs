//! The program's signal handlers. The kernel calls [`called`] instead, which either defers the signal ([`crate::signals`]) or calls the program's handler.

use crate::{ending, signals, sync, tls};
use core::ffi::c_int;
use core::sync::atomic::{AtomicI32, AtomicU64, AtomicUsize, Ordering};
use libc::{sigaction as Action, siginfo_t, ucontext_t};

/// Numbers of signals begin at one.
const COUNT: usize = 65;
/// The first of the addresses that stand for signals, one for each. No object of the program can have them.
const FIRST_ADDRESS: usize = 128;

/// A handler that takes only the number ignores the other arguments.
pub(crate) type Function = unsafe extern "C" fn(c_int, *mut siginfo_t, *mut ucontext_t);

/// A handler with the flags and the mask that belong to it.
#[derive(Clone, Copy)]
pub(crate) struct Wanted {
    pub(crate) function: Function,
    pub(crate) flags: c_int,
    mask: u64,
}

/// The program's handler of one signal.
pub(crate) struct Handler {
    function: AtomicUsize,
    flags: AtomicI32,
    mask: AtomicU64,
}

static HANDLERS: [Handler; COUNT] =
    [const { Handler { function: AtomicUsize::new(0), flags: AtomicI32::new(0), mask: AtomicU64::new(0) } }; COUNT];

/// The address whose clock orders the thread that installs a handler before the thread in which it runs.
pub(crate) fn address(number: c_int) -> usize {
    FIRST_ADDRESS + 8 * number as usize
}

/// The handler of a signal, if the signal can have one.
pub(crate) fn of(number: c_int) -> Option<&'static Handler> {
    HANDLERS.get(usize::try_from(number).ok()?).filter(|_| signals::can_be_handled(number))
}

/// The flags that the runtime chooses instead of the program: it needs all arguments; it resets the handler itself, because the first call may only defer the signal; and a deferred signal must be blocked.
const OURS: c_int = libc::SA_SIGINFO | libc::SA_RESETHAND | libc::SA_NODEFER;

/// The action to give to the kernel instead of the program's.
pub(crate) fn instead(action: &Action) -> Action {
    let mut instead = *action;
    instead.sa_sigaction = called as *const () as usize;
    instead.sa_flags = action.sa_flags & !OURS | libc::SA_SIGINFO;
    instead
}

/// The function, flags and mask of a handler, as the program gives them.
pub(crate) type Parts = (usize, c_int, u64);

/// The parts of an action.
pub(crate) fn parts(action: &Action) -> Parts {
    // SAFETY: the mask of an action is longer than its first word.
    let mask = unsafe { *signals::first_word((&raw const action.sa_mask).cast_mut()) };
    (action.sa_sigaction, action.sa_flags, mask)
}

/// Replaces the runtime's part of an action from the kernel by the program's.
pub(crate) fn translate(action: &mut Action, (function, flags, _): Parts) {
    if action.sa_sigaction == called as *const () as usize {
        (action.sa_sigaction, action.sa_flags) = (function, action.sa_flags & !OURS | flags & OURS);
    }
}

impl Handler {
    pub(crate) fn get(&self) -> Parts {
        let mask = self.mask.load(Ordering::Relaxed);
        (self.function.load(Ordering::Relaxed), self.flags.load(Ordering::Relaxed), mask)
    }

    pub(crate) fn set(&self, (function, flags, mask): Parts) {
        self.mask.store(mask, Ordering::Relaxed);
        self.flags.store(flags, Ordering::Relaxed);
        self.function.store(function, Ordering::Relaxed);
    }

    /// Sets whether system calls that it interrupts are restarted.
    pub(crate) fn set_restarting(&self, restarts: bool) {
        if restarts {
            self.flags.fetch_or(libc::SA_RESTART, Ordering::Relaxed);
        } else {
            self.flags.fetch_and(!libc::SA_RESTART, Ordering::Relaxed);
        }
    }

    /// The program's handler. There is one if the kernel has called the runtime's.
    pub(crate) fn wanted(&self) -> Wanted {
        let (function, flags, mask) = self.get();
        // SAFETY: it is what the program has given as a handler.
        let function = unsafe { core::mem::transmute::<usize, Function>(function) };
        Wanted { function, flags, mask }
    }
}

impl Wanted {
    /// Whether the signal can interrupt its own handler.
    fn lets_itself_in(&self, number: c_int) -> bool {
        self.flags & libc::SA_NODEFER != 0 && self.mask & signals::bit(number) == 0
    }

    /// The signals that are blocked in the handler, if `before` were blocked before.
    pub(crate) fn mask(&self, number: c_int, before: u64) -> u64 {
        let own = if self.lets_itself_in(number) { 0 } else { signals::bit(number) };
        before | self.mask | own
    }

    /// Called before the handler runs in this thread. All signals are blocked: another handler would run before the first step of this one.
    pub(crate) fn begin(&self, number: c_int) {
        sync::acquired(address(number));
        signals::handling(self.flags & libc::SA_RESTART != 0);
    }

    /// Resets the action for `SA_RESETHAND`. This comes last, when the signal is not blocked any more: until the handler installs itself again, another signal of this number would end the process.
    pub(crate) fn reset_if_wanted(&self, number: c_int) {
        if self.flags & libc::SA_RESETHAND != 0 {
            reset(number);
        }
    }
}

/// Sets the default action.
fn reset(number: c_int) {
    // SAFETY: zeroes are a valid action, the default one.
    unsafe { ending::act(number, &core::mem::zeroed(), core::ptr::null_mut()) };
}

/// The kernel calls this instead of the program's handler.
unsafe extern "C" fn called(number: c_int, info: *mut siginfo_t, context: *mut ucontext_t) {
    // SAFETY: these are the kernel's arguments.
    if unsafe { signals::defer(number, info, context, false) } {
        return;
    }
    let Some(handler) = of(number) else { return };
    let wanted = handler.wanted();
    let blocked = signals::block();
    wanted.begin(number);
    blocked.restore();
    if wanted.lets_itself_in(number) {
        signals::change_mask(libc::SIG_UNBLOCK, signals::bit(number));
    }
    wanted.reset_if_wanted(number);
    let interrupts = u32::from(tls::local().inside != 0);
    tls::local().interrupted += interrupts;
    // SAFETY: this is what the program wants to be called for this signal, with the kernel's arguments.
    unsafe { (wanted.function)(number, info, context) };
    tls::local().interrupted -= interrupts;
}
