//! Signals of the program, whose handlers must not find the runtime in the middle of something: what a handler does there could not be recorded.
//!
//! A signal that comes while its thread is inside the runtime is put off: it is blocked and sent again, and let through as soon as the thread leaves the runtime. So the kernel
//! calls the handler with everything that belongs to it. Under a controlled schedule a thread that waits for its turn is inside; it is then called when it is its turn, for which
//! it need not wait any longer for what it was waiting for ([`crate::schedule`]).

use crate::{sys, tls};
use core::ffi::{c_int, c_void};
use core::sync::atomic::{AtomicBool, Ordering};

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

/// Whether a signal was put off that this thread has not got yet.
pub(crate) fn is_one_deferred() -> bool {
    tls::local().deferred.load(Ordering::Relaxed) != 0
}

/// Puts a signal off, if that makes sense now. Says whether it did.
///
/// # Safety
/// Only for handlers, with what the kernel has given them.
pub(crate) unsafe fn defer(number: c_int, info: *mut c_void, context: *mut c_void) -> bool {
    let local = tls::local();
    // A thread that is not known, because it just begins or ends, may not come out again.
    if local.inside == 0 || local.thread.is_null() {
        return false;
    }
    let (process, thread) = (sys::process_number() as usize, sys::thread_number() as usize);
    let bit = 1u64 << (number - 1);
    // SAFETY: by the caller's promise. The mask is what will be blocked after the handler; its first word has all signals.
    unsafe {
        let mask = (&raw mut (*context.cast::<libc::ucontext_t>()).uc_sigmask).cast::<u64>();
        *mask |= bit;
        let arguments = [process, thread, number as usize, info as usize, 0, 0];
        if sys::raw_syscall(libc::SYS_rt_tgsigqueueinfo, arguments) < 0 {
            *mask &= !bit;
            return false;
        }
    }
    local.deferred.fetch_or(bit, Ordering::Relaxed);
    true
}

/// Lets the signals through that were put off. The thread is not inside the runtime any more.
#[cold]
pub(crate) fn let_through() {
    // These came, so they were not blocked before.
    change_mask(libc::SIG_UNBLOCK, tls::local().deferred.swap(0, Ordering::Relaxed));
}

/// These say what the thread has just done wrong: they cannot be put off.
const AT_ONCE: [c_int; 7] =
    [libc::SIGSEGV, libc::SIGBUS, libc::SIGILL, libc::SIGFPE, libc::SIGTRAP, libc::SIGSYS, libc::SIGABRT];
/// These are the system's and libc's own.
const OF_OTHERS: [c_int; 4] = [libc::SIGKILL, libc::SIGSTOP, 32, 33];

/// Whether the program can have a handler for the signal that may be called between any two of its steps.
pub(crate) fn comes_at_any_time(number: c_int) -> bool {
    (1..=64).contains(&number) && !AT_ONCE.contains(&number) && !OF_OTHERS.contains(&number)
}

/// The signals that a thread had blocked before all of them were.
#[derive(Clone, Copy)]
pub(crate) struct Blocked(u64);

/// Blocks all signals that can come at any time. Those that were put off count as not blocked.
pub(crate) fn block() -> Blocked {
    let before = change_mask(libc::SIG_BLOCK, all());
    Blocked(before & !tls::local().deferred.load(Ordering::Relaxed))
}

fn all() -> u64 {
    (1..=64).filter(|&number| comes_at_any_time(number)).fold(0, |mask, number| mask | 1 << (number - 1))
}

/// Changes which signals are blocked, and says which were.
fn change_mask(how: c_int, mask: u64) -> u64 {
    let mut before = 0u64;
    let arguments = [how as usize, (&raw const mask) as usize, (&raw mut before) as usize, size_of::<u64>(), 0, 0];
    // SAFETY: both masks are as long as we say.
    unsafe { sys::raw_syscall(libc::SYS_rt_sigprocmask, arguments) };
    before
}

impl Blocked {
    /// Undoes [`block`].
    pub(crate) fn restore(self) {
        change_mask(libc::SIG_SETMASK, self.0);
    }

    /// The same in a thread that was started meanwhile, unless the program has given it a mask of its own.
    pub(crate) fn restore_if_inherited(self) {
        if change_mask(libc::SIG_BLOCK, 0) == self.0 | all() {
            self.restore();
        }
    }
}
