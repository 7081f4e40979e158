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

/// How many rows every location has.
const ALWAYS: usize = 3;

/// A matrix with a row per clock. Rows and columns that were never used do not exist.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rows {
    /// How many lanes a row has; at least one.
    more_lanes: u32,
    /// invariant: false only if there is no row about fences.
    pub(crate) fences: bool,
    /// The first rows while one lane is enough: most locations are all here.
    narrow: [Lane; ALWAYS],
    /// The other rows, or all of them.
    wide: Vec<Lane>,
}

impl Rows {
    #[inline]
    fn width(&self) -> usize {
        self.more_lanes as usize + 1
    }

    /// Where a row is outside of the narrow ones.
    #[inline]
    fn start(&self, row: Row) -> usize {
        if self.more_lanes == 0 { (row as usize).wrapping_sub(ALWAYS) } else { row as usize * self.width() }
    }

    #[inline]
    fn is_narrow(&self, row: Row) -> bool {
        self.more_lanes == 0 && (row as usize) < ALWAYS
    }

    #[inline]
    pub(crate) fn get(&self, row: Row) -> &[Lane] {
        if self.is_narrow(row) {
            return &self.narrow[row as usize..=row as usize];
        }
        let start = self.start(row);
        self.wide.get(start..start + self.width()).unwrap_or(&[])
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

    /// Makes one row equal to another that is at least as old.
    pub(crate) fn copy(&mut self, from: Row, to: Row) {
        if self.get(from).is_empty() {
            return;
        }
        self.reserve(to, 0);
        let (from, to, width) = (self.start(from), self.start(to), self.width());
        if to + width <= self.wide.len() {
            self.wide.copy_within(from..from + width, to);
        }
    }

    /// The row, which now exists and has at least that many lanes.
    #[inline]
    fn reserve(&mut self, row: Row, lanes: usize) -> &mut [Lane] {
        if lanes > self.width() {
            self.widen(lanes);
        }
        if self.is_narrow(row) {
            return &mut self.narrow[row as usize..=row as usize];
        }
        let (start, width) = (self.start(row), self.width());
        if start + width > self.wide.len() {
            self.add_rows(row);
        }
        &mut self.wide[start..start + width]
    }

    #[cold]
    fn add_rows(&mut self, row: Row) {
        self.fences |= row as usize >= Row::FenceReleased as usize;
        let last = if self.fences { Row::FenceByWrite } else { Row::ScByAccess };
        let end = self.start(last) + self.width();
        self.wide.reserve_exact(end.saturating_sub(self.wide.len()));
        self.wide.resize(end, [0; 4]);
    }

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
        assert!(!rows.fences);
        rows.join(Row::FenceByAccess, &clock(&[[0, 0, 0, 4]]));
        rows.copy(Row::FenceByAccess, Row::FenceByWrite);
        rows.assign(Row::ByWrite, &clock(&[]));
        assert!(rows.fences);
        assert_eq!(rows.entry(Row::FenceByWrite, Slot(3)), Epoch(4));
        assert_eq!(rows.entry(Row::ByWrite, Slot(1)), Epoch(0));
    }
}
