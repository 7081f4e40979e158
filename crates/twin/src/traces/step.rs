//! The steps of a trace.

use std::fmt;
use steadfast_clocks::{Direction, Strength};
use steadfast_ir::{FenceOrder, ReadOrder, RmwOrder, WriteOrder};

/// One step of a run. A step that is not possible (the thread does not live, the lock is held) is left out, so that
/// any sequence of steps is a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceStep {
    /// An atomic load.
    Load(ReadOrder),
    /// An atomic store of a value.
    Store(WriteOrder, u8),
    /// An exchange.
    Rmw(RmwOrder, u8),
    /// A compare-and-exchange: expected and new value.
    Cas(Strength, u8, u8, RmwOrder, ReadOrder),
    /// Waits for a value. Possible only if the location holds it.
    Wait(ReadOrder, u8),
    /// A compare-and-exchange that waits.
    BlockingCas(RmwOrder, u8, u8),
    /// A fence.
    Fence(FenceOrder),
    /// Takes the mutex that belongs to the location.
    Lock,
    /// Releases it.
    Unlock,
    /// Creates the thread with this name.
    Spawn(u8),
    /// The thread ends.
    Finish,
    /// Joins the thread with this name.
    Join(u8),
    /// Frees the location; the next access finds a new one.
    Free,
    /// A plain access to some of the eight bytes at the location.
    Plain(Direction, u8),
}

/// A run: steps, each with its thread and location.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    /// The steps, in order.
    pub steps: Vec<(u8, u8, TraceStep)>,
}

/// How many names of threads there are.
pub(crate) const THREADS: usize = 5;
/// How many locations there are.
pub(crate) const LOCATIONS: usize = 4;

impl Trace {
    /// The smallest trace that results from leaving out steps while `keeps` holds.
    #[must_use]
    pub fn shrink(&self, keeps: impl Fn(&Self) -> bool) -> Self {
        let mut smallest = self.clone();
        let mut at = 0;
        while at < smallest.steps.len() {
            let mut candidate = smallest.clone();
            candidate.steps.remove(at);
            if keeps(&candidate) {
                (smallest, at) = (candidate, 0);
            } else {
                at += 1;
            }
        }
        smallest
    }
}

impl fmt::Display for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.steps.iter().try_for_each(|(thread, location, step)| writeln!(f, "  {thread}: {step:?} at {location}"))
    }
}
