//! The turn to load a library. The dynamic linker lets one thread at a time load, but it releases its lock before the runtime can record what the thread did. So the runtime has a lock of its own around it: the turn.
//!
//! A thread gives up waiting for the turn after some time: the thread that has it may wait in the linker for a thread that got there without the turn, and that loads something else now.

use crate::{schedule, sys, tls};
use core::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

/// The thread that has the turn, or zero.
static HOLDER: AtomicUsize = AtomicUsize::new(0);

/// How often a thread tries to take the turn, and how many nanoseconds it waits in between.
const LOOKS: usize = 200;
const PAUSE: u64 = 100_000;

/// How this thread got the turn.
pub(super) enum Turn {
    Taken,
    /// This thread had the turn already: a constructor loads another library. The outer call keeps the turn.
    Inherited,
    GivenUp,
}

/// A number for this thread, which stays the same after a fork.
fn me() -> usize {
    core::ptr::from_ref(tls::local()) as usize
}

pub(super) fn take() -> Turn {
    if HOLDER.load(Ordering::Relaxed) == me() {
        return Turn::Inherited;
    }
    for _ in 0..LOOKS {
        if HOLDER.compare_exchange(0, me(), Ordering::Acquire, Ordering::Relaxed).is_ok() {
            return Turn::Taken;
        }
        if !schedule::step_aside() {
            sys::sleep_on(&AtomicU32::new(0), 0, Some(PAUSE));
        }
    }
    Turn::GivenUp
}

impl Turn {
    pub(super) fn take_if_given_up(&mut self) {
        if matches!(self, Self::GivenUp) {
            *self = take();
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        if matches!(self, Self::Taken) {
            HOLDER.store(0, Ordering::Release);
        }
    }
}

/// Frees the turn in the child of a fork if a thread of the parent had it.
pub(super) fn alone_after_fork() {
    if HOLDER.load(Ordering::Relaxed) != me() {
        HOLDER.store(0, Ordering::Relaxed);
    }
}
