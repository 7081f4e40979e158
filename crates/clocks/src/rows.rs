//! The clocks of one location, in one piece of memory.

use crate::body::{Body, Shape};
use crate::clock::{self, Clock, LANE, Lane};
use crate::{Epoch, Slot};
use std::ops::Range;

/// The clocks of a location. Those that a load needs come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Row {
    /// By thread, the moment from which on others know of its last read.
    ReadAt,
    /// What came before any access under SC: M\_SC.
    ByAccess,
    /// What came before the newest write under SC: W\_SC.
    ByWrite,
    /// What an acquiring read of the newest write learns: W.
    Released,
    /// T\_f of the threads that accessed it: M\_f.
    FenceByAccess,
    /// M\_f at the newest write: W\_f.
    FenceByWrite,
    /// T\_f, as released by the newest write.
    FenceReleased,
    /// X, as released by the newest write.
    PendingReleased,
    /// W\_SC, for `seq_cst` accesses alone.
    ScByWrite,
    /// M\_SC, for `seq_cst` accesses alone.
    ScByAccess,
}

impl Row {
    /// The rows that limit what can be read or can race: a thread that learns from them has fewer reports. The other rows say what came before, and lead to more reports.
    pub(crate) const LIMITS: [Self; 7] = [
        Self::Released,
        Self::FenceByAccess,
        Self::FenceByWrite,
        Self::FenceReleased,
        Self::PendingReleased,
        Self::ScByWrite,
        Self::ScByAccess,
    ];
}

/// How many rows every location has. The rows of `seq_cst` fences, and then all others, are added when they are needed.
pub(crate) const ALWAYS: usize = 4;
pub(crate) const WITH_FENCES: usize = 8;
const ALL: usize = 10;

/// A matrix with a row per clock. Rows and columns that were never used do not exist.
impl Body {
    /// Whether there may be rows about fences.
    #[inline]
    pub(crate) fn has_fences(&self) -> bool {
        self.fences
    }

    /// The lanes of a row, whether it exists or not.
    #[inline]
    fn span(&self, row: Row) -> Range<usize> {
        row as usize * self.width()..(row as usize + 1) * self.width()
    }

    #[inline]
    pub(crate) fn get(&self, row: Row) -> &[Lane] {
        if row as usize >= self.row_count() {
            return &[];
        }
        self.lanes.get(self.span(row)).unwrap_or(&[])
    }

    /// One entry.
    #[inline]
    pub(crate) fn entry(&self, row: Row, slot: Slot) -> Epoch {
        clock::entry(self.get(row), slot)
    }

    /// Changes an entry of a row, and creates the row if necessary. Does nothing if the rows are too short.
    #[inline]
    pub(crate) fn set(&mut self, row: Row, slot: Slot, epoch: Epoch) {
        if let Some(lane) = self.reserve(row, 0).get_mut(slot.index() / LANE) {
            lane[slot.index() % LANE] = epoch.0;
        }
    }

    /// Changes an entry of a row, and creates the row and the entry if necessary.
    #[inline]
    pub(crate) fn set_wide(&mut self, row: Row, slot: Slot, epoch: Epoch) {
        let lane = slot.index() / LANE;
        self.reserve(row, lane + 1)[lane][slot.index() % LANE] = epoch.0;
    }

    /// Makes an entry later, and creates the row if necessary. Does nothing if the rows are too short.
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
        // A row that does not exist is empty.
        if !clock.is_empty() || !self.get(row).is_empty() {
            clock::assign(self.reserve(row, clock.lanes().len()), clock.lanes());
        }
    }

    /// Copies a row of another location.
    pub(crate) fn copy(&mut self, row: Row, from: &Self) {
        let lanes = from.get(row);
        if !lanes.is_empty() {
            clock::assign(self.reserve(row, lanes.len()), lanes);
        }
    }

    /// Adds the fences of a writing thread to those of the threads that accessed the location, and gives the write the same. Returns whether the latter knew more than the thread.
    pub(crate) fn order_fences(&mut self, fenced: &Clock) -> bool {
        self.reserve(Row::FenceByWrite, fenced.lanes().len());
        let width = self.width();
        let pair = &mut self.lanes[Row::FenceByAccess as usize * width..(Row::FenceByWrite as usize + 1) * width];
        let (by_access, by_write) = pair.split_at_mut(width);
        clock::join_twice(by_access, by_write, fenced.lanes())
    }

    /// A row. It exists then, with at least this many lanes.
    #[inline]
    fn reserve(&mut self, row: Row, lanes: usize) -> &mut [Lane] {
        if lanes > self.width() || row as usize >= self.row_count() {
            self.widen(row, lanes);
        }
        self.fences |= (ALWAYS..WITH_FENCES).contains(&(row as usize));
        let span = self.span(row);
        &mut self.lanes[span]
    }

    /// Adds rows up to this one, and makes all of them longer, but only as long as necessary: clocks that learn from them become as long.
    #[cold]
    fn widen(&mut self, row: Row, lanes: usize) {
        let needed = [ALWAYS, WITH_FENCES, ALL].into_iter().find(|&rows| rows > row as usize).unwrap_or(ALL);
        let old = self.shape();
        self.reshape(Shape { rows: needed.max(old.rows), width: lanes.max(old.width), ..old });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lane(first: [u32; 4]) -> Lane {
        std::array::from_fn(|at| first.get(at).copied().unwrap_or(0))
    }

    fn clock(lanes: &[[u32; 4]]) -> Clock {
        let lanes: Vec<_> = lanes.iter().copied().map(lane).collect();
        let mut clock = Clock::default();
        clock.assign(&lanes);
        clock
    }

    #[test]
    fn rows_keep_their_entries_when_they_grow() {
        let mut rows = Body::new();
        assert!(rows.get(Row::ScByAccess).is_empty());
        rows.assign(Row::ByWrite, &clock(&[[1, 2, 0, 0]]));
        rows.join(Row::ScByAccess, &clock(&[[7, 0, 0, 0]]));
        rows.join(Row::ByAccess, &clock(&[[0; 4], [5, 0, 0, 0]]));
        assert_eq!(rows.get(Row::ByWrite), [lane([1, 2, 0, 0]), lane([0; 4])]);
        assert_eq!(rows.entry(Row::ByAccess, Slot(8)), Epoch(5));
        assert_eq!(rows.entry(Row::ScByAccess, Slot(0)), Epoch(7));
        assert_eq!(rows.entry(Row::ScByAccess, Slot(8)), Epoch(0));
        assert!(!rows.has_fences());
        rows.join(Row::FenceByAccess, &clock(&[[0, 0, 0, 4]]));
        assert!(rows.order_fences(&clock(&[[1, 0, 0, 3]])) && !rows.order_fences(&clock(&[[1, 0, 0, 5]])));
        rows.assign(Row::ByWrite, &clock(&[]));
        assert!(rows.has_fences());
        assert_eq!(rows.get(Row::FenceByAccess), [lane([1, 0, 0, 5]), lane([0; 4])]);
        assert_eq!(rows.entry(Row::FenceByWrite, Slot(3)), Epoch(5));
        assert_eq!(rows.entry(Row::ByWrite, Slot(1)), Epoch(0));
    }

    #[test]
    fn a_row_comes_with_its_first_entry() {
        let mut rows = Body::new();
        rows.raise(Row::FenceByAccess, Slot(2), Epoch(3));
        assert_eq!((rows.entry(Row::FenceByAccess, Slot(2)), rows.has_fences()), (Epoch(3), true));
        rows.set_wide(Row::ReadAt, Slot(20), Epoch(4));
        assert_eq!(rows.entry(Row::ReadAt, Slot(20)), Epoch(4));
        assert_eq!(rows.entry(Row::FenceByAccess, Slot(2)), Epoch(3));
    }
}
