//! Slots for new threads, such that clocks stay as short as the number of threads that matter.
//!
//! A slot goes from a dead thread to a new one if the creator knows that the first thread is dead (its clock covers the last moment, as after joining). Then a thread that knows
//! something of the second thread rightly knows everything of the first. If there are many dead threads that no thread has joined, the slot that is free for the longest time is used again
//! anyway. Clocks then know too much of the dead thread in happens-before, which can only hide a violation or a race; and what it wrote counts as not known under SC ([`SlotStarts`]), which can
//! only hide them, too.

use crate::clock::LANE;
use crate::{Epoch, Slot, ThreadClocks};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

/// With this many slots in use, a new thread gets the slot of a dead thread even if its creator does not know that thread.
const REUSE_FROM: usize = 64;

/// A dead thread: its slot, and its last moments in happens-before and under SC.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DeadThread {
    pub(crate) slot: Slot,
    pub(crate) hb: Epoch,
    pub(crate) before: Epoch,
}

impl DeadThread {
    /// Whether a thread knows the last moments.
    fn is_known_to(&self, thread: &ThreadClocks) -> bool {
        thread.hb.current.get(self.slot) >= self.hb && thread.before.get(self.slot) >= self.before
    }
}

/// The moments at which the present owners of slots started, for slots whose earlier owner was dead without all clocks knowing it. All threads of a program share them.
#[derive(Clone, Debug, Default)]
pub(crate) struct SlotStarts(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    moments: OnceLock<Box<[AtomicU32]>>,
    /// How many slots were ever used.
    slots: AtomicU32,
}

impl SlotStarts {
    /// Whether the moment may belong to an earlier owner of the slot. Then a clock that knows the slot up to there need not know the earlier owner.
    #[inline]
    pub(crate) fn may_predate(&self, slot: Slot, epoch: Epoch) -> bool {
        let Some(slot_starts) = self.0.moments.get() else { return false };
        slot_starts.get(slot.index()).is_some_and(|start| start.load(Ordering::Relaxed) > epoch.0)
    }

    fn remember(&self, slot: Slot, epoch: Epoch) {
        let slot_starts = self.0.moments.get_or_init(|| (0..=u16::MAX).map(|_| AtomicU32::new(0)).collect());
        slot_starts[slot.index()].store(epoch.0, Ordering::Relaxed);
    }

    /// How many lanes a clock has that knows something of every slot.
    pub(crate) fn lanes(&self) -> usize {
        (self.0.slots.load(Ordering::Relaxed) as usize).div_ceil(LANE)
    }
}

/// Gives slots to threads. The runtime has one of these, with a lock.
#[derive(Clone, Debug, Default)]
pub struct Slots {
    /// How many slots were ever used.
    used: usize,
    /// Dead threads whose slots are free, oldest first.
    dead: Vec<DeadThread>,
    slot_starts: SlotStarts,
}

impl Slots {
    /// All slots are free.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many different slots were used so far. Clocks are no longer than this.
    pub fn used(&self) -> usize {
        self.used
    }

    /// A slot for a thread made by `creator`, and the moment at which it starts. Nothing if there are too many threads.
    pub(crate) fn take(&mut self, creator: Option<&ThreadClocks>) -> Option<(Slot, Epoch)> {
        if let Some(at) = self.dead.iter().position(|dead| creator.is_some_and(|creator| dead.is_known_to(creator))) {
            let dead = self.dead.remove(at);
            return Some((dead.slot, dead.hb));
        }
        if self.used < REUSE_FROM {
            return self.fresh();
        }
        if self.dead.is_empty() {
            return self.fresh();
        }
        let dead = self.dead.remove(0);
        self.slot_starts.remember(dead.slot, dead.hb.next_event());
        Some((dead.slot, dead.hb))
    }

    /// The starts of all slots.
    pub(crate) fn slot_starts(&self) -> SlotStarts {
        self.slot_starts.clone()
    }

    fn fresh(&mut self) -> Option<(Slot, Epoch)> {
        let slot = Slot(u16::try_from(self.used).ok()?);
        self.used += 1;
        self.slot_starts.0.slots.store(self.used as u32, Ordering::Relaxed);
        Some((slot, Epoch::default()))
    }

    pub(crate) fn give_back(&mut self, dead: DeadThread) {
        // A slot without moments left is not used again.
        if !dead.hb.is_old() {
            self.dead.push(dead);
        }
    }
}
