//! Which slot a new thread gets, so that clocks stay as short as the number of threads that matter.
//!
//! A slot goes from a dead thread to a new one if the creator knows that the first one is dead (its clock covers the last moment, as after joining):
//! then whoever knows something of the second thread rightly knows all of the first. If there are many dead threads that nobody joined, the oldest slot is taken
//! all the same, in a new *incarnation*: clocks then know too much of the dead thread in happens-before, which can only hide a violation or a race,
//! and what it wrote is no longer known under SC, which can only hide one, too.

use crate::{Epoch, Slot, ThreadClocks};

/// How many slots there are before those of dead threads are taken without asking.
const PATIENCE: usize = 64;

/// Hands out slots. The runtime keeps one of these, with a lock.
#[derive(Clone, Debug, Default)]
pub struct Slots {
    /// How many were ever handed out.
    used: usize,
    /// The slots of dead threads with their last moments, the oldest first.
    dead: Vec<(Slot, Epoch)>,
}

impl Slots {
    /// All slots are free.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many different slots were handed out so far; clocks are no longer than this.
    pub fn used(&self) -> usize {
        self.used
    }

    /// A slot for a thread made by `creator`, and the moment at which it begins. Nothing if there are too many threads.
    pub(crate) fn take(&mut self, creator: Option<&ThreadClocks>) -> Option<(Slot, Epoch)> {
        let covered = |&(slot, last): &(Slot, Epoch)| creator.is_some_and(|creator| creator.knows(slot, last));
        if let Some(at) = self.dead.iter().position(covered) {
            return Some(self.dead.remove(at));
        }
        if self.used < PATIENCE || self.dead.is_empty() {
            return self.fresh();
        }
        let at = self.dead.iter().position(|(_, last)| last.next_incarnation().is_some());
        match at.map(|at| self.dead.remove(at)) {
            Some((slot, last)) => Some((slot, last.next_incarnation()?)),
            None => self.fresh(),
        }
    }

    fn fresh(&mut self) -> Option<(Slot, Epoch)> {
        let slot = Slot(u16::try_from(self.used).ok()?);
        self.used += 1;
        Some((slot, Epoch::default()))
    }

    pub(crate) fn give_back(&mut self, slot: Slot, last: Epoch) {
        self.dead.push((slot, last));
    }
}
