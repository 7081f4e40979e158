//! For every position of a flow, the set of columns that have arrived there or are covered by one that has, and those that are still to be carried on.
//!
//! Workers share it without locks. Two columns of which one covers the other can slip in at the same time; that costs some work and changes nothing.

use super::columns::Catalogue;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::{Relaxed, SeqCst};

/// The sets. In its methods, `SHARED` says whether there are several workers.
pub(super) struct Tide {
    /// Per position: the set, then what is pending.
    words: Vec<AtomicU64>,
    /// How many words a set has.
    pub(super) width: usize,
}

impl Tide {
    /// At every position, only the column that stands for "not begun", and it is pending.
    pub(super) fn new(positions: usize, width: usize) -> Self {
        let words = (0..positions * 2 * width).map(|at| AtomicU64::new(u64::from(at % width == 0))).collect();
        Self { words, width }
    }

    /// Back to the beginning.
    pub(super) fn reset(&mut self) {
        let width = self.width;
        self.words.iter_mut().enumerate().for_each(|(at, word)| *word.get_mut() = u64::from(at % width == 0));
    }

    /// The same sets, with more room.
    pub(super) fn widened(&self, width: usize) -> Self {
        let mut words = Vec::with_capacity(self.words.len() / self.width * width);
        for set in self.words.chunks(self.width) {
            words.extend(set.iter().map(|word| AtomicU64::new(word.load(Relaxed))));
            words.resize_with(words.len() + width - self.width, AtomicU64::default);
        }
        Self { words, width }
    }

    pub(super) fn bytes(&self) -> usize {
        self.words.len() * 8
    }

    #[inline]
    fn set(&self, position: usize) -> &[AtomicU64] {
        &self.words[position * 2 * self.width..][..self.width]
    }

    #[inline]
    fn pending(&self, position: usize) -> &[AtomicU64] {
        &self.words[(position * 2 + 1) * self.width..][..self.width]
    }

    /// Takes what is pending. False if nothing is.
    #[inline]
    pub(super) fn take<const SHARED: bool>(&self, position: usize, taken: &mut [u64]) -> bool {
        let mut any = 0;
        for (word, taken) in self.pending(position).iter().zip(taken) {
            *taken = load::<SHARED>(word);
            if *taken != 0 {
                if SHARED {
                    *taken = word.swap(0, SeqCst);
                } else {
                    word.store(0, Relaxed);
                }
            }
            any |= *taken;
        }
        any != 0
    }

    /// Puts pending columns back that could not be carried on.
    pub(super) fn put_back(&self, position: usize, taken: &[u64]) {
        self.pending(position).iter().zip(taken).for_each(|(word, taken)| _ = word.fetch_or(*taken, SeqCst));
    }

    /// Adds columns that are not covered yet. Returns how many were new.
    #[inline]
    pub(super) fn absorb<const SHARED: bool, const P: usize>(
        &self,
        position: usize,
        arriving: &[u64],
        catalogue: &Catalogue<P>,
    ) -> u32 {
        let set = self.set(position);
        let mut added = 0;
        for (at, &arriving) in arriving.iter().enumerate() {
            let mut fresh = arriving & !load::<SHARED>(&set[at]);
            while fresh != 0 {
                let number = at * 64 + fresh.trailing_zeros() as usize;
                added += u32::from(self.add::<SHARED, P>(position, number, catalogue));
                fresh &= fresh - 1;
                fresh &= !load::<SHARED>(&set[at]);
            }
        }
        added
    }

    /// Adds a column that is not in the set, with everything that it covers. False if it is covered itself, by one that got its number
    /// earlier.
    #[inline]
    fn add<const SHARED: bool, const P: usize>(
        &self,
        position: usize,
        number: usize,
        catalogue: &Catalogue<P>,
    ) -> bool {
        let (set, pending) = (self.set(position), self.pending(position));
        let above = catalogue.above(number, self.width);
        let covered = set.iter().zip(above).any(|(word, above)| load::<SHARED>(word) & above != 0);
        if covered {
            on::<SHARED>(&set[number / 64], 1 << (number % 64));
            return false;
        }
        for (at, &below) in catalogue.below(number, self.width).iter().enumerate() {
            on::<SHARED>(&set[at], below);
            off::<SHARED>(&pending[at], below);
        }
        on::<SHARED>(&pending[number / 64], 1 << (number % 64));
        true
    }
}

#[inline]
fn load<const SHARED: bool>(word: &AtomicU64) -> u64 {
    word.load(if SHARED { SeqCst } else { Relaxed })
}

#[inline]
fn on<const SHARED: bool>(word: &AtomicU64, bits: u64) {
    if load::<SHARED>(word) & bits == bits {
        return;
    }
    if SHARED {
        word.fetch_or(bits, SeqCst);
    } else {
        word.store(load::<SHARED>(word) | bits, Relaxed);
    }
}

#[inline]
fn off<const SHARED: bool>(word: &AtomicU64, bits: u64) {
    if load::<SHARED>(word) & bits == 0 {
        return;
    }
    if SHARED {
        word.fetch_and(!bits, SeqCst);
    } else {
        word.store(load::<SHARED>(word) & !bits, Relaxed);
    }
}
