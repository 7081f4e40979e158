//! The bits that follow one hunted write, packed.
//!
//! A column holds the awareness of the write's location, a flag (whether the write was overwritten by a plain write, which decides whether a write or an
//! update can slip in behind it), and the model's cells. Every field lies within one word, so that the cells of all threads, or of all locations, can be
//! masked at once.

use crate::models::{Axis, Cells, Shape};

/// How many words a column may have: the widest model, apart from TSO, fits for as many threads and locations as there may be.
pub(crate) const WIDEST: usize = 20;

/// Where a field sits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Group {
    /// The word.
    pub word: u16,
    /// The first bit.
    pub shift: u16,
    /// What there is one bit per.
    pub axis: Axis,
}

/// The packing of a column.
#[derive(Clone, Debug)]
pub(crate) struct ColumnLayout {
    /// All fields: those of `awareness`, then those of the model.
    pub groups: Vec<Group>,
    flag: Group,
    /// How many words a column has.
    pub words: usize,
    /// How many threads and locations there are.
    pub shape: Shape,
}

impl ColumnLayout {
    /// Packs these fields, after one bit for the flag.
    pub(crate) fn new(fields: impl IntoIterator<Item = Axis>, shape: Shape) -> Self {
        let (mut word, mut used) = (0_u16, 1_u16);
        let mut groups = Vec::new();
        for axis in fields {
            let len = shape.len(axis) as u16;
            if used + len > 64 {
                (word, used) = (word + 1, 0);
            }
            groups.push(Group { word, shift: used, axis });
            used += len;
        }
        let flag = Group { word: 0, shift: 0, axis: Axis::Thread };
        Self { groups, flag, words: word as usize + 1, shape }
    }

    /// The bits of a whole field.
    #[inline]
    pub(crate) fn group<const P: usize>(&self, bits: &[u64; P], field: usize) -> u64 {
        let group = self.groups[field];
        bits[group.word as usize] >> group.shift & self.mask(group.axis)
    }

    /// Keeps only these bits of a field.
    #[inline]
    pub(crate) fn keep<const P: usize>(&self, bits: &mut [u64; P], field: usize, keep: u64) {
        let group = self.groups[field];
        let mask = self.mask(group.axis);
        bits[group.word as usize] &= !((mask & !keep) << group.shift);
    }

    /// Puts a whole field.
    #[inline]
    pub(crate) fn put<const P: usize>(&self, bits: &mut [u64; P], field: usize, value: u64) {
        let group = self.groups[field];
        let word = &mut bits[group.word as usize];
        *word = *word & !(self.mask(group.axis) << group.shift) | value << group.shift;
    }

    #[inline]
    fn mask(&self, axis: Axis) -> u64 {
        u64::MAX >> (64 - self.shape.len(axis).clamp(1, 64))
    }

    /// Whether the hunted write was overwritten by a plain write.
    #[inline]
    pub(crate) fn flag<const P: usize>(&self, bits: &[u64; P]) -> bool {
        bits[self.flag.word as usize] >> self.flag.shift & 1 == 1
    }

    /// Sets the flag.
    pub(crate) fn set_flag<const P: usize>(&self, bits: &mut [u64; P]) {
        bits[self.flag.word as usize] |= 1 << self.flag.shift;
    }

    /// Moves the bits of threads: the thread at place `i` was at `from[i]`.
    pub(crate) fn permute<const P: usize>(&self, bits: &mut [u64; P], from: &[usize]) {
        for field in 0..self.groups.len() {
            if self.groups[field].axis == Axis::Thread {
                let before = self.group(bits, field);
                let after = from.iter().enumerate().fold(0, |after, (to, &from)| after | (before >> from & 1) << to);
                self.put(bits, field, after);
            }
        }
    }
}

/// Some fields of a column as cells of one bit.
#[derive(Debug)]
pub(crate) struct Window<'a, const P: usize> {
    /// The column.
    pub bits: &'a mut [u64; P],
    /// The fields that are visible.
    pub groups: &'a [Group],
}

impl<const P: usize> Cells for Window<'_, P> {
    type Cell = bool;

    #[inline]
    fn get(&self, field: usize, index: usize) -> bool {
        let group = self.groups[field];
        self.bits[group.word as usize] >> (group.shift as usize + index) & 1 == 1
    }

    #[inline]
    fn set(&mut self, field: usize, index: usize, cell: bool) {
        let group = self.groups[field];
        let at = group.shift as usize + index;
        let word = &mut self.bits[group.word as usize];
        *word = *word & !(1 << at) | u64::from(cell) << at;
    }
}
