//! Defers signals while a thread is inside the runtime. A handler there could not be recorded, and it could wait for a lock that its
//! own thread holds.
//!
//! A deferred signal is blocked and kept with all information from the kernel. Its handler is called as soon as the thread leaves the
//! runtime ([`let_through`]), as the kernel would have called it ([`crate::delivery`]). Under a controlled schedule a thread that waits for its turn is inside the runtime; the handler is then called when the
//! thread gets the turn. The signal makes the thread ready, even if what it waits for has not happened ([`crate::schedule`]).
//!
//! Why not send the signal again, and let the kernel call the handler? The kernel's queue may be full, a signal that is sent again comes behind others of its number,
//! and it is dropped if only one of its number can be in the queue. A signal that the runtime keeps comes first, whatever is in the queue, and the program cannot find it there.
//!
//! Invariants: 1. While a thread is inside the runtime, a deferred signal is blocked, so that later signals of its number stay in the kernel's queue, or are deferred behind the first, in their order. 2. While the program runs, no signal is blocked that the
//! program has not blocked, and no signal is deferred; except signals that the handler of another signal has blocked, or has left behind by `siglongjmp`: these wait until the next time. 3. A deferred signal is taken out with all signals blocked, and put in
//! by reserving a place in one step, so that handlers may interrupt each other.

use crate::{delivery, ending, sys, tls};
use core::ffi::c_int;
use core::sync::atomic::{AtomicBool, Ordering};
use libc::{siginfo_t, ucontext_t};

/// Whether the program has ever had a handler for a signal that can come at any time.
static EXPECTED: AtomicBool = AtomicBool::new(false);

/// The program has installed such a handler.
pub(crate) fn expect() {
    EXPECTED.store(true, Ordering::Relaxed);
}

/// Whether a handler may still run although all threads wait.
pub(crate) fn may_come() -> bool {
    EXPECTED.load(Ordering::Relaxed)
}

/// How many handlers have run in this thread, and how many of them without `SA_RESTART`, which interrupt more system calls.
pub(crate) fn handled() -> (u32, u32) {
    let local = tls::local();
    (local.handled, local.handled_without_restart)
}

/// Called before a handler runs in this thread.
pub(crate) fn handling(restarts: bool) {
    let local = tls::local();
    local.handled = local.handled.wrapping_add(1);
    local.handled_without_restart = local.handled_without_restart.wrapping_add(u32::from(!restarts));
}

/// The maximum number of deferred signals: one of each number, and some that were left behind.
const MOST: usize = 128;

/// The deferred signals of a thread, in the order in which they came. Their number is in [`tls`].
#[repr(C)]
pub(crate) struct Waiting([Signal; MOST]);

/// A deferred signal.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Signal {
    pub(crate) number: c_int,
    /// The process that got it. A child of a fork has a copy, which it must not deliver.
    process: i32,
    /// Whether the program has no handler for it, so that it ends the process.
    is_deadly: bool,
    pub(crate) info: siginfo_t,
}

/// The bit of a signal in a mask.
pub(crate) fn bit(number: c_int) -> u64 {
    1 << (number - 1)
}

/// The first word of a mask, which has the bits of all signals.
pub(crate) fn first_word(mask: *mut libc::sigset_t) -> *mut u64 {
    mask.cast()
}

/// Whether this thread has a deferred signal.
pub(crate) fn is_one_deferred() -> bool {
    tls::local().held_back.load(Ordering::Relaxed) != 0
}

/// Defers a signal if the thread is inside the runtime. Returns whether it did. A deadly signal ends the process when it is let through; the others have a handler.
///
/// # Safety
/// Only for handlers, with what the kernel has given them.
pub(crate) unsafe fn defer(number: c_int, info: *const siginfo_t, context: *mut ucontext_t, is_deadly: bool) -> bool {
    let local = tls::local();
    // Signals that were deferred before are about to be delivered: this one must not overtake them.
    let is_outside = local.inside == 0 && local.held_back.load(Ordering::Relaxed) == 0;
    // SAFETY: a handler, as the caller says it is, gets a valid structure from the kernel.
    let is_fault = AT_ONCE.contains(&number) && unsafe { (*info).si_code } > 0;
    // A thread that the runtime does not know has ended, and never leaves the runtime.
    if is_outside || is_fault || local.thread.is_null() {
        return false;
    }
    // From here on another signal may come; it is deferred behind this one.
    let place = local.waiting.fetch_add(1, Ordering::Relaxed) as usize;
    if place >= MOST {
        local.waiting.fetch_sub(1, Ordering::Relaxed);
        return false;
    }
    // SAFETY: the context is the kernel's, and the structure this thread's own. The mask is what will be blocked after the handler. If it has interrupted others that were not deferred yet, the last of them blocks all; but one that comes when another has its mask already is unblocked by that. A second one of its number is then deferred behind it.
    unsafe {
        (*local.thread).waiting.0[place] = Signal { number, process: sys::process_number(), is_deadly, info: *info };
        let held_back = local.held_back.fetch_or(bit(number), Ordering::Relaxed) | bit(number);
        *first_word(&raw mut (*context).uc_sigmask) |= held_back;
    }
    true
}

/// Delivers the deferred signals. The thread is not inside the runtime any more.
#[cold]
pub(crate) fn let_through() {
    loop {
        let before = change_mask(libc::SIG_SETMASK, u64::MAX);
        // The deferred signals were delivered by the kernel, so the program had not blocked them.
        let mask = before & !tls::local().held_back.swap(0, Ordering::Relaxed);
        let Some(mut signal) = take(mask) else {
            change_mask(libc::SIG_SETMASK, mask);
            return;
        };
        if signal.process == sys::process_number() && !signal.is_deadly {
            delivery::deliver(&mut signal, mask);
            continue;
        }
        change_mask(libc::SIG_SETMASK, mask);
        if signal.process == sys::process_number() {
            ending::die(signal.number);
        }
    }
}

/// Takes the first deferred signal that the mask does not block. All signals are blocked.
fn take(mask: u64) -> Option<Signal> {
    let local = tls::local();
    let count = local.waiting.load(Ordering::Relaxed) as usize;
    // SAFETY: a thread for which something waits is known, and the structure is its own.
    let waiting = unsafe { &mut (&mut (*local.thread).waiting.0)[..count] };
    let place = waiting.iter().position(|signal| bit(signal.number) & mask == 0)?;
    let signal = waiting[place];
    waiting.copy_within(place + 1.., place);
    local.waiting.store(count as u32 - 1, Ordering::Relaxed);
    Some(signal)
}

/// Signals of faults. They cannot be deferred, unless a process or thread has sent them.
const AT_ONCE: [c_int; 7] =
    [libc::SIGSEGV, libc::SIGBUS, libc::SIGILL, libc::SIGFPE, libc::SIGTRAP, libc::SIGSYS, libc::SIGABRT];
/// Signals that the system or libc reserves.
const OF_OTHERS: [c_int; 4] = [libc::SIGKILL, libc::SIGSTOP, 32, 33];

/// Whether the program can have a handler for the signal.
pub(crate) fn can_be_handled(number: c_int) -> bool {
    (1..=64).contains(&number) && !OF_OTHERS.contains(&number)
}

/// Whether the signal can come between any two steps of the program.
pub(crate) fn comes_at_any_time(number: c_int) -> bool {
    can_be_handled(number) && !AT_ONCE.contains(&number)
}

/// The signals that a thread had blocked before [`block`].
#[derive(Clone, Copy)]
pub(crate) struct Blocked {
    before: u64,
    /// The signals that are blocked now, also in a new thread that inherits the mask.
    now: u64,
}

/// Blocks all signals that can come at any time. Deferred signals count as not blocked before.
pub(crate) fn block() -> Blocked {
    block_those_of(all())
}

/// Also blocks the signals of faults, because other processes can send them. For sections that no handler may interrupt, and where a fault would end the process anyway.
pub(crate) fn block_even_faults() -> Blocked {
    block_those_of(u64::MAX)
}

fn block_those_of(mask: u64) -> Blocked {
    let before = change_mask(libc::SIG_BLOCK, mask);
    Blocked { before: before & !tls::local().held_back.load(Ordering::Relaxed), now: before | mask }
}

fn all() -> u64 {
    (1..=64).filter(|&number| comes_at_any_time(number)).fold(0, |mask, number| mask | bit(number))
}

/// Changes the signal mask and returns the previous one.
pub(crate) fn change_mask(how: c_int, mask: u64) -> u64 {
    let mut before = 0u64;
    let arguments = [how as usize, (&raw const mask) as usize, (&raw mut before) as usize, size_of::<u64>(), 0, 0];
    // SAFETY: both masks have the given length.
    unsafe { sys::raw_syscall(libc::SYS_rt_sigprocmask, arguments) };
    before
}

impl Blocked {
    /// Undoes [`block`]. Signals that were deferred meanwhile stay blocked.
    pub(crate) fn restore(self) {
        change_mask(libc::SIG_SETMASK, self.before | tls::local().held_back.load(Ordering::Relaxed));
    }

    /// The same in a thread that inherits the mask, unless the program has given it a mask of its own.
    pub(crate) fn restore_if_inherited(self) {
        let others = !tls::local().held_back.load(Ordering::Relaxed);
        if (change_mask(libc::SIG_BLOCK, 0) ^ self.now) & others == 0 {
            self.restore();
        }
    }
}
