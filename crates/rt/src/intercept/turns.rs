//! Who loads a library. The dynamic linker lets one thread at a time do that, but it gives its lock back before we can say what was done; so there is a turn of our own around it.
//!
//! Nobody waits long for it: whoever has the turn may wait in the linker for one who got there without us, and who loads something else there.

use crate::{schedule, sys, tls};
use core::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

/// The thread that has the turn, or zero.
static HOLDER: AtomicUsize = AtomicUsize::new(0);

/// How often somebody looks, and how many nanoseconds are in between.
const LOOKS: usize = 200;
const PAUSE: u64 = 100_000;

/// What is given back in the end.
pub(super) enum Turn {
    Taken,
    /// It is a constructor that loads something. The turn belongs to the one who called that.
    Inherited,
    GivenUp,
}

/// This thread, which is the same after a fork.
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

/// In the child of a fork nobody else has it.
pub(super) fn alone_after_fork() {
    if HOLDER.load(Ordering::Relaxed) != me() {
        HOLDER.store(0, Ordering::Relaxed);
    }
}
