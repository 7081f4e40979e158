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

use crate::home::{ATOMIC, Home, MASK, READ, all_at_once, conflict, is_own, replaces};
use crate::stamps::{Stamp, StampTable, Sweep};
use crate::{Slot, ThreadClocks};
use std::sync::atomic::{AtomicU32, Ordering};

/// The shadow of eight bytes. All zero means that nobody has accessed them.
#[derive(Debug, Default)]
#[repr(C, align(16))]
pub struct Cells(pub [AtomicU32; 4]);

/// Whether an access reads or writes. A read-modify-write writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// It only reads.
    Read,
    /// It writes.
    Write,
}

/// What became of an access on the [short way](ThreadClocks::plain_alone).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alone {
    /// It was there already, or one that says as much.
    Known,
    /// It is there now, and it does not race.
    New,
    /// It must go the long way.
    No,
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

    /// Whether something was released since the last access, so that the next one is later than that: [`begin_plain`](Self::begin_plain).
    #[inline]
    pub fn has_released(&self) -> bool {
        self.stamp.is_closed()
    }

    /// Plain accesses from here on are later than all that was released.
    #[inline]
    pub fn begin_plain(&mut self) {
        self.open_round();
    }

    /// The short way of [`plain`](Self::plain): does the same if nothing was released since the last access and there is no race and room enough. Else it does nothing, and says so.
    #[inline]
    pub fn plain_alone(&self, cells: &Cells, table: &StampTable, mask: u8, direction: Direction) -> Alone {
        if self.stamp.is_closed() || !self.stamp.is_held() {
            return Alone::No;
        }
        let own = self.own(mask, direction, false);
        let values = cells.values();
        match all_at_once(values, own) {
            Home::Recorded => Alone::Known,
            Home::At(home, others) if self.are_ordered(values, others, table) => {
                cells.0[home].store(own, Ordering::Relaxed);
                Alone::New
            }
            _ => Alone::No,
        }
    }

    /// The same for sixteen bytes. Both halves mostly have the same history.
    #[inline]
    pub fn both_alone(&self, cells: &[Cells; 2], table: &StampTable, direction: Direction) -> Alone {
        if self.stamp.is_closed() || !self.stamp.is_held() {
            return Alone::No;
        }
        let values = cells[0].values();
        if values != cells[1].values() {
            return match (
                self.plain_alone(&cells[0], table, 0xff, direction),
                self.plain_alone(&cells[1], table, 0xff, direction),
            ) {
                (Alone::No, _) | (_, Alone::No) => Alone::No,
                (Alone::Known, Alone::Known) => Alone::Known,
                _ => Alone::New,
            };
        }
        let own = self.own(0xff, direction, false);
        match all_at_once(values, own) {
            Home::Recorded => Alone::Known,
            Home::At(home, others) if self.are_ordered(values, others, table) => {
                for half in cells {
                    half.0[home].store(own, Ordering::Relaxed);
                }
                Alone::New
            }
            _ => Alone::No,
        }
    }

    /// Whether all cells of a set were before what this thread does now.
    #[inline]
    fn are_ordered(&self, cells: [u32; 4], mut which: u8, table: &StampTable) -> bool {
        while which != 0 {
            if !self.is_ordered(cells[which.trailing_zeros() as usize % 4], table) {
                return false;
            }
            which &= which - 1;
        }
        true
    }

    #[inline]
    fn own(&self, mask: u8, direction: Direction, atomic: bool) -> u32 {
        let reading = if direction == Direction::Read { READ } else { 0 };
        u32::from(mask) | self.stamp.bits(atomic) | reading | if atomic { ATOMIC } else { 0 }
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
        let own = self.own(mask, direction, atomic);
        let values = cells.values();
        match all_at_once(values, own) {
            Home::Recorded => None,
            Home::At(home, others) if Stamp::is_valid(own) && self.are_ordered(values, others, table) => {
                cells.0[home].store(own, Ordering::Relaxed);
                None
            }
            _ => self.compare(cells, table, own),
        }
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
            let ordered = is_own(own, cell) || self.is_ordered(cell, table);
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

    #[inline]
    fn is_ordered(&self, cell: u32, table: &StampTable) -> bool {
        table.origin(cell).is_none_or(|(slot, round, _)| self.has_reached(slot, round))
    }

    #[inline]
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

impl Cells {
    /// All four. Each is read at once; together they need not be.
    #[cfg(target_arch = "x86_64")]
    #[allow(unsafe_code, reason = "the compiler knows no load of four atomics")]
    #[inline]
    fn values(&self) -> [u32; 4] {
        let cells: core::arch::x86_64::__m128i;
        // SAFETY: the cells are aligned to sixteen bytes, every x86_64 has this instruction, and what it reads are four integers.
        unsafe {
            core::arch::asm!(
                "movdqa {}, xmmword ptr [{}]", out(xmm_reg) cells, in(reg) self, options(nostack, readonly, preserves_flags)
            );
            core::mem::transmute(cells)
        }
    }

    /// All four, one after the other.
    #[cfg(not(target_arch = "x86_64"))]
    fn values(&self) -> [u32; 4] {
        [0, 1, 2, 3].map(|at: usize| self.0[at].load(Ordering::Relaxed))
    }

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
