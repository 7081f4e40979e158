//! Steps that some worker has computed, so that no other has to.
//!
//! A table of words without locks. It forgets: a step may be overwritten by another one, and is then computed again by whoever has not noted it down. What it remembers is exact,
//! because the place of a word and the word itself tell the whole key. Whoever reads a word sees the column that it speaks of.

use super::columns::{Number, UNKNOWN};
use std::sync::atomic::{
    AtomicU64,
    Ordering::{Acquire, Release},
};

/// Steps by edge and column before it.
pub(super) struct Steps {
    /// What is left of the key, and below it what the step leads to, changed so that no result is zero.
    words: Vec<AtomicU64>,
    /// How many bits a key has.
    key_bits: u32,
}

/// No step leads to a column with this number.
const NEVER: Number = UNKNOWN;
/// Columns with larger numbers are not remembered.
const COLUMN_BITS: u32 = 20;

impl Steps {
    /// A table of about this size for so many kinds of edges.
    pub(super) fn new(edges: usize, size: usize) -> Self {
        let key_bits = COLUMN_BITS + edges.max(2).next_power_of_two().ilog2();
        let bits = size.next_power_of_two().ilog2().max(key_bits.saturating_sub(32)).max(1);
        Self { words: (0..1_usize << bits).map(|_| AtomicU64::new(0)).collect(), key_bits }
    }

    /// Bytes in use.
    pub(super) fn bytes(&self) -> usize {
        self.words.len() * size_of::<AtomicU64>()
    }

    /// Where a step is, and with which mark. Different steps differ in one of the two.
    #[inline]
    fn place(&self, edge: u32, before: Number) -> Option<(usize, u64)> {
        if before >> COLUMN_BITS != 0 {
            return None;
        }
        let mask = (1_u64 << self.key_bits) - 1;
        let half = self.key_bits / 2;
        // Every line can be undone, so that no two keys become one.
        let mut key = u64::from(edge) << COLUMN_BITS | u64::from(before);
        key ^= key >> half;
        key = key.wrapping_mul(0x9E37_79B9_7F4A_7C15) & mask;
        key ^= key >> half;
        Some((key as usize & (self.words.len() - 1), key >> self.words.len().ilog2()))
    }

    /// What a step leads to, if that is remembered.
    #[inline]
    pub(super) fn get(&self, edge: u32, before: Number) -> Option<Number> {
        let (place, mark) = self.place(edge, before)?;
        let word = self.words[place].load(Acquire);
        (word != 0 && word >> 32 == mark).then_some(word as Number ^ NEVER)
    }

    /// Remembers a step.
    #[inline]
    pub(super) fn put(&self, edge: u32, before: Number, after: Number) {
        if let Some((place, mark)) = self.place(edge, before) {
            self.words[place].store(mark << 32 | u64::from(after ^ NEVER), Release);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_it_remembers_is_what_was_put_there() {
        for (edges, size) in [(1, 1), (70, 16), (5000, 1 << 12)] {
            let steps = Steps::new(edges, size);
            let result = |edge: u32, before: Number| (edge * 31 + before * 7) % 1000;
            let mut remembered = 0;
            for edge in 0..edges as u32 {
                for before in (0..1 << 20).step_by(9973).chain([1 << 20, 1 << 25]) {
                    assert_eq!(steps.get(edge, before).unwrap_or(result(edge, before)), result(edge, before));
                    steps.put(edge, before, result(edge, before));
                    remembered += u32::from(steps.get(edge, before) == Some(result(edge, before)));
                    assert_eq!(steps.get(edge, before).is_some(), before < 1 << 20);
                }
            }
            assert!(remembered > 0);
        }
    }
}
