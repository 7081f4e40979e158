//! The clocks of one location, side by side in one piece of memory.

use crate::clock::{self, Clock, Lane};
use crate::{Epoch, Slot};

/// Which clock of a location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Row {
    /// What an acquiring read of the newest write learns: W.
    Released,
    /// What came before the newest write under SC: W\_SC.
    ByWrite,
    /// What came before any access under SC: M\_SC.
    ByAccess,
    /// W\_SC, for `seq_cst` accesses alone.
    ScByWrite,
    /// M\_SC, for `seq_cst` accesses alone.
    ScByAccess,
    /// T\_f, as released by the newest write.
    FenceReleased,
    /// X, as released by the newest write.
    PendingReleased,
    /// T\_f of those who accessed it: M\_f.
    FenceByAccess,
    /// M\_f at the newest write: W\_f.
    FenceByWrite,
}

/// How many rows every location has. The others come in groups, when one of the group is needed: those of `seq_cst` accesses, and those of `seq_cst` fences.
const ALWAYS: usize = 3;
const OF_ACCESSES: usize = 2;
const OF_FENCES: usize = 4;

/// A matrix with a row per clock. Rows and columns that were never used do not exist.
#[derive(Clone, Debug, Default)]
#[repr(C)]
pub(crate) struct Rows {
    /// How many lanes a row has; at least one.
    more_lanes: u32,
    /// The number of the first row of each group; zero if there is none.
    accesses: u8,
    fences: u8,
    /// The first rows while one lane is enough: most locations are all here.
    narrow: [Lane; ALWAYS],
    /// The other rows, or all of them.
    wide: Vec<Lane>,
}

impl Rows {
    /// Whether there may be a row about fences.
    #[inline]
    pub(crate) fn has_fences(&self) -> bool {
        self.fences != 0
    }

    #[inline]
    fn width(&self) -> usize {
        self.more_lanes as usize + 1
    }

    /// The number of a row, if it exists.
    #[inline]
    fn number(&self, row: Row) -> Option<usize> {
        let row = row as usize;
        let (group, first) = if row < ALWAYS {
            return Some(row);
        } else if row < ALWAYS + OF_ACCESSES {
            (self.accesses, ALWAYS)
        } else {
            (self.fences, ALWAYS + OF_ACCESSES)
        };
        (group != 0).then(|| usize::from(group) + row - first)
    }

    /// Where a row is outside of the narrow ones.
    #[inline]
    fn start(&self, number: usize) -> usize {
        if self.more_lanes == 0 { number.wrapping_sub(ALWAYS) } else { number * self.width() }
    }

    #[inline]
    fn is_narrow(&self, number: usize) -> bool {
        self.more_lanes == 0 && number < ALWAYS
    }

    #[inline]
    pub(crate) fn get(&self, row: Row) -> &[Lane] {
        let Some(number) = self.number(row) else { return &[] };
        if self.is_narrow(number) {
            return &self.narrow[number..=number];
        }
        let start = self.start(number);
        self.wide.get(start..start + self.width()).unwrap_or(&[])
    }

    /// Asks for the beginnings of all rows that are elsewhere. They are needed soon, and all of them at once are here as soon as one.
    #[inline]
    pub(crate) fn fetch_soon(&self) {
        if self.more_lanes != 0 {
            self.wide.chunks(self.width()).for_each(|row| crate::fetch::soon(&row[0]));
        }
    }

    /// How much memory it takes elsewhere.
    pub(crate) fn heap_size(&self) -> usize {
        self.wide.capacity() * size_of::<Lane>()
    }

    /// One entry.
    #[inline]
    pub(crate) fn entry(&self, row: Row, slot: Slot) -> Epoch {
        clock::entry(self.get(row), slot)
    }

    /// Changes one entry of a row that exists and has it.
    #[inline]
    pub(crate) fn set(&mut self, row: Row, slot: Slot, epoch: Epoch) {
        clock::set_entry(self.reserve(row, 0), slot, epoch);
    }

    /// Makes one entry later, of a row that has it.
    #[inline]
    pub(crate) fn raise(&mut self, row: Row, slot: Slot, epoch: Epoch) {
        if self.entry(row, slot) < epoch {
            self.set(row, slot, epoch);
        }
    }

    #[inline]
    pub(crate) fn join(&mut self, row: Row, clock: &Clock) {
        if !clock.is_empty() {
            clock::join(self.reserve(row, clock.lanes().len()), clock.lanes());
        }
    }

    #[inline]
    pub(crate) fn assign(&mut self, row: Row, clock: &Clock) {
        // What is not there knows nothing.
        if !clock.is_empty() || !self.get(row).is_empty() {
            clock::assign(self.reserve(row, clock.lanes().len()), clock.lanes());
        }
    }

    /// Makes one row equal to another of the same group.
    pub(crate) fn copy(&mut self, from: Row, to: Row) {
        let (Some(from), Some(to)) = (self.number(from), self.number(to)) else { return };
        let (from, to, width) = (self.start(from), self.start(to), self.width());
        if from.max(to) + width <= self.wide.len() {
            // Not by `copy_within`: in the runtime that would be the function which copies for the program.
            (0..width).for_each(|lane| self.wide[to + lane] = self.wide[from + lane]);
        }
    }

    /// The row, which now exists and has at least that many lanes.
    #[inline]
    fn reserve(&mut self, row: Row, lanes: usize) -> &mut [Lane] {
        if lanes > self.width() {
            self.widen(lanes);
        }
        let number = self.number(row).unwrap_or_else(|| self.add_rows(row));
        if self.is_narrow(number) {
            return &mut self.narrow[number..=number];
        }
        let (start, width) = (self.start(number), self.width());
        &mut self.wide[start..start + width]
    }

    /// Adds the group of a row. Returns the number of the row.
    #[cold]
    fn add_rows(&mut self, row: Row) -> usize {
        let of_accesses = (row as usize) < ALWAYS + OF_ACCESSES;
        let others = if of_accesses {
            OF_FENCES * usize::from(self.fences != 0)
        } else {
            OF_ACCESSES * usize::from(self.accesses != 0)
        };
        let first = ALWAYS + others;
        let (group, rows) = if of_accesses { (&mut self.accesses, OF_ACCESSES) } else { (&mut self.fences, OF_FENCES) };
        *group = first as u8;
        let end = self.start(first + rows);
        self.wide.reserve_exact(end.saturating_sub(self.wide.len()));
        self.wide.resize(end, [0; 4]);
        self.number(row).unwrap_or(0)
    }

    /// Makes rows longer, and no longer than asked: clocks that learn from them become as long.
    #[cold]
    fn widen(&mut self, lanes: usize) {
        let narrow = if self.more_lanes == 0 { &self.narrow[..] } else { &[] };
        let old = self.width();
        let rows = (narrow.len() + self.wide.len()) / old;
        let mut wide = Vec::with_capacity(rows * lanes);
        for row in narrow.chunks(old).chain(self.wide.chunks(old)) {
            wide.extend_from_slice(row);
            wide.resize(wide.len() + lanes - old, [0; 4]);
        }
        (self.more_lanes, self.wide) = (lanes as u32 - 1, wide);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(lanes: &[Lane]) -> Clock {
        let mut clock = Clock::default();
        clock.assign(lanes);
        clock
    }

    #[test]
    fn rows_keep_their_entries_when_they_grow() {
        let mut rows = Rows::default();
        assert!(rows.get(Row::ScByAccess).is_empty());
        rows.assign(Row::ByWrite, &clock(&[[1, 2, 0, 0]]));
        rows.join(Row::ScByAccess, &clock(&[[7, 0, 0, 0]]));
        rows.join(Row::ByAccess, &clock(&[[0; 4], [5, 0, 0, 0]]));
        assert_eq!(rows.get(Row::ByWrite), [[1, 2, 0, 0], [0; 4]]);
        assert_eq!(rows.entry(Row::ByAccess, Slot(4)), Epoch(5));
        assert_eq!(rows.entry(Row::ScByAccess, Slot(0)), Epoch(7));
        assert_eq!(rows.entry(Row::ScByAccess, Slot(4)), Epoch(0));
        assert!(!rows.has_fences());
        rows.join(Row::FenceByAccess, &clock(&[[0, 0, 0, 4]]));
        rows.copy(Row::FenceByAccess, Row::FenceByWrite);
        rows.assign(Row::ByWrite, &clock(&[]));
        assert!(rows.has_fences());
        assert_eq!(rows.entry(Row::FenceByWrite, Slot(3)), Epoch(4));
        assert_eq!(rows.entry(Row::ByWrite, Slot(1)), Epoch(0));
    }
}
