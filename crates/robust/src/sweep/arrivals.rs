//! The monitor states that have arrived at each position, and which of them are still pending, that is, not yet carried along the edges of the position.
//!
//! No monitor state at a position covers another one there. Nearly all positions have at most three, which fit into a word; the other positions have an entry in an overflow table.
//!
//! Only the owner of a position reads and writes its word. A new owner learns of the position by a message, which orders the accesses, so relaxed accesses to the words suffice.

use super::monitor_states::MonitorId;
use super::prefetch::prefetch;
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// One word per position.
pub(crate) struct Slots(Vec<AtomicU64>);

impl Slots {
    pub(crate) fn new(positions: usize) -> Self {
        // Every word is written at once. If a page was first read and then written, it would fault twice, and all cores would have to be told of the second fault.
        Self((0..positions).map(|_| AtomicU64::new(0)).collect())
    }

    /// Makes all positions empty again.
    pub(crate) fn clear(&mut self) {
        self.0.iter_mut().for_each(|slot| *slot.get_mut() = 0);
    }

    pub(crate) fn bytes(&self) -> usize {
        self.0.len() * 8
    }
}

/// The monitor states at one position, each with whether it is pending.
pub(super) type Spilled = Vec<(MonitorId, bool)>;

/// The monitor states at the positions of one worker.
pub(super) struct Arrivals<'s> {
    slots: &'s Slots,
    spilled: FxHashMap<u32, Spilled>,
    /// How many states were added since [`Self::added_since`] was last called, and how many of them went to the overflow table since [`Self::spilled_bytes`] was last called.
    added: u64,
    spilled_since: u64,
}

/// The word of a position whose states are in the overflow table.
const SPILLED: u64 = 1 << 63;
/// How many states fit into a word: their numbers plus one (zero: free), and above the numbers one bit for each state that is pending.
const ROOM: u32 = 3;
const WIDTH: u32 = 20;
const NUMBERS: u64 = (1 << (ROOM * WIDTH)) - 1;
const MASK: u64 = (1 << WIDTH) - 1;

/// The states in a word, each with whether it is pending.
#[inline]
fn unpacked(slot: u64) -> impl Iterator<Item = (MonitorId, bool)> {
    (0..ROOM).filter_map(move |at| {
        let number = slot >> (at * WIDTH) & MASK;
        (number != 0).then(|| (number as MonitorId - 1, slot >> (ROOM * WIDTH + at) & 1 == 1))
    })
}

/// A word with one more state, or nothing if there is no room.
#[inline]
fn with(slot: u64, (number, pending): (MonitorId, bool)) -> Option<u64> {
    let at = (0..ROOM).find(|at| slot >> (at * WIDTH) & MASK == 0)?;
    let number = u64::from(number) + 1;
    (number <= MASK).then(|| slot | number << (at * WIDTH) | u64::from(pending) << (ROOM * WIDTH + at))
}

impl<'s> Arrivals<'s> {
    pub(super) fn new(slots: &'s Slots) -> Self {
        Self { slots, spilled: FxHashMap::default(), added: 0, spilled_since: 0 }
    }

    #[inline]
    fn slot(&self, position: usize) -> u64 {
        self.slots.0[position].load(Relaxed)
    }

    #[inline]
    fn set(&self, position: usize, slot: u64) {
        self.slots.0[position].store(slot, Relaxed);
    }

    /// Removes the overflow entries of some positions, for their new owner.
    pub(super) fn hand_over(&mut self, positions: Range<usize>) -> Vec<(u32, Spilled)> {
        let spilled = positions.filter(|&position| self.slot(position) == SPILLED).map(|position| position as u32);
        let spilled: Vec<u32> = spilled.collect();
        spilled.into_iter().filter_map(|position| self.spilled.remove_entry(&position)).collect()
    }

    /// Adds the overflow entries of positions that another worker has handed over.
    pub(super) fn take_over(&mut self, spilled: Vec<(u32, Spilled)>) {
        self.spilled.extend(spilled);
    }

    /// How many states were added since this was last called.
    pub(super) fn added_since(&mut self) -> u64 {
        std::mem::take(&mut self.added)
    }

    /// The bytes that the overflow table took since this was last called.
    pub(super) fn spilled_bytes(&mut self) -> u64 {
        // A state with its pending flag, and its share of the table.
        std::mem::take(&mut self.spilled_since) * 16
    }

    /// Prefetches the word of a position.
    #[inline]
    pub(super) fn prefetch(&self, position: usize) {
        prefetch(&self.slots.0[position]);
    }

    /// Calls `with` for every pending state of a position.
    #[inline]
    pub(super) fn pending(&self, position: usize, with: impl FnMut(MonitorId)) {
        let slot = self.slot(position);
        let pending = |(number, pending)| if pending { Some(number) } else { None };
        if slot == SPILLED {
            let states = self.spilled.get(&(position as u32)).into_iter().flatten();
            states.copied().filter_map(pending).for_each(with);
        } else {
            unpacked(slot).filter_map(pending).for_each(with);
        }
    }

    /// Moves the pending states of a position into `taken`; they are no longer pending.
    #[inline]
    pub(super) fn take(&mut self, position: usize, taken: &mut Vec<MonitorId>) {
        let slot = self.slot(position);
        if slot & !NUMBERS == 0 {
            return;
        }
        if slot == SPILLED {
            let states = self.spilled.entry(position as u32).or_default().iter_mut();
            taken.extend(states.filter_map(|(number, pending)| std::mem::take(pending).then_some(*number)));
            return;
        }
        self.set(position, slot & NUMBERS);
        taken.extend(unpacked(slot).filter(|(_, pending)| *pending).map(|(number, _)| number));
    }

    /// Adds a pending state, unless it is covered. Returns whether it was added.
    #[inline]
    pub(super) fn add(
        &mut self,
        position: usize,
        number: MonitorId,
        mut covers: impl FnMut(MonitorId, MonitorId) -> bool,
    ) -> bool {
        let slot = self.slot(position);
        if slot == SPILLED {
            return self.add_spilled(position, number, covers);
        }
        // Comparing numbers is cheap, so that comes first.
        if unpacked(slot).any(|(known, _)| known == number) {
            return false;
        }
        let (mut kept, mut any_covered) = (0, false);
        for (known, pending) in unpacked(slot) {
            if covers(known, number) {
                return false;
            }
            if covers(number, known) {
                any_covered = true;
            } else {
                kept = with(kept, (known, pending)).unwrap_or(kept);
            }
        }
        let kept = if any_covered { kept } else { slot };
        let Some(after) = with(kept, (number, true)) else {
            self.spilled.insert(position as u32, unpacked(slot).collect());
            self.set(position, SPILLED);
            return self.add_spilled(position, number, covers);
        };
        self.set(position, after);
        self.added += 1;
        true
    }

    #[cold]
    fn add_spilled(
        &mut self,
        position: usize,
        number: MonitorId,
        mut covers: impl FnMut(MonitorId, MonitorId) -> bool,
    ) -> bool {
        let states = self.spilled.entry(position as u32).or_default();
        if states.iter().any(|&(known, _)| known == number) || states.iter().any(|&(known, _)| covers(known, number)) {
            return false;
        }
        states.retain(|&(known, _)| !covers(number, known));
        states.push((number, true));
        self.added += 1;
        self.spilled_since += 1;
        true
    }
}
