//! The clocks of one location, side by side in one piece of memory.

use crate::clock::{self, Clock, LANE, Lane};
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
    /// When a thread last read it: what others must know of the thread to know that.
    ReadAt,
    /// T\_f, as released by the newest write.
    FenceReleased,
    /// X, as released by the newest write.
    PendingReleased,
    /// T\_f of those who accessed it: M\_f.
    FenceByAccess,
    /// M\_f at the newest write: W\_f.
    FenceByWrite,
    /// W\_SC, for `seq_cst` accesses alone.
    ScByWrite,
    /// M\_SC, for `seq_cst` accesses alone.
    ScByAccess,
}

/// How many rows every location has. The others come when they are needed: those of `seq_cst` fences, and then all.
const ALWAYS: usize = 4;
const WITH_FENCES: usize = 8;
const ALL: usize = 10;

/// A matrix with a row per clock. Rows and columns that were never used do not exist.
#[derive(Clone, Debug)]
#[repr(C)]
pub(crate) struct Rows {
    /// How many lanes a row has; at least one.
    width: u32,
    /// Whether a row about fences was ever needed.
    fences: bool,
    /// The rows, while these are all and one lane is enough: most locations are all here.
    narrow: [Lane; ALWAYS],
    /// The rows, one after the other, if they are not above.
    wide: Box<[Lane]>,
}

impl Default for Rows {
    fn default() -> Self {
        Self { width: 1, fences: false, narrow: [[0; LANE]; ALWAYS], wide: Box::default() }
    }
}

impl Rows {
    /// Whether there may be a row about fences.
    #[inline]
    pub(crate) fn has_fences(&self) -> bool {
        self.fences
    }

    #[inline]
    fn width(&self) -> usize {
        self.width as usize
    }

    #[inline]
    fn all(&self) -> &[Lane] {
        if self.wide.is_empty() { &self.narrow } else { &self.wide }
    }

    #[inline]
    fn all_mut(&mut self) -> &mut [Lane] {
        if self.wide.is_empty() { &mut self.narrow } else { &mut self.wide }
    }

    #[inline]
    pub(crate) fn get(&self, row: Row) -> &[Lane] {
        let start = row as usize * self.width();
        self.all().get(start..start + self.width()).unwrap_or(&[])
    }

    /// Asks for the beginnings of all rows that are elsewhere. They are needed soon, and all of them at once are here as soon as one.
    #[inline]
    pub(crate) fn fetch_soon(&self) {
        self.wide.iter().step_by(self.width()).for_each(crate::fetch::soon);
    }

    /// How much memory it takes elsewhere.
    pub(crate) fn heap_size(&self) -> usize {
        self.wide.len() * size_of::<Lane>()
    }

    /// One entry.
    #[inline]
    pub(crate) fn entry(&self, row: Row, slot: Slot) -> Epoch {
        let (lane, width) = (slot.index() / LANE, self.width());
        let lanes = self.all();
        let at = row as usize * width + lane;
        Epoch(if lane < width && at < lanes.len() { lanes[at][slot.index() % LANE] } else { 0 })
    }

    /// Changes one entry of a row, which exists then, if the rows are long enough.
    #[inline]
    pub(crate) fn set(&mut self, row: Row, slot: Slot, epoch: Epoch) {
        if let Some(lane) = self.reserve(row, 0).get_mut(slot.index() / LANE) {
            lane[slot.index() % LANE] = epoch.0;
        }
    }

    /// Changes one entry of a row, which then has it.
    #[inline]
    pub(crate) fn set_wide(&mut self, row: Row, slot: Slot, epoch: Epoch) {
        let lane = slot.index() / LANE;
        self.reserve(row, lane + 1)[lane][slot.index() % LANE] = epoch.0;
    }

    /// Makes one entry later, of a row that exists then, if the rows are long enough.
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

    /// Adds to the fences of those who accessed it those of a thread that writes, and lets the write have the same. Says whether those who accessed it knew more than the thread.
    pub(crate) fn order_fences(&mut self, fenced: &Clock) -> bool {
        self.reserve(Row::FenceByWrite, fenced.lanes().len());
        let width = self.width();
        let pair = &mut self.all_mut()[Row::FenceByAccess as usize * width..(Row::FenceByWrite as usize + 1) * width];
        let (by_access, by_write) = pair.split_at_mut(width);
        clock::join_twice(by_access, by_write, fenced.lanes())
    }

    /// The row, which now exists and has at least that many lanes.
    #[inline]
    fn reserve(&mut self, row: Row, lanes: usize) -> &mut [Lane] {
        let width = self.width();
        if lanes > width || (row as usize + 1) * width > self.all().len() {
            self.grow(row, lanes);
        }
        self.fences |= (ALWAYS..WITH_FENCES).contains(&(row as usize));
        let (start, width) = (row as usize * self.width(), self.width());
        &mut self.all_mut()[start..start + width]
    }

    /// Adds rows until this one is there, and makes all longer, but no longer than asked: clocks that learn from them become as long.
    #[cold]
    fn grow(&mut self, row: Row, lanes: usize) {
        let needed = [ALWAYS, WITH_FENCES, ALL].into_iter().find(|&rows| rows > row as usize).unwrap_or(ALL);
        let old = self.width();
        let (rows, width) = (needed.max(self.all().len() / old), lanes.max(old));
        let mut wide = Vec::with_capacity(rows * width);
        for row in self.all().chunks(old) {
            wide.extend_from_slice(row);
            wide.resize(wide.len() + width - old, [0; LANE]);
        }
        wide.resize(rows * width, [0; LANE]);
        (self.width, self.wide) = (width as u32, wide.into_boxed_slice());
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
        let mut rows = Rows::default();
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
        let mut rows = Rows::default();
        rows.raise(Row::FenceByAccess, Slot(2), Epoch(3));
        assert_eq!((rows.entry(Row::FenceByAccess, Slot(2)), rows.has_fences()), (Epoch(3), true));
        rows.set_wide(Row::ReadAt, Slot(20), Epoch(4));
        assert_eq!(rows.entry(Row::ReadAt, Slot(20)), Epoch(4));
        assert_eq!(rows.entry(Row::FenceByAccess, Slot(2)), Epoch(3));
    }
}
