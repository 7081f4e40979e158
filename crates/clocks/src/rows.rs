//! The clocks of one location, side by side in one piece of memory.

use crate::clock::{Clock, join};
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

/// A matrix with a row per clock. Rows and columns that were never used do not exist.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rows {
    width: usize,
    cells: Vec<u64>,
}

const COLUMNS: usize = 4;

impl Rows {
    #[inline]
    pub(crate) fn get(&self, row: Row) -> &[u64] {
        let start = row as usize * self.width;
        self.cells.get(start..start + self.width).unwrap_or(&[])
    }

    /// One entry.
    #[inline]
    pub(crate) fn entry(&self, row: Row, slot: Slot) -> Epoch {
        Epoch(self.get(row).get(slot.index()).copied().unwrap_or(0))
    }

    #[inline]
    pub(crate) fn join(&mut self, row: Row, clock: &Clock) {
        if !clock.is_empty() {
            join(self.reserve(row, clock.entries().len()), clock.entries());
        }
    }

    #[inline]
    pub(crate) fn assign(&mut self, row: Row, clock: &Clock) {
        if clock.is_empty() {
            return self.clear(row);
        }
        let (known, unknown) = self.reserve(row, clock.entries().len()).split_at_mut(clock.entries().len());
        known.copy_from_slice(clock.entries());
        unknown.fill(0);
    }

    #[inline]
    pub(crate) fn clear(&mut self, row: Row) {
        let start = row as usize * self.width;
        if let Some(cells) = self.cells.get_mut(start..start + self.width) {
            cells.fill(0);
        }
    }

    /// Makes one row equal to another.
    pub(crate) fn copy(&mut self, from: Row, to: Row) {
        if self.get(from).is_empty() {
            return self.clear(to);
        }
        self.reserve(to, self.width);
        let (from, to) = (from as usize * self.width, to as usize * self.width);
        self.cells.copy_within(from..from + self.width, to);
    }

    /// The row, which now exists and has at least that many columns.
    #[inline]
    fn reserve(&mut self, row: Row, columns: usize) -> &mut [u64] {
        if columns > self.width {
            self.widen(columns.next_multiple_of(COLUMNS));
        }
        let end = (row as usize + 1) * self.width;
        if end > self.cells.len() {
            self.cells.resize(end, 0);
        }
        &mut self.cells[end - self.width..end]
    }

    #[cold]
    fn widen(&mut self, width: usize) {
        let mut cells = Vec::new();
        for row in self.cells.chunks_exact(self.width.max(1)) {
            cells.extend_from_slice(row);
            cells.resize(cells.len() + width - self.width, 0);
        }
        (self.width, self.cells) = (width, cells);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(entries: &[u64]) -> Clock {
        let mut clock = Clock::default();
        clock.assign(entries);
        clock
    }

    #[test]
    fn rows_keep_their_entries_when_they_grow() {
        let mut rows = Rows::default();
        assert!(rows.get(Row::ByAccess).is_empty());
        rows.assign(Row::ByWrite, &clock(&[1, 2]));
        rows.join(Row::ByAccess, &clock(&[0, 0, 0, 0, 5]));
        assert_eq!(rows.get(Row::ByWrite)[..5], [1, 2, 0, 0, 0]);
        assert_eq!(rows.entry(Row::ByAccess, Slot(4)), Epoch(5));
        assert_eq!(rows.entry(Row::ScByAccess, Slot(4)), Epoch(0));
        rows.copy(Row::ByWrite, Row::FenceByWrite);
        rows.clear(Row::ByWrite);
        assert_eq!(rows.entry(Row::FenceByWrite, Slot(1)), Epoch(2));
        assert_eq!(rows.entry(Row::ByWrite, Slot(1)), Epoch(0));
    }
}
