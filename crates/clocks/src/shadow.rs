//! Races: four shadow cells for every eight bytes, as in the third version of `ThreadSanitizer`, tested against RC20's happens-before (`RSan`, appendix B).
//!
//! A cell holds, from the lowest bit: which of the eight bytes (8 bits), the stamp (8 bits for its number, 14 for its tick), whether it was a read (1) and whether it was atomic (1). The
//! stamp leads to a slot and a round ([`StampTable`]), and an access is ordered before the next one of a thread if the thread's clock has reached that round.
//!
//! # Guarantee
//! What is reported is a race. A race is missed only if its first access was pushed out of the four cells, or made by a thread without a stamp, or if two threads change the
//! same cells at the same time.
//!
//! Deviation from `ThreadSanitizer`: a cell whose races would all be found with the new access as well is the first to go, so that four cells last long.

use crate::stamps::{NUMBER_MASK, Stamp, StampTable, Sweep};
use crate::{Slot, ThreadClocks};
use std::sync::atomic::{AtomicU32, Ordering};

/// The shadow of eight bytes. All zero means that nobody has accessed them.
#[derive(Debug, Default)]
#[repr(C, align(16))]
pub struct Cells(pub [AtomicU32; 4]);

const READ: u32 = 1 << 30;
const ATOMIC: u32 = 1 << 31;
const MASK: u32 = 0xff;

/// Whether an access reads or writes. A read-modify-write writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// It only reads.
    Read,
    /// It writes.
    Write,
}

/// The earlier access of a race.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Race {
    /// Who made it.
    pub slot: Slot,
    /// In which round; [`Epoch`](crate::Epoch)s of that round begin with this number.
    pub round: u64,
    /// Which of the eight bytes it accessed.
    pub mask: u8,
    /// Whether it read or wrote.
    pub direction: Direction,
    /// Whether it was atomic.
    pub atomic: bool,
}

impl ThreadClocks {
    /// A plain access to the bytes in `mask`. Checks it against what others did there and remembers it.
    #[inline]
    pub fn plain(&mut self, cells: &Cells, table: &StampTable, mask: u8, direction: Direction) -> Option<Race> {
        self.open_round();
        self.shadow(cells, table, mask, direction, false)
    }

    /// The shadow of the atomic access that the thread has just made. The location stays locked until after this.
    #[inline]
    pub fn atomic(&mut self, cells: &Cells, table: &StampTable, mask: u8, direction: Direction) -> Option<Race> {
        self.shadow(cells, table, mask, direction, true)
    }

    /// Whether this very plain access, or one that says as much, is already in the cells and nothing was released since: then [`plain`](Self::plain) would change nothing.
    #[inline]
    pub fn has_recorded(&self, cells: &Cells, mask: u8, direction: Direction) -> bool {
        let reading = if direction == Direction::Read { READ } else { 0 };
        let own = u32::from(mask) | self.stamp.bits(false) | reading;
        !self.stamp.is_closed() && cells.0.iter().any(|cell| (cell.load(Ordering::Relaxed) ^ own) & !reading == 0)
    }

    #[inline]
    fn shadow(
        &mut self,
        cells: &Cells,
        table: &StampTable,
        mask: u8,
        direction: Direction,
        atomic: bool,
    ) -> Option<Race> {
        let reading = if direction == Direction::Read { READ } else { 0 };
        let own = u32::from(mask) | self.stamp.bits(atomic) | reading | if atomic { ATOMIC } else { 0 };
        // A read is already there if the same write is.
        let recorded = |cell: &AtomicU32| (cell.load(Ordering::Relaxed) ^ own) & !reading == 0;
        if cells.0.iter().any(recorded) {
            return None;
        }
        self.compare(cells, table, own)
    }

    #[inline(never)]
    fn compare(&mut self, cells: &Cells, table: &StampTable, own: u32) -> Option<Race> {
        let mut home = None;
        let mut race = None;
        for (at, place) in cells.0.iter().enumerate() {
            let cell = place.load(Ordering::Relaxed);
            if cell & MASK == 0 {
                home = home.or(Some(at));
                continue;
            }
            // A cell with the same number is our own, or of an earlier borrower, whose cells are not looked at any more.
            let ordered = (cell ^ own) & NUMBER_MASK == 0 || self.is_ordered(cell, table);
            if ordered && replaces(own, cell) {
                match home {
                    None => home = Some(at),
                    Some(_) => place.store(0, Ordering::Relaxed),
                }
            } else if !ordered && conflict(own, cell) {
                race = race.or_else(|| self.confirm(place, table, own));
            }
        }
        if Stamp::is_valid(own) {
            let home = home.unwrap_or_else(|| self.stamp.pick_victim());
            cells.0[home].store(own, Ordering::Relaxed);
        }
        race
    }

    fn is_ordered(&self, cell: u32, table: &StampTable) -> bool {
        table.origin(cell).is_none_or(|(slot, round, _)| self.has_reached(slot, round))
    }

    fn has_reached(&self, slot: Slot, round: u64) -> bool {
        slot == self.slot || self.hb.current.get(slot).round() >= round
    }

    /// Looks again, so that a cell is not taken for one of a later owner of its number.
    #[cold]
    fn confirm(&self, place: &AtomicU32, table: &StampTable, own: u32) -> Option<Race> {
        let (_, _, owner) = table.origin(place.load(Ordering::Acquire))?;
        let cell = place.load(Ordering::Acquire);
        let (slot, round, same) = table.origin(cell)?;
        if cell & MASK == 0 || owner != same || self.has_reached(slot, round) || !conflict(own, cell) {
            return None;
        }
        Some(Race {
            slot,
            round,
            mask: cell as u8,
            direction: if cell & READ != 0 { Direction::Read } else { Direction::Write },
            atomic: cell & ATOMIC != 0,
        })
    }
}

/// Whether the two race unless they are ordered.
fn conflict(own: u32, cell: u32) -> bool {
    own & cell & (READ | ATOMIC) == 0 && own & cell & MASK != 0
}

/// Whether everything that conflicts with the cell conflicts with the new access, too.
fn replaces(own: u32, cell: u32) -> bool {
    cell & MASK & !own == 0 && own & !cell & (READ | ATOMIC) == 0
}

impl Cells {
    /// Forgets all accesses, as when memory is freed and used again.
    pub fn clear(&self) {
        self.0.iter().for_each(|cell| cell.store(0, Ordering::Relaxed));
    }

    /// Removes the cells whose numbers are being swept.
    pub fn sweep(&self, sweep: &Sweep) {
        for place in &self.0 {
            let cell = place.load(Ordering::Relaxed);
            if sweep.removes(cell) {
                // If somebody has just put another one there, it is not ours to remove.
                let _ = place.compare_exchange(cell, 0, Ordering::Release, Ordering::Relaxed);
            }
        }
    }
}
