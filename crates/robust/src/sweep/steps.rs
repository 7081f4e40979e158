//! Steps that were computed, by whichever worker, so that nobody has to compute them again.
//!
//! Tables of words without locks. They forget: where a bucket is full, a step takes the place of another one, which is then computed again. What they remember is exact,
//! because the bucket of a word and the word itself tell the whole key. Whoever reads a word sees the column that it speaks of.
//!
//! A table that has become full is followed by one of twice the size. What is in the older ones is still found there, and moves.

use super::ahead;
use super::columns::{Number, UNKNOWN};
use std::sync::OnceLock;
use std::sync::atomic::{
    AtomicU64, AtomicUsize,
    Ordering::{Acquire, Relaxed, Release},
};

/// Steps by edge and column before it.
pub(super) struct Steps {
    tables: [OnceLock<Table>; TABLES],
    /// How many steps were put into the newest table.
    put: AtomicUsize,
    /// How many bits a key has.
    key_bits: u32,
    /// How many words the first table has, as a power of two.
    first_bits: u32,
}

/// One of the tables.
pub(super) struct Table {
    /// What is left of the key, and below it what the step leads to, changed so that no result is zero.
    words: Vec<AtomicU64>,
    key_bits: u32,
    /// Which of the tables it is.
    number: usize,
}

/// More tables than memory has room for.
const TABLES: usize = 24;
/// The largest first table, as a power of two: about as large as a cache.
const LARGEST_FIRST: u32 = 18;
/// How many words a bucket has: as many as a cache line.
const BUCKET: usize = 8;
/// No step leads to a column with this number.
const NEVER: Number = UNKNOWN;
/// Columns with larger numbers are not remembered.
const COLUMN_BITS: u32 = 24;

impl Steps {
    /// No steps yet, for so many edges; there will be about so many.
    pub(super) fn new(edges: usize, expected: usize) -> Self {
        let key_bits = COLUMN_BITS + edges.max(2).next_power_of_two().ilog2();
        // What the place of a word does not tell of a key must fit half a word.
        let least = (key_bits + BUCKET.ilog2()).saturating_sub(u32::BITS).max(BUCKET.ilog2());
        let first_bits = expected.next_power_of_two().ilog2().min(LARGEST_FIRST).max(least);
        let tables = [const { OnceLock::new() }; TABLES];
        let steps = Self { tables, put: AtomicUsize::new(0), key_bits, first_bits };
        steps.table(0);
        steps
    }

    /// One of the tables, which is made if there is none yet.
    fn table(&self, number: usize) -> &Table {
        self.tables[number].get_or_init(|| {
            let words = (0..1_usize << (self.first_bits as usize + number)).map(|_| AtomicU64::new(0)).collect();
            Table { words, key_bits: self.key_bits, number }
        })
    }

    /// The table that is in use.
    pub(super) fn newest(&self) -> &Table {
        self.tables.iter().map_while(OnceLock::get).last().expect("there is one from the beginning")
    }

    /// What a step leads to, if some older table remembers.
    pub(super) fn get_from_older(&self, newest: &Table, edge: u32, before: Number) -> Option<Number> {
        let mut older = self.tables[..newest.number].iter().rev().filter_map(OnceLock::get);
        let known = older.find_map(|table| table.get(edge, before))?;
        newest.put(edge, before, known);
        Some(known)
    }

    /// Hears of new steps in a table, and makes a larger one when there is no room for many more. Returns the bytes that were taken for it.
    pub(super) fn note(&self, newest: &Table, more: usize) -> u64 {
        let full = newest.words.len() / 4 * 3;
        let number = newest.number + 1;
        if self.put.fetch_add(more, Relaxed) + more < full || number == TABLES || self.tables[number].get().is_some() {
            return 0;
        }
        self.put.store(0, Relaxed);
        self.table(number).bytes()
    }
}

impl Table {
    /// How many steps there is room for.
    pub(super) fn len(&self) -> usize {
        self.words.len()
    }

    /// Bytes in use.
    pub(super) fn bytes(&self) -> u64 {
        size_of_val(&self.words[..]) as u64
    }

    /// In which bucket a step is, and with which mark. Different steps differ in one of the two.
    #[inline]
    fn place(&self, edge: u32, before: Number) -> Option<(usize, u64)> {
        if before >> COLUMN_BITS != 0 {
            return None;
        }
        let key = u64::from(edge) << COLUMN_BITS | u64::from(before);
        // The upper half of the key shuffles the lower half, which this can undo: no two keys become one. Columns are numbered one after the other, and so those of one edge never meet.
        let half = self.key_bits / 2;
        let upper = key >> half;
        let key = key ^ upper.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (u64::BITS - half);
        let buckets = self.words.len() / BUCKET;
        Some(((key as usize & (buckets - 1)) * BUCKET, key >> buckets.ilog2()))
    }

    /// The words of a bucket, beginning with the one that a step with this mark prefers.
    #[inline]
    fn bucket(&self, bucket: usize, mark: u64) -> impl Iterator<Item = &AtomicU64> {
        let words = &self.words[bucket..bucket + BUCKET];
        (0..BUCKET).map(move |at| &words[(mark as usize + at) % BUCKET])
    }

    /// What a step leads to, if that is remembered.
    #[inline]
    pub(super) fn get(&self, edge: u32, before: Number) -> Option<Number> {
        let (bucket, mark) = self.place(edge, before)?;
        // Nearly all are where they prefer to be.
        let word = self.words[bucket + mark as usize % BUCKET].load(Acquire);
        if word >> 32 == mark && word != 0 {
            return Some(word as Number ^ NEVER);
        }
        if word == 0 { None } else { self.get_nearby(bucket, mark) }
    }

    #[cold]
    fn get_nearby(&self, bucket: usize, mark: u64) -> Option<Number> {
        let words = self.bucket(bucket, mark).map(|word| word.load(Acquire)).take_while(|&word| word != 0);
        words.skip(1).find(|word| word >> 32 == mark).map(|word| word as Number ^ NEVER)
    }

    /// Says that a step will soon be looked up.
    #[inline]
    pub(super) fn expect(&self, edge: u32, before: Number) {
        if let Some((bucket, mark)) = self.place(edge, before) {
            ahead::fetch(&self.words[bucket + mark as usize % BUCKET]);
        }
    }

    /// Remembers a step. Returns whether it took a free place.
    pub(super) fn put(&self, edge: u32, before: Number, after: Number) -> bool {
        let Some((bucket, mark)) = self.place(edge, before) else { return false };
        let free = self.bucket(bucket, mark).find(|word| word.load(Relaxed) == 0);
        let word = free.or(self.bucket(bucket, mark).next()).expect("a bucket has words");
        word.store(mark << 32 | u64::from(after ^ NEVER), Release);
        free.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(edge: u32, before: Number) -> Number {
        (edge * 31 + before * 7) % 1000
    }

    /// Puts many steps somewhere, and says how many of them it remembers.
    fn remembered(steps: &Steps, edges: u32, columns: &(impl Iterator<Item = Number> + Clone)) -> usize {
        let all = || (0..edges).flat_map(|edge| columns.clone().map(move |before| (edge, before)));
        for (edge, before) in all() {
            let table = steps.newest();
            if table.put(edge, before, result(edge, before)) {
                steps.note(table, 1);
            }
        }
        let table = steps.newest();
        let known = |&(edge, before): &(u32, Number)| {
            let known = table.get(edge, before).or_else(|| steps.get_from_older(table, edge, before));
            assert!(known.is_none_or(|known| known == result(edge, before)));
            known.is_some()
        };
        all().filter(known).count()
    }

    #[test]
    fn what_it_remembers_is_what_was_put_there() {
        for (edges, size) in [(1, 1), (70, 16), (5000, 1 << 12)] {
            let steps = Steps::new(edges, size);
            let columns = (0..1 << 20).step_by(9973);
            let (known, all) = (remembered(&steps, edges as u32, &columns), edges * columns.len());
            assert!(known > all / 5 * 4, "{known} of {all}");
        }
    }

    #[test]
    fn it_grows_and_forgets_little() {
        let steps = Steps::new(4, 1);
        let known = remembered(&steps, 4, &(0..10_000));
        assert!(known > 32_000, "{known}");
        assert!(steps.newest().words.len() < 1 << 17);
    }

    #[test]
    fn columns_with_large_numbers_are_not_remembered() {
        let steps = Steps::new(2, 64);
        assert!(!steps.newest().put(1, 1 << COLUMN_BITS, 7));
        assert_eq!(steps.newest().get(1, 1 << COLUMN_BITS), None);
    }
}
