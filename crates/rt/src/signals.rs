//! Signals of the program, whose handlers must not find the runtime in the middle of something: what a handler does there could not be recorded, and it could wait for a lock that its
//! own thread has.
//!
//! A signal that comes while its thread is inside the runtime is put off: it is blocked and kept with all that the kernel has said about it, and its handler is called as soon as the thread leaves the
//! runtime ([`let_through`]), as the kernel would have called it ([`crate::delivery`]). Under a controlled schedule a thread that waits for its turn is inside; the handler is then called when it is its turn,
//! for which it need not wait any longer for what it was waiting for ([`crate::schedule`]).
//!
//! Why not send it once more, and leave the calling to the kernel? The queue of the kernel is not ours: it may be full, a signal that is sent again comes behind others of its number that are already there,
//! and it is dropped if its number is one of those of which only one can be there. What we keep ourselves comes first, whatever is in the queue, and nobody who looks into it finds something of ours.
//!
//! Invariants: 1. While the runtime is inside, a number that waits is blocked, so that later ones of it stay in the queue, or is put off behind the first, in their order. 2. Outside, when the program runs, nothing is blocked that the program has not
//! blocked, and nothing waits; but for those that the handler of another one has blocked, or has left behind by `siglongjmp`, which wait until the next time. 3. What waits is taken out with all signals blocked, and put in
//! by reserving a place in one step, so that handlers may come one in another.

use crate::{delivery, ending, sys, tls};
use core::ffi::c_int;
use core::sync::atomic::{AtomicBool, Ordering};
use libc::{siginfo_t, ucontext_t};

/// Whether the program has ever had a handler for a signal that can come at any time.
static EXPECTED: AtomicBool = AtomicBool::new(false);

/// The program wants to be called.
pub(crate) fn expect() {
    EXPECTED.store(true, Ordering::Relaxed);
}

/// Whether a handler may still do something although all threads wait.
pub(crate) fn may_come() -> bool {
    EXPECTED.load(Ordering::Relaxed)
}

/// How many handlers have run in this thread, and how many of those that also interrupt system calls which others only delay.
pub(crate) fn handled() -> (u32, u32) {
    let local = tls::local();
    (local.handled, local.handled_without_restart)
}

/// A handler is about to run in this thread.
pub(crate) fn handling(restarts: bool) {
    let local = tls::local();
    local.handled = local.handled.wrapping_add(1);
    local.handled_without_restart = local.handled_without_restart.wrapping_add(u32::from(!restarts));
}

/// More than there are numbers: one of each, and some that were left behind.
const MOST: usize = 128;

/// The signals that wait for a thread, in the order in which they came. How many there are is in [`tls`].
#[repr(C)]
pub(crate) struct Waiting([Signal; MOST]);

/// A signal that was put off.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Signal {
    pub(crate) number: c_int,
    /// The process that it was for. A child of a fork has a copy, which is not for it.
    process: i32,
    /// Whether the program has no handler for it, and it ends the process.
    is_deadly: bool,
    pub(crate) info: siginfo_t,
}

/// The bit of a signal in a mask.
pub(crate) fn bit(number: c_int) -> u64 {
    1 << (number - 1)
}

/// Where the first word of a mask is, which has all signals.
pub(crate) fn first_word(mask: *mut libc::sigset_t) -> *mut u64 {
    mask.cast()
}

/// Whether a signal was put off that this thread has not got yet.
pub(crate) fn is_one_deferred() -> bool {
    tls::local().held_back.load(Ordering::Relaxed) != 0
}

/// Puts a signal off, if that makes sense now. Says whether it did. A deadly one ends the process when it is let through; else it has a handler.
///
/// # Safety
/// Only for handlers, with what the kernel has given them.
pub(crate) unsafe fn defer(number: c_int, info: *const siginfo_t, context: *mut ucontext_t, is_deadly: bool) -> bool {
    let local = tls::local();
    // Those of before are about to come: this one must not overtake them.
    let is_outside = local.inside == 0 && local.held_back.load(Ordering::Relaxed) == 0;
    // SAFETY: a handler, as the caller says it is, gets a valid structure from the kernel.
    let is_fault = AT_ONCE.contains(&number) && unsafe { (*info).si_code } > 0;
    // A thread that is not known has ended, and does not come out again.
    if is_outside || is_fault || local.thread.is_null() {
        return false;
    }
    // Another one may come from here on, and is put off behind this one.
    let place = local.waiting.fetch_add(1, Ordering::Relaxed) as usize;
    if place >= MOST {
        local.waiting.fetch_sub(1, Ordering::Relaxed);
        return false;
    }
    // SAFETY: the context is the kernel's, and the structure this thread's own. The mask is what will be blocked after the handler. If it has interrupted others that were not put off yet, the last of them blocks all; but one that comes when another has its mask already is unblocked by that. A second one of its number is then put off behind it.
    unsafe {
        (*local.thread).waiting.0[place] = Signal { number, process: sys::process_number(), is_deadly, info: *info };
        let held_back = local.held_back.fetch_or(bit(number), Ordering::Relaxed) | bit(number);
        *first_word(&raw mut (*context).uc_sigmask) |= held_back;
    }
    true
}

/// Lets the signals through that were put off. The thread is not inside the runtime any more.
#[cold]
pub(crate) fn let_through() {
    loop {
        let before = change_mask(libc::SIG_SETMASK, u64::MAX);
        // These came, so they were not blocked before.
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

/// Takes the first one that the mask lets through. All signals are blocked.
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

/// These say what the thread has just done wrong, and then cannot be put off; unless somebody has sent them.
const AT_ONCE: [c_int; 7] =
    [libc::SIGSEGV, libc::SIGBUS, libc::SIGILL, libc::SIGFPE, libc::SIGTRAP, libc::SIGSYS, libc::SIGABRT];
/// These are the system's and libc's own.
const OF_OTHERS: [c_int; 4] = [libc::SIGKILL, libc::SIGSTOP, 32, 33];

/// Whether the program can have a handler for the signal.
pub(crate) fn can_be_handled(number: c_int) -> bool {
    (1..=64).contains(&number) && !OF_OTHERS.contains(&number)
}

/// Whether programs expect the signal between any two of their steps.
pub(crate) fn comes_at_any_time(number: c_int) -> bool {
    can_be_handled(number) && !AT_ONCE.contains(&number)
}

/// The signals that a thread had blocked before all of them were.
#[derive(Clone, Copy)]
pub(crate) struct Blocked {
    before: u64,
    /// What is blocked now, also in a thread that is started.
    now: u64,
}

/// Blocks all signals that can come at any time. Those that were put off count as not blocked.
pub(crate) fn block() -> Blocked {
    block_those_of(all())
}

/// Blocks those of faults as well, because others can send them: for what no handler at all may interrupt, and where a fault would be the end anyway.
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

/// Changes which signals are blocked, and says which were.
pub(crate) fn change_mask(how: c_int, mask: u64) -> u64 {
    let mut before = 0u64;
    let arguments = [how as usize, (&raw const mask) as usize, (&raw mut before) as usize, size_of::<u64>(), 0, 0];
    // SAFETY: both masks are as long as we say.
    unsafe { sys::raw_syscall(libc::SYS_rt_sigprocmask, arguments) };
    before
}

impl Blocked {
    /// Undoes [`block`]. Those that were put off stay blocked as long as they are.
    pub(crate) fn restore(self) {
        change_mask(libc::SIG_SETMASK, self.before | tls::local().held_back.load(Ordering::Relaxed));
    }

    /// The same in a thread that was started meanwhile, unless the program has given it a mask of its own.
    pub(crate) fn restore_if_inherited(self) {
        let others = !tls::local().held_back.load(Ordering::Relaxed);
        if (change_mask(libc::SIG_BLOCK, 0) ^ self.now) & others == 0 {
            self.restore();
        }
    }
}
