//! The memory of a location: its clocks and its newest writes, in one allocation.
//!
//! It is one allocation so that all of it can be prefetched as soon as its address is known. With many locations, an access spends most of its time waiting for memory, and waiting for several
//! cache lines at the same time takes as long as waiting for one.

use crate::clock::{LANE, Lane};
use crate::log::Entry;

/// First the [rows](crate::rows), then the [log](crate::log). Both consist of words, eight to a lane.
#[derive(Clone, Debug)]
#[repr(C)]
pub(crate) struct Body {
    pub(crate) lanes: Box<[Lane]>,
    /// The number of the newest write.
    pub(crate) newest: u64,
    /// How many lanes a row has; at least one.
    width: u16,
    /// How many writes the log holds: none if this is zero, otherwise half of two to this power.
    capacity: u8,
    /// How many rows there are.
    rows: u8,
    /// How many words a write takes in the log.
    pub(crate) stride: u8,
    /// Whether a row about fences was ever needed.
    pub(crate) fences: bool,
    /// Whether its address has changed since [`Location::settle`](crate::Location::settle).
    pub(crate) moved: bool,
}

/// The sizes of all parts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    pub(crate) rows: usize,
    pub(crate) width: usize,
    pub(crate) capacity: usize,
    pub(crate) stride: usize,
}

impl Body {
    /// An empty body.
    pub(crate) fn new() -> Self {
        Self {
            lanes: Box::default(),
            newest: 0,
            width: 1,
            capacity: 0,
            rows: 0,
            stride: Entry::SHORT as u8,
            fences: false,
            moved: false,
        }
    }

    #[inline]
    pub(crate) fn width(&self) -> usize {
        usize::from(self.width)
    }

    #[inline]
    pub(crate) fn row_count(&self) -> usize {
        usize::from(self.rows)
    }

    #[inline]
    pub(crate) fn capacity(&self) -> usize {
        (1 << self.capacity) >> 1
    }

    #[inline]
    pub(crate) fn stride(&self) -> usize {
        usize::from(self.stride)
    }

    /// The first lane of the log.
    #[inline]
    fn log_start(&self) -> usize {
        self.row_count() * self.width()
    }

    /// The words of the write at this place of the log.
    #[inline]
    pub(crate) fn logged(&self, at: usize) -> Option<&[u32]> {
        let start = self.log_start() * LANE + at * self.stride();
        self.lanes.as_flattened().get(start..start + self.stride())
    }

    /// The same, mutable.
    #[inline]
    pub(crate) fn logged_mut(&mut self, at: usize) -> Option<&mut [u32]> {
        let (start, stride) = (self.log_start() * LANE + at * self.stride(), self.stride());
        self.lanes.as_flattened_mut().get_mut(start..start + stride)
    }

    pub(crate) fn shape(&self) -> Shape {
        Shape { rows: self.row_count(), width: self.width(), capacity: self.capacity(), stride: self.stride() }
    }

    /// Changes to a larger shape, and keeps the contents.
    #[cold]
    pub(crate) fn reshape(&mut self, shape: Shape) {
        let Shape { rows, width, capacity, stride } = shape;
        let length = rows * width + (capacity * stride).div_ceil(LANE);
        let mut lanes = Vec::with_capacity(length);
        for row in self.lanes[..self.log_start()].chunks(self.width()) {
            lanes.extend_from_slice(row);
            lanes.resize(lanes.len() + width - row.len(), [0; LANE]);
        }
        lanes.resize(length, [0; LANE]);
        let log = lanes[rows * width..].as_flattened_mut();
        for (at, new) in log.chunks_exact_mut(stride).enumerate().take(self.capacity()) {
            if let Some(old) = self.logged(at) {
                new[..old.len()].copy_from_slice(old);
            }
        }
        (self.lanes, self.moved) = (lanes.into_boxed_slice(), true);
        let capacity = if capacity == 0 { 0 } else { capacity.ilog2() + 1 };
        // No clock has more lanes than there are slots.
        (self.rows, self.width) = (rows as u8, width as u16);
        (self.capacity, self.stride) = (capacity as u8, stride as u8);
    }

    /// The size of its heap memory.
    pub(crate) fn heap_size(&self) -> usize {
        size_of_val(&*self.lanes)
    }
}
