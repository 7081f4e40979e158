//! How the monitor state of one stale write is packed into words.
//!
//! It consists of the awareness of the write's location, a flag (whether a plain write overwrote the stale write, because only then another write or an update can be ordered between the two),
//! and the cells of the model. Every field lies within one word, so that one mask reaches the cells of all threads, or of all locations.

use crate::models::{Axis, Cells, Shape};

/// How many words a monitor state may have: enough for the largest model, except TSO, with as many threads and locations as there may be.
pub(crate) const WIDEST: usize = 20;

/// Where a field is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PackedField {
    /// The number of its word.
    pub word: u16,
    /// Its first bit.
    pub shift: u16,
    /// Whether it has a bit per thread or per location.
    pub axis: Axis,
}

/// The layout of a monitor state.
#[derive(Clone, Debug)]
pub(crate) struct MonitorLayout {
    /// All fields: those of `awareness`, then those of the model.
    pub fields: Vec<PackedField>,
    flag: PackedField,
    /// How many words a monitor state has.
    pub words: usize,
    /// How many threads and locations there are.
    pub shape: Shape,
}

impl MonitorLayout {
    /// Packs fields, after one bit for the flag.
    pub(crate) fn new(axes: impl IntoIterator<Item = Axis>, shape: Shape) -> Self {
        let (mut word, mut used) = (0_u16, 1_u16);
        let mut packed = Vec::new();
        for axis in axes {
            let len = shape.len(axis) as u16;
            if used + len > 64 {
                (word, used) = (word + 1, 0);
            }
            packed.push(PackedField { word, shift: used, axis });
            used += len;
        }
        let flag = PackedField { word: 0, shift: 0, axis: Axis::Thread };
        Self { fields: packed, flag, words: word as usize + 1, shape }
    }

    /// All bits of a field.
    #[inline]
    pub(crate) fn get_field<const P: usize>(&self, bits: &[u64; P], field: usize) -> u64 {
        let place = self.fields[field];
        bits[place.word as usize] >> place.shift & self.mask(place.axis)
    }

    /// Clears the other bits of a field.
    #[inline]
    pub(crate) fn keep_in_field<const P: usize>(&self, bits: &mut [u64; P], field: usize, keep: u64) {
        let place = self.fields[field];
        let mask = self.mask(place.axis);
        bits[place.word as usize] &= !((mask & !keep) << place.shift);
    }

    /// Sets all bits of a field.
    #[inline]
    pub(crate) fn set_field<const P: usize>(&self, bits: &mut [u64; P], field: usize, value: u64) {
        let place = self.fields[field];
        let word = &mut bits[place.word as usize];
        *word = *word & !(self.mask(place.axis) << place.shift) | value << place.shift;
    }

    #[inline]
    fn mask(&self, axis: Axis) -> u64 {
        u64::MAX >> (64 - self.shape.len(axis).clamp(1, 64))
    }

    /// Whether a plain write overwrote the stale write.
    #[inline]
    pub(crate) fn flag<const P: usize>(&self, bits: &[u64; P]) -> bool {
        bits[self.flag.word as usize] >> self.flag.shift & 1 == 1
    }

    /// Sets the flag.
    pub(crate) fn set_flag<const P: usize>(&self, bits: &mut [u64; P]) {
        bits[self.flag.word as usize] |= 1 << self.flag.shift;
    }

    /// Moves the bits with the threads: the thread at place `i` was at `from[i]`.
    pub(crate) fn permute<const P: usize>(&self, bits: &mut [u64; P], from: &[usize]) {
        for field in 0..self.fields.len() {
            if self.fields[field].axis == Axis::Thread {
                let before = self.get_field(bits, field);
                let after = from.iter().enumerate().fold(0, |after, (to, &from)| after | (before >> from & 1) << to);
                self.set_field(bits, field, after);
            }
        }
    }
}

/// Some fields of a monitor state, as cells of one bit.
#[derive(Debug)]
pub(crate) struct CellView<'a, const P: usize> {
    /// The monitor state.
    pub bits: &'a mut [u64; P],
    /// The fields that are visible.
    pub fields: &'a [PackedField],
}

impl<const P: usize> Cells for CellView<'_, P> {
    type Cell = bool;

    #[inline]
    fn get(&self, field: usize, index: usize) -> bool {
        let place = self.fields[field];
        self.bits[place.word as usize] >> (place.shift as usize + index) & 1 == 1
    }

    #[inline]
    fn set(&mut self, field: usize, index: usize, cell: bool) {
        let place = self.fields[field];
        let at = place.shift as usize + index;
        let word = &mut self.bits[place.word as usize];
        *word = *word & !(1 << at) | u64::from(cell) << at;
    }
}
