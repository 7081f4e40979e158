//! Which slot a new thread gets, so that clocks stay as short as the number of threads that matter.
//!
//! A slot goes from a dead thread to a new one if the creator knows that the first one is dead (its clock covers the last moment, as after joining):
//! then whoever knows something of the second thread rightly knows all of the first. If there are many dead threads that nobody joined, the oldest slot is taken
//! all the same, in a new *incarnation*: clocks then know too much of the dead thread in happens-before, which can only hide a violation or a race,
//! and what it wrote is no longer known under SC, which can only hide one, too.

use crate::{Epoch, Slot, ThreadClocks};

/// How many slots there are before those of dead threads are taken without asking.
const PATIENCE: usize = 64;

/// A dead thread: its slot, and its last moments in happens-before and under SC.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LastWord {
    pub(crate) slot: Slot,
    pub(crate) hb: Epoch,
    pub(crate) before: Epoch,
}

impl LastWord {
    /// Whether the thread has heard of it.
    fn is_known_to(&self, thread: &ThreadClocks) -> bool {
        thread.hb.current.get(self.slot) >= self.hb && thread.before.get(self.slot) >= self.before
    }
}

/// Hands out slots. The runtime keeps one of these, with a lock.
#[derive(Clone, Debug, Default)]
pub struct Slots {
    /// How many were ever handed out.
    used: usize,
    /// Dead threads whose slots are free, the oldest first.
    dead: Vec<LastWord>,
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
        if let Some(at) = self.dead.iter().position(|dead| creator.is_some_and(|creator| dead.is_known_to(creator))) {
            let dead = self.dead.remove(at);
            return Some((dead.slot, dead.hb));
        }
        if self.used < PATIENCE {
            return self.fresh();
        }
        let reborn = |dead: &LastWord| Some((dead.slot, dead.hb.next_incarnation()?));
        match self.dead.iter().position(|dead| reborn(dead).is_some()) {
            Some(at) => reborn(&self.dead.remove(at)),
            None => self.fresh(),
        }
    }

    fn fresh(&mut self) -> Option<(Slot, Epoch)> {
        let slot = Slot(u16::try_from(self.used).ok()?);
        self.used += 1;
        Some((slot, Epoch::default()))
    }

    pub(crate) fn give_back(&mut self, dead: LastWord) {
        self.dead.push(dead);
    }
}
