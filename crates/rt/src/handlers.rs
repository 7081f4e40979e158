//! What the program wants to be called when a signal comes. The kernel calls [`called`] instead, which either puts the signal off ([`crate::signals`]) or goes on to what the program has given.

use crate::{ending, signals, sync, tls};
use core::ffi::c_int;
use core::sync::atomic::{AtomicI32, AtomicU64, AtomicUsize, Ordering};
use libc::{sigaction as Action, siginfo_t, ucontext_t};

/// Numbers of signals begin at one.
const COUNT: usize = 65;
/// From here on there are addresses at which nothing else can be, one for each signal.
const FIRST_ADDRESS: usize = 128;

/// One that takes only the number leaves the rest where it is.
pub(crate) type Function = unsafe extern "C" fn(c_int, *mut siginfo_t, *mut ucontext_t);

/// A handler with the flags and the mask that belong to it.
#[derive(Clone, Copy)]
pub(crate) struct Wanted {
    pub(crate) function: Function,
    pub(crate) flags: c_int,
    mask: u64,
}

/// The place for the handler of one signal.
pub(crate) struct Handler {
    function: AtomicUsize,
    flags: AtomicI32,
    mask: AtomicU64,
}

static HANDLERS: [Handler; COUNT] =
    [const { Handler { function: AtomicUsize::new(0), flags: AtomicI32::new(0), mask: AtomicU64::new(0) } }; COUNT];

/// At this address threads that ask for a handler meet those in which it runs.
pub(crate) fn address(number: c_int) -> usize {
    FIRST_ADDRESS + 8 * number as usize
}

/// The handler of a signal that can have one.
pub(crate) fn of(number: c_int) -> Option<&'static Handler> {
    HANDLERS.get(usize::try_from(number).ok()?).filter(|_| signals::can_be_handled(number))
}

/// The flags of which the kernel does not know what the program wants: we need to be told everything; the first call may not be the one that counts; and one that is put off must be blocked.
const OURS: c_int = libc::SA_SIGINFO | libc::SA_RESETHAND | libc::SA_NODEFER;

/// What to ask the kernel for, if the program asks for this.
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

/// Replaces our part of an action that comes from the kernel by what the program has asked for.
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

    /// Whether system calls that it interrupts go on.
    pub(crate) fn set_restarting(&self, restarts: bool) {
        if restarts {
            self.flags.fetch_or(libc::SA_RESTART, Ordering::Relaxed);
        } else {
            self.flags.fetch_and(!libc::SA_RESTART, Ordering::Relaxed);
        }
    }

    /// The handler that the program has given, which it has if the kernel has called ours.
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

    /// What is blocked in the handler if this was before.
    pub(crate) fn mask(&self, number: c_int, before: u64) -> u64 {
        let own = if self.lets_itself_in(number) { 0 } else { signals::bit(number) };
        before | self.mask | own
    }

    /// The handler is about to run in this thread, in which all signals are blocked: others would come before the first step of this one.
    pub(crate) fn begin(&self, number: c_int) {
        sync::acquired(address(number));
        signals::handling(self.flags & libc::SA_RESTART != 0);
    }

    /// What comes last, when the signal is not blocked any more: until the handler asks for itself again, one that has come meanwhile would end the process.
    pub(crate) fn reset_if_wanted(&self, number: c_int) {
        if self.flags & libc::SA_RESETHAND != 0 {
            reset(number);
        }
    }
}

/// The signal has no handler any more.
fn reset(number: c_int) {
    // SAFETY: zeroes are a valid action, the default one.
    unsafe { ending::act(number, &core::mem::zeroed(), core::ptr::null_mut()) };
}

/// What the kernel calls instead.
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
