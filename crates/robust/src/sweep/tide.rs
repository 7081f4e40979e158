//! For every position of a flow, the columns that have arrived there, and which of them are still to be carried on.
//!
//! No column at a position covers another. Nearly all positions have three columns or fewer, and these fit a word, which several workers can change without locks;
//! the others are in tables on the side.

use super::columns::Number;
use rustc_hash::FxHashMap;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::{Relaxed, SeqCst};
use std::sync::{Mutex, MutexGuard};

/// The sets. In its methods, `SHARED` says whether there are several workers.
pub(crate) struct Tide {
    slots: Vec<AtomicU64>,
    spilled: Vec<Mutex<Spilled>>,
    /// How many columns were put on the side since somebody asked.
    aside: AtomicU64,
}

/// Columns, and whether they are pending.
type Spilled = FxHashMap<u32, Vec<(Number, bool)>>;

/// A word that says: look at the side.
const SPILLED: u64 = 1 << 63;
/// How many columns fit a word: their numbers plus one, zero for none, and above them a bit for each that is pending.
const ROOM: u32 = 3;
const WIDTH: u32 = 20;
const NUMBERS: u64 = (1 << (ROOM * WIDTH)) - 1;
const MASK: u64 = (1 << WIDTH) - 1;
const TABLES: usize = 64;

/// The columns in a word.
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

impl Tide {
    pub(crate) fn new(positions: usize) -> Self {
        let slots = (0..positions).map(|_| AtomicU64::new(0)).collect();
        Self { slots, spilled: (0..TABLES).map(|_| Mutex::default()).collect(), aside: AtomicU64::new(0) }
    }

    /// Back to the beginning.
    pub(crate) fn clear(&mut self) {
        self.slots.iter_mut().for_each(|slot| *slot.get_mut() = 0);
        self.spilled.iter_mut().for_each(|table| *table = Mutex::default());
    }

    pub(crate) fn bytes(&self) -> usize {
        self.slots.len() * 8
    }

    /// The bytes of columns that were put on the side since this was last asked.
    pub(super) fn bytes_aside(&self) -> u64 {
        // A column and whether it is pending, with its share of the table.
        self.aside.swap(0, Relaxed) * 16
    }

    fn table(&self, position: usize) -> MutexGuard<'_, Spilled> {
        self.spilled[position % TABLES].lock().expect("no panic while locked")
    }

    #[inline]
    fn load<const SHARED: bool>(&self, position: usize) -> u64 {
        self.slots[position].load(if SHARED { SeqCst } else { Relaxed })
    }

    /// Replaces a word, unless somebody else was faster.
    #[inline]
    fn replace<const SHARED: bool>(&self, position: usize, before: u64, after: u64) -> bool {
        if SHARED {
            return self.slots[position].compare_exchange(before, after, SeqCst, SeqCst).is_ok();
        }
        self.slots[position].store(after, Relaxed);
        true
    }

    /// Takes what is pending.
    #[inline]
    pub(super) fn take<const SHARED: bool>(&self, position: usize, taken: &mut Vec<Number>) {
        loop {
            let slot = self.load::<SHARED>(position);
            if slot & !NUMBERS == 0 {
                return;
            }
            if slot == SPILLED {
                let mut table = self.table(position);
                let columns = table.entry(position as u32).or_default();
                taken.extend(
                    columns.iter_mut().filter_map(|(number, pending)| std::mem::take(pending).then_some(*number)),
                );
                return;
            }
            if self.replace::<SHARED>(position, slot, slot & NUMBERS) {
                taken.extend(unpacked(slot).filter(|(_, pending)| *pending).map(|(number, _)| number));
                return;
            }
        }
    }

    /// Adds a pending column, unless it is covered. Returns whether it was added.
    #[inline]
    pub(super) fn add<const SHARED: bool>(
        &self,
        position: usize,
        number: Number,
        mut covers: impl FnMut(Number, Number) -> bool,
    ) -> bool {
        loop {
            let slot = self.load::<SHARED>(position);
            if slot == SPILLED {
                let mut table = self.table(position);
                let added = add_to(table.entry(position as u32).or_default(), number, covers);
                self.aside.fetch_add(u64::from(added), Relaxed);
                return added;
            }
            let (mut after, mut any_covered) = (0, false);
            for (known, pending) in unpacked(slot) {
                if known == number || covers(known, number) {
                    return false;
                }
                if covers(number, known) {
                    any_covered = true;
                } else {
                    after = with(after, (known, pending)).unwrap_or(after);
                }
            }
            let kept = if any_covered { after } else { slot };
            match with(kept, (number, true)) {
                Some(after) if self.replace::<SHARED>(position, slot, after) => return true,
                Some(_) => {}
                None => self.spill::<SHARED>(position, slot),
            }
        }
    }

    /// Moves the columns of a position to the side, unless somebody else has changed them.
    #[cold]
    fn spill<const SHARED: bool>(&self, position: usize, slot: u64) {
        let mut table = self.table(position);
        if self.replace::<SHARED>(position, slot, SPILLED) {
            table.insert(position as u32, unpacked(slot).collect());
        }
    }
}

fn add_to(columns: &mut Vec<(Number, bool)>, number: Number, mut covers: impl FnMut(Number, Number) -> bool) -> bool {
    if columns.iter().any(|&(known, _)| known == number || covers(known, number)) {
        return false;
    }
    columns.retain(|&(known, _)| !covers(number, known));
    columns.push((number, true));
    true
}
