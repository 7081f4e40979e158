//! The parts of a location's memory that an access needs, as far as they are known before anything of the location is in a cache.

use crate::Slot;
use crate::body::Body;
use crate::clock::{LANE, Lane};
use crate::log::Entry;
use crate::rows::{ALWAYS, Row, WITH_FENCES};
use std::ops::Range;

/// The shape of a [body](crate::Location::body), in a few bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outline(u8);

/// How many lanes a row has; zero if there are no rows.
const WIDTH: u8 = 15;
/// Whether there are rows about fences.
const FENCES: u8 = 16;
/// Whether writes take more than the minimum number of words.
const LONG: u8 = 32;

/// How many writes the log usually holds.
const WRITES: usize = 8;

impl Outline {
    /// How many bits it has.
    pub const BITS: u32 = 6;

    pub(crate) fn of(body: &Body) -> Self {
        if body.row_count() == 0 {
            return Self(0);
        }
        let fences = if body.row_count() > ALWAYS { FENCES } else { 0 };
        let long = if body.stride() > Entry::SHORT { LONG } else { 0 };
        Self(body.width().min(usize::from(WIDTH)) as u8 | fences | long)
    }

    /// The outline with these bits.
    #[inline]
    pub fn from_bits(bits: u8) -> Self {
        Self(bits)
    }

    /// Its bits.
    pub fn bits(self) -> u8 {
        self.0
    }

    #[inline]
    fn row(self, row: Row) -> Range<usize> {
        let bytes = usize::from(self.0 & WIDTH) * size_of::<Lane>();
        row as usize * bytes..(row as usize + 1) * bytes
    }

    /// Calls `fetch` with the bytes that a load by this thread usually needs: usually it knows the newest write already, and only records itself.
    #[inline]
    pub fn for_load(self, slot: Slot, mut fetch: impl FnMut(Range<usize>)) {
        let read_at = self.row(Row::ReadAt).start + slot.index() / LANE * size_of::<Lane>();
        fetch(read_at..read_at + 1);
        fetch(self.row(Row::ByAccess));
        if self.0 & FENCES != 0 {
            fetch(self.row(Row::FenceByAccess));
        }
    }

    /// Calls `fetch` with the bytes that a write usually needs: everything except the readers.
    #[inline]
    pub fn for_write(self, mut fetch: impl FnMut(Range<usize>)) {
        let rows = if self.0 & FENCES != 0 { WITH_FENCES } else { ALWAYS };
        let rows = self.row(Row::ReadAt).end * rows;
        let log = WRITES * Entry::SHORT * size_of::<u32>() * if self.0 & LONG != 0 { 2 } else { 1 };
        fetch(self.row(Row::ByAccess).start..if rows == 0 { 0 } else { rows + log });
    }
}

const _: () = assert!(Row::ReadAt as usize == 0 && (Row::ByAccess as usize) < ALWAYS);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Location, Place, ReadOrder, Settings, Slots, ThreadClocks, WriteOrder};

    fn load(outline: Outline, slot: Slot) -> Vec<Range<usize>> {
        let mut ranges = Vec::new();
        outline.for_load(slot, |range| ranges.push(range));
        ranges
    }

    fn write(outline: Outline) -> Range<usize> {
        let mut all = 0..0;
        outline.for_write(|range| all = range);
        all
    }

    #[test]
    fn it_is_that_of_the_body() {
        let mut slots = Slots::new();
        let mut thread = ThreadClocks::first(Settings::default(), &mut slots).unwrap();
        let mut location = Location::new(0);
        assert!(write(location.outline()).is_empty());
        thread.store(&mut location, WriteOrder::Release, 1, Place(1));
        thread.load(&mut location, ReadOrder::Acquire);
        let outline = location.outline();
        assert_eq!((write(outline), load(outline, Slot(0))), (32..256, vec![0..1, 32..64]));
        assert_eq!(size_of_val(location.body()), 256);
        thread.store(&mut location, WriteOrder::Release, 1 << 32, Place(1));
        assert_eq!((write(location.outline()).end, size_of_val(location.body())), (384, 384));
        assert_eq!(Outline::from_bits(location.outline().bits()), location.outline());
        assert!(location.outline().bits() < 1 << Outline::BITS);
    }
}
