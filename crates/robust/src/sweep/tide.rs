//! For every position, the columns that have arrived there, and which of them are still to be carried on.
//!
//! No column at a position covers another. Nearly all positions have three columns or fewer, and these fit a word; the others are in a table on the side.
//!
//! Every position has an owner, who alone reads and writes what is there. Whoever becomes the owner of a position gets a message about it, and the words need no other order.

use super::ahead;
use super::columns::Number;
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// A word for every position.
pub(crate) struct Slots(Vec<AtomicU64>);

impl Slots {
    pub(crate) fn new(positions: usize) -> Self {
        // Written once, so that no page is first read and only then written: that would be two faults, and all cores would have to hear of the second.
        Self((0..positions).map(|_| AtomicU64::new(0)).collect())
    }

    /// Back to the beginning.
    pub(crate) fn clear(&mut self) {
        self.0.iter_mut().for_each(|slot| *slot.get_mut() = 0);
    }

    pub(crate) fn bytes(&self) -> usize {
        self.0.len() * 8
    }
}

/// The columns at one position, and whether they are pending.
pub(super) type Spilled = Vec<(Number, bool)>;

/// What a worker has at its positions.
pub(super) struct Tide<'s> {
    slots: &'s Slots,
    spilled: FxHashMap<u32, Spilled>,
    /// How many columns were added since somebody asked, and how many of them were put on the side.
    added: u64,
    aside: u64,
}

/// A word that says: look at the side.
const SPILLED: u64 = 1 << 63;
/// How many columns fit a word: their numbers plus one, zero for none, and above them a bit for each that is pending.
const ROOM: u32 = 3;
const WIDTH: u32 = 20;
const NUMBERS: u64 = (1 << (ROOM * WIDTH)) - 1;
const MASK: u64 = (1 << WIDTH) - 1;

/// The columns in a word, and whether they are pending.
#[inline]
fn unpacked(slot: u64) -> impl Iterator<Item = (Number, bool)> {
    (0..ROOM).filter_map(move |at| {
        let number = slot >> (at * WIDTH) & MASK;
        (number != 0).then(|| (number as Number - 1, slot >> (ROOM * WIDTH + at) & 1 == 1))
    })
}

/// A word with one more column; none if there is no room.
#[inline]
fn with(slot: u64, (number, pending): (Number, bool)) -> Option<u64> {
    let at = (0..ROOM).find(|at| slot >> (at * WIDTH) & MASK == 0)?;
    let number = u64::from(number) + 1;
    (number <= MASK).then(|| slot | number << (at * WIDTH) | u64::from(pending) << (ROOM * WIDTH + at))
}

impl<'s> Tide<'s> {
    pub(super) fn new(slots: &'s Slots) -> Self {
        Self { slots, spilled: FxHashMap::default(), added: 0, aside: 0 }
    }

    #[inline]
    fn slot(&self, position: usize) -> u64 {
        self.slots.0[position].load(Relaxed)
    }

    #[inline]
    fn set(&self, position: usize, slot: u64) {
        self.slots.0[position].store(slot, Relaxed);
    }

    /// Gives up what is on the side for some positions.
    pub(super) fn hand_over(&mut self, positions: Range<usize>) -> Vec<(u32, Spilled)> {
        let spilled = positions.filter(|&position| self.slot(position) == SPILLED).map(|position| position as u32);
        let spilled: Vec<u32> = spilled.collect();
        spilled.into_iter().filter_map(|position| self.spilled.remove_entry(&position)).collect()
    }

    /// Takes what another worker has given up.
    pub(super) fn take_over(&mut self, spilled: Vec<(u32, Spilled)>) {
        self.spilled.extend(spilled);
    }

    /// The columns that were added since this was last asked.
    pub(super) fn added_since(&mut self) -> u64 {
        std::mem::take(&mut self.added)
    }

    /// The bytes of columns that were put on the side since this was last asked.
    pub(super) fn bytes_aside(&mut self) -> u64 {
        // A column and whether it is pending, with its share of the table.
        std::mem::take(&mut self.aside) * 16
    }

    /// Says that something will soon arrive at a position.
    #[inline]
    pub(super) fn expect(&self, position: usize) {
        ahead::fetch(&self.slots.0[position]);
    }

    /// What is pending.
    #[inline]
    pub(super) fn pending(&self, position: usize, with: impl FnMut(Number)) {
        let slot = self.slot(position);
        let pending = |(number, pending)| if pending { Some(number) } else { None };
        if slot == SPILLED {
            let columns = self.spilled.get(&(position as u32)).into_iter().flatten();
            columns.copied().filter_map(pending).for_each(with);
        } else {
            unpacked(slot).filter_map(pending).for_each(with);
        }
    }

    /// Takes what is pending.
    #[inline]
    pub(super) fn take(&mut self, position: usize, taken: &mut Vec<Number>) {
        let slot = self.slot(position);
        if slot & !NUMBERS == 0 {
            return;
        }
        if slot == SPILLED {
            let columns = self.spilled.entry(position as u32).or_default().iter_mut();
            taken.extend(columns.filter_map(|(number, pending)| std::mem::take(pending).then_some(*number)));
            return;
        }
        self.set(position, slot & NUMBERS);
        taken.extend(unpacked(slot).filter(|(_, pending)| *pending).map(|(number, _)| number));
    }

    /// Adds a pending column, unless it is covered. Returns whether it was added.
    #[inline]
    pub(super) fn add(
        &mut self,
        position: usize,
        number: Number,
        mut covers: impl FnMut(Number, Number) -> bool,
    ) -> bool {
        let slot = self.slot(position);
        if slot == SPILLED {
            return self.add_aside(position, number, covers);
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
            return self.add_aside(position, number, covers);
        };
        self.set(position, after);
        self.added += 1;
        true
    }

    #[cold]
    fn add_aside(&mut self, position: usize, number: Number, mut covers: impl FnMut(Number, Number) -> bool) -> bool {
        let columns = self.spilled.entry(position as u32).or_default();
        if columns.iter().any(|&(known, _)| known == number) || columns.iter().any(|&(known, _)| covers(known, number))
        {
            return false;
        }
        columns.retain(|&(known, _)| !covers(number, known));
        columns.push((number, true));
        self.added += 1;
        self.aside += 1;
        true
    }
}
