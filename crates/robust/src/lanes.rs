//! Cells that are vectors of bits, with a lane for each (location, class of values, way of being overwritten), and their packing.

use crate::models::{Axis, Cells, Shape};
use smallvec::SmallVec;
use std::ops::{BitAnd, BitOr, Not};
use std::sync::Arc;

/// A vector of bits, one per lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lanes<const N: usize>(pub [u64; N]);

impl<const N: usize> Lanes<N> {
    /// No lane.
    pub(crate) const NONE: Self = Self([0; N]);

    /// One lane.
    pub(crate) fn one(lane: usize) -> Self {
        let mut lanes = Self::NONE;
        lanes.0[lane / 64] |= 1 << (lane % 64);
        lanes
    }

    /// Whether no lane is on.
    #[inline]
    pub(crate) fn is_empty(self) -> bool {
        self.0 == [0; N]
    }
}

impl<const N: usize> BitAnd for Lanes<N> {
    type Output = Self;
    #[inline]
    fn bitand(self, other: Self) -> Self {
        Self(std::array::from_fn(|word| self.0[word] & other.0[word]))
    }
}
impl<const N: usize> BitOr for Lanes<N> {
    type Output = Self;
    #[inline]
    fn bitor(self, other: Self) -> Self {
        Self(std::array::from_fn(|word| self.0[word] | other.0[word]))
    }
}
impl<const N: usize> Not for Lanes<N> {
    type Output = Self;
    #[inline]
    fn not(self) -> Self {
        Self(self.0.map(|word| !word))
    }
}

/// A block of cells: fields one after the other.
#[derive(Clone, Debug)]
pub(crate) struct Block<const N: usize> {
    /// Shared by all copies.
    plan: Arc<Plan>,
    cells: Vec<Lanes<N>>,
}

/// The places of the fields in a block.
#[derive(Debug)]
pub(crate) struct Plan {
    starts: Vec<usize>,
    axes: Vec<Axis>,
    shape: Shape,
    /// How many lanes are in use.
    lanes: usize,
}

impl Plan {
    /// The fields with this axis.
    pub(crate) fn fields(&self, axis: Axis) -> impl Iterator<Item = usize> + '_ {
        self.axes.iter().enumerate().filter(move |(_, other)| **other == axis).map(|(field, _)| field)
    }
}

impl<const N: usize> Block<N> {
    /// Empty cells for these fields.
    pub(crate) fn new(axes: &[Axis], shape: Shape, lanes: usize) -> Self {
        let mut starts = Vec::new();
        let mut len = 0;
        for &axis in axes {
            starts.push(len);
            len += shape.len(axis);
        }
        let plan = Arc::new(Plan { starts, axes: axes.to_vec(), shape, lanes });
        Self { plan, cells: vec![Lanes::NONE; len] }
    }

    /// The places of its fields.
    pub(crate) fn plan(&self) -> Arc<Plan> {
        Arc::clone(&self.plan)
    }

    /// Makes this block equal to another one with the same fields.
    pub(crate) fn copy(&mut self, other: &Self) {
        self.cells.copy_from_slice(&other.cells);
    }

    /// How many bits the packed block has.
    pub(crate) fn bits(&self) -> usize {
        self.cells.len() * self.plan.lanes
    }

    /// Turns off all lanes of a thread.
    pub(crate) fn clear_thread(&mut self, thread: usize) {
        for field in self.plan.fields(Axis::Thread) {
            self.cells[self.plan.starts[field] + thread] = Lanes::NONE;
        }
    }

    /// Turns off all other lanes, everywhere.
    pub(crate) fn keep(&mut self, lanes: Lanes<N>) {
        self.cells.iter_mut().for_each(|cell| *cell = *cell & lanes);
    }

    /// Changes all cells in the same way.
    pub(crate) fn change(&mut self, change: impl Fn(Lanes<N>) -> Lanes<N>) {
        self.cells.iter_mut().for_each(|cell| *cell = change(*cell));
    }

    /// Moves the cells with the threads: the thread at place `i` was at `from[i]`.
    pub(crate) fn permute(&mut self, from: &[usize]) {
        let Plan { starts, shape, .. } = &*self.plan;
        for field in self.plan.fields(Axis::Thread) {
            let cells = &mut self.cells[starts[field]..][..shape.threads];
            let before: SmallVec<[Lanes<N>; 8]> = cells.iter().copied().collect();
            for (cell, &from) in cells.iter_mut().zip(from) {
                *cell = before[from];
            }
        }
    }

    /// Reads as many bits as [`Self::pack`] writes.
    pub(crate) fn unpack(&mut self, from: &mut BitReader<'_>) {
        for cell in &mut self.cells {
            for (word, bits) in cell.0.iter_mut().enumerate() {
                *bits = from.take(self.plan.lanes.saturating_sub(word * 64).min(64));
            }
        }
    }

    /// Writes the bits.
    pub(crate) fn pack(&self, into: &mut BitWriter<'_>) {
        for cell in &self.cells {
            for (word, bits) in cell.0.iter().enumerate() {
                let rest = self.plan.lanes.saturating_sub(word * 64).min(64);
                if rest > 0 {
                    into.push(*bits, rest);
                }
            }
        }
    }
}

impl<const N: usize> Cells for Block<N> {
    type Cell = Lanes<N>;
    #[inline]
    fn get(&self, field: usize, index: usize) -> Lanes<N> {
        self.cells[self.plan.starts[field] + index]
    }
    #[inline]
    fn set(&mut self, field: usize, index: usize, cell: Lanes<N>) {
        self.cells[self.plan.starts[field] + index] = cell;
    }
}

/// Whether words are equal. For a few words this is faster than a call of `memcmp`, which in some C libraries compares single bytes.
#[inline]
pub(crate) fn same(one: &[u64], other: &[u64]) -> bool {
    one.len() == other.len() && one.iter().zip(other).all(|(one, other)| one == other)
}

/// Writes bits into words.
#[derive(Debug)]
pub(crate) struct BitWriter<'a> {
    words: &'a mut [u64],
    at: usize,
}

impl<'a> BitWriter<'a> {
    /// Starts at the first bit of cleared words.
    pub(crate) fn new(words: &'a mut [u64]) -> Self {
        words.fill(0);
        Self { words, at: 0 }
    }

    #[inline]
    fn push(&mut self, bits: u64, count: usize) {
        let bits = if count < 64 { bits & ((1 << count) - 1) } else { bits };
        let (word, shift) = (self.at / 64, self.at % 64);
        self.words[word] |= bits << shift;
        if shift + count > 64 {
            self.words[word + 1] |= bits >> (64 - shift);
        }
        self.at += count;
    }
}

/// Reads bits out of words.
#[derive(Debug)]
pub(crate) struct BitReader<'a> {
    words: &'a [u64],
    at: usize,
}

impl<'a> BitReader<'a> {
    /// Starts at the first bit.
    pub(crate) fn new(words: &'a [u64]) -> Self {
        Self { words, at: 0 }
    }

    #[inline]
    fn take(&mut self, count: usize) -> u64 {
        if count == 0 {
            return 0;
        }
        let (word, shift) = (self.at / 64, self.at % 64);
        let mut bits = self.words[word] >> shift;
        if shift + count > 64 {
            bits |= self.words[word + 1] << (64 - shift);
        }
        self.at += count;
        if count < 64 { bits & ((1 << count) - 1) } else { bits }
    }
}
