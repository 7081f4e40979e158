//! The scheduler's part of a thread. It lives as long as the thread's [`Entry`], that is for ever, so other threads can read it at any time.

use super::deadline::Expiry;
use crate::thread::{Entry, Thread};
use core::cell::Cell;
use core::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// What a thread does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(super) enum State {
    /// It could go on.
    Ready,
    /// It waits until something may have changed.
    Waits,
    /// It waits until a signal wakes it.
    WaitsForSignal,
}

/// The scheduler's part of a thread. Zeroes are a thread that can go on.
#[repr(C)]
pub(crate) struct Turn {
    /// One if this thread has the turn; the thread sleeps on this word until then.
    pub(super) mine: AtomicU32,
    /// Whether it sleeps here, until it has the turn.
    pub(super) resting: AtomicBool,
    pub(super) state: Cell<State>,
    /// What it waits for.
    pub(super) key: Cell<usize>,
    /// Which signals it waits for, as bits.
    pub(super) bits: Cell<u32>,
    /// When its wait times out.
    pub(super) expiry: Cell<Expiry>,
    pub(super) timed_out: Cell<bool>,
    /// The barrier at which it has arrived, while it waits for others.
    pub(super) arrived: Cell<usize>,
    /// Whether a signal or its cancellation lets it go on.
    pub(super) interrupted: Cell<bool>,
    /// Whether it sleeps in a system call that the runtime does not know.
    pub(super) away: Cell<bool>,
    /// The address and the code of its last step, and how often it was repeated.
    last: Cell<(usize, usize)>,
    repeated: Cell<u32>,
}

// SAFETY: what is not atomic is only used by the thread that holds the lock of `Control`, or by `reset` before any other thread knows the thread.
unsafe impl Sync for Turn {}

/// How often a thread makes the same step before it counts as spinning.
const SPINNING: u32 = 6;

impl Turn {
    /// The entry belongs to a new thread now.
    pub(crate) fn reset(&self) {
        self.mine.store(0, Ordering::Relaxed);
        self.resting.store(false, Ordering::Relaxed);
        self.state.set(State::Ready);
        self.key.set(0);
        self.bits.set(0);
        self.expiry.set(Expiry::NEVER);
        self.timed_out.set(false);
        self.arrived.set(0);
        self.interrupted.set(false);
        self.away.set(false);
        self.last.set((0, 0));
        self.repeated.set(0);
    }

    /// Whether the thread makes the same step again and again.
    pub(super) fn spins(&self, address: usize, caller: usize) -> bool {
        let repeated =
            if self.last.replace((address, caller)) == (address, caller) { self.repeated.get() + 1 } else { 0 };
        let spins = repeated >= SPINNING;
        self.repeated.set(if spins { 0 } else { repeated });
        spins
    }
}

/// A thread under control.
#[derive(Clone, Copy)]
pub(super) struct Member {
    /// In the order in which threads were created.
    pub(super) number: u32,
    pub(super) entry: &'static Entry,
}

impl Member {
    /// The member that a thread is.
    ///
    /// # Safety
    /// The thread is this one, or no thread runs with the structure yet.
    pub(super) unsafe fn of(thread: *mut Thread) -> Self {
        // SAFETY: the caller says that the structure is there; neither part changes after the thread was announced.
        let (number, entry) = unsafe { ((*thread).number, (*thread).entry()) };
        Self { number, entry }
    }

    /// The scheduler's part of it.
    pub(super) fn turn(self) -> &'static Turn {
        &self.entry.turn
    }

    pub(super) fn is_ready(self) -> bool {
        self.turn().state.get() == State::Ready && !self.turn().away.get()
    }

    /// Its wait times out.
    pub(super) fn time_out(self) {
        self.turn().state.set(State::Ready);
        self.turn().timed_out.set(true);
    }
}

impl PartialEq for Member {
    fn eq(&self, other: &Self) -> bool {
        self.number == other.number
    }
}
