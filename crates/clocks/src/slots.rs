//! Which slot a new thread gets, so that clocks stay as short as the number of threads that matter.
//!
//! A slot goes from a dead thread to a new one if the creator knows that the first one is dead (its clock covers the last moment, as after joining):
//! then whoever knows something of the second thread rightly knows all of the first. If there are many dead threads that nobody joined, the oldest slot is taken
//! all the same: clocks then know too much of the dead thread in happens-before, which can only hide a violation or a race,
//! and what it wrote counts as not known under SC ([`Births`]), which can only hide one, too.

use crate::clock::LANE;
use crate::{Epoch, Slot, ThreadClocks};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

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

/// When the threads that have slots now were born, as far as that matters: the earlier owner of the slot was dead, but not everybody's clock says so. All threads of a program share it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Births(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    moments: OnceLock<Box<[AtomicU32]>>,
    /// How many slots were ever handed out.
    slots: AtomicU32,
}

impl Births {
    /// Whether the moment may be one of an earlier owner of the slot, so that whoever knows the slot up to there need not know it.
    #[inline]
    pub(crate) fn follow(&self, slot: Slot, epoch: Epoch) -> bool {
        let Some(births) = self.0.moments.get() else { return false };
        births.get(slot.index()).is_some_and(|birth| birth.load(Ordering::Relaxed) > epoch.0)
    }

    fn remember(&self, slot: Slot, epoch: Epoch) {
        let births = self.0.moments.get_or_init(|| (0..=u16::MAX).map(|_| AtomicU32::new(0)).collect());
        births[slot.index()].store(epoch.0, Ordering::Relaxed);
    }

    /// How many lanes a clock has that knows something of every thread there is.
    pub(crate) fn lanes(&self) -> usize {
        (self.0.slots.load(Ordering::Relaxed) as usize).div_ceil(LANE)
    }
}

/// Hands out slots. The runtime keeps one of these, with a lock.
#[derive(Clone, Debug, Default)]
pub struct Slots {
    /// How many were ever handed out.
    used: usize,
    /// Dead threads whose slots are free, the oldest first.
    dead: Vec<LastWord>,
    births: Births,
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
        if self.dead.is_empty() {
            return self.fresh();
        }
        let dead = self.dead.remove(0);
        self.births.remember(dead.slot, dead.hb.next_event());
        Some((dead.slot, dead.hb))
    }

    /// What all threads share.
    pub(crate) fn births(&self) -> Births {
        self.births.clone()
    }

    fn fresh(&mut self) -> Option<(Slot, Epoch)> {
        let slot = Slot(u16::try_from(self.used).ok()?);
        self.used += 1;
        self.births.0.slots.store(self.used as u32, Ordering::Relaxed);
        Some((slot, Epoch::default()))
    }

    pub(crate) fn give_back(&mut self, dead: LastWord) {
        // Nobody else can make use of a slot that has no moments left.
        if !dead.hb.is_old() {
            self.dead.push(dead);
        }
    }
}
