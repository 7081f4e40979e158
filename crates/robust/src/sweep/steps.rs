//! The monitor steps that some worker has computed, so that no worker has to compute them again.
//!
//! The tables are words without locks, and they forget: in a full bucket, a new step replaces another one, which is then computed again. What they return is exact, because the bucket of a
//! word and the word itself contain the whole key. A worker that reads a word also sees the monitor state that the word names (release and acquire).
//!
//! The words are deliberately not robust: a worker can miss a step that another one has just stored, and two workers can take the same free word. As when a step is forgotten, it is computed
//! again, with the same result. Sequentially consistent stores would prevent this, but there is one for every new step, and each waits until all earlier stores are visible.
//!
//! When a table is full, a table of twice the size follows. Steps in older tables are still found, and are then copied to the newest one.

use super::monitor_states::{MonitorId, UNKNOWN};
use super::prefetch::prefetch;
use std::sync::OnceLock;
use std::sync::atomic::{
    AtomicU64, AtomicUsize,
    Ordering::{Acquire, Relaxed, Release},
};

/// The steps, by edge and monitor state before.
pub(super) struct Steps {
    tables: [OnceLock<Table>; TABLES],
    /// How many steps were added to the newest table.
    put: AtomicUsize,
    /// How many bits a key has.
    key_bits: u32,
    /// How many words the first table has, as a power of two.
    first_bits: u32,
}

/// One of the tables.
pub(super) struct Table {
    /// The part of the key that the bucket does not tell, and below it the number after the step, changed so that no word is zero.
    words: Vec<AtomicU64>,
    key_bits: u32,
    /// The number of this table.
    number: usize,
}

/// More tables than fit into memory.
const TABLES: usize = 24;
/// The largest first table, as a power of two: about as large as a cache.
const LARGEST_FIRST: u32 = 18;
/// How many words a bucket has: one cache line.
const BUCKET: usize = 8;
/// No step leads to a state with this number.
const NEVER: MonitorId = UNKNOWN;
/// States with larger numbers than fit into this many bits are not stored.
const STATE_BITS: u32 = 24;

impl Steps {
    /// An empty table for this many edges and about this many steps.
    pub(super) fn new(edges: usize, expected: usize) -> Self {
        let key_bits = STATE_BITS + edges.max(2).next_power_of_two().ilog2();
        // The part of a key that the bucket does not tell must fit into half a word.
        let least = (key_bits + BUCKET.ilog2()).saturating_sub(u32::BITS).max(BUCKET.ilog2());
        let first_bits = expected.next_power_of_two().ilog2().min(LARGEST_FIRST).max(least);
        let tables = [const { OnceLock::new() }; TABLES];
        let steps = Self { tables, put: AtomicUsize::new(0), key_bits, first_bits };
        steps.tables[0].get_or_init(|| steps.table(0));
        steps
    }

    /// A new table.
    fn table(&self, number: usize) -> Table {
        let words = (0..1_usize << (self.first_bits as usize + number)).map(|_| AtomicU64::new(0)).collect();
        Table { words, key_bits: self.key_bits, number }
    }

    /// The table in use.
    pub(super) fn newest(&self) -> &Table {
        self.tables.iter().map_while(OnceLock::get).last().expect("there is one from the beginning")
    }

    /// The state after a step, if an older table has it. It is then copied to the newest table.
    pub(super) fn get_from_older(&self, newest: &Table, edge: u32, before: MonitorId) -> Option<MonitorId> {
        let mut older = self.tables[..newest.number].iter().rev().filter_map(OnceLock::get);
        let known = older.find_map(|table| table.get(edge, before))?;
        newest.put(edge, before, known);
        Some(known)
    }

    /// Counts new steps in a table, and makes a larger table when this one is nearly full. Returns the bytes of the new table to the worker that has made it.
    pub(super) fn note(&self, newest: &Table, more: usize) -> u64 {
        let full = newest.words.len() / 4 * 3;
        let number = newest.number + 1;
        // The order of counting and storing is not fixed, also not if counting were sequentially consistent. So a table grows some steps sooner or later.
        if self.put.fetch_add(more, Relaxed) + more < full || number == TABLES {
            return 0;
        }
        let mut bytes = 0;
        self.tables[number].get_or_init(|| {
            self.put.store(0, Relaxed);
            let table = self.table(number);
            bytes = table.bytes();
            table
        });
        bytes
    }
}

impl Table {
    /// How many steps fit into the table.
    pub(super) fn len(&self) -> usize {
        self.words.len()
    }

    /// Bytes in use.
    pub(super) fn bytes(&self) -> u64 {
        size_of_val(&self.words[..]) as u64
    }

    /// The bucket and the mark of a step. No two steps have both in common.
    #[inline]
    fn place(&self, edge: u32, before: MonitorId) -> Option<(usize, u64)> {
        if before >> STATE_BITS != 0 {
            return None;
        }
        let key = u64::from(edge) << STATE_BITS | u64::from(before);
        // The upper half of the key changes the lower half, and that can be undone, so different keys stay different. The numbers of states are consecutive, so the steps along one edge are spread
        // over the buckets.
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

    /// The state after a step, if it is stored.
    #[inline]
    pub(super) fn get(&self, edge: u32, before: MonitorId) -> Option<MonitorId> {
        let (bucket, mark) = self.place(edge, before)?;
        // Nearly all steps are in the word that they prefer.
        let word = self.words[bucket + mark as usize % BUCKET].load(Acquire);
        if word >> 32 == mark && word != 0 {
            return Some(word as MonitorId ^ NEVER);
        }
        if word == 0 { None } else { self.get_nearby(bucket, mark) }
    }

    #[cold]
    fn get_nearby(&self, bucket: usize, mark: u64) -> Option<MonitorId> {
        let words = self.bucket(bucket, mark).map(|word| word.load(Acquire)).take_while(|&word| word != 0);
        words.skip(1).find(|word| word >> 32 == mark).map(|word| word as MonitorId ^ NEVER)
    }

    /// Prefetches the word that a step prefers.
    #[inline]
    pub(super) fn prefetch(&self, edge: u32, before: MonitorId) {
        if let Some((bucket, mark)) = self.place(edge, before) {
            prefetch(&self.words[bucket + mark as usize % BUCKET]);
        }
    }

    /// Stores a step. Returns whether it took a free word.
    pub(super) fn put(&self, edge: u32, before: MonitorId, after: MonitorId) -> bool {
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
    use crate::append_vec::AppendVec;
    use std::sync::atomic::AtomicU32;

    fn result(edge: u32, before: MonitorId) -> MonitorId {
        (edge * 31 + before * 7) % 1000
    }

    /// Stores many steps, and returns how many of them are found again.
    fn remembered(steps: &Steps, edges: u32, states: &(impl Iterator<Item = MonitorId> + Clone)) -> usize {
        let all = || (0..edges).flat_map(|edge| states.clone().map(move |before| (edge, before)));
        for (edge, before) in all() {
            let table = steps.newest();
            if table.put(edge, before, result(edge, before)) {
                steps.note(table, 1);
            }
        }
        let table = steps.newest();
        let known = |&(edge, before): &(u32, MonitorId)| {
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
            let states = (0..1 << 20).step_by(9973);
            let (known, all) = (remembered(&steps, edges as u32, &states), edges * states.len());
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

    /// Few steps, for controlled schedules: what a thread finds is what another one has put there, also while tables are replaced, and the state that it names is there.
    #[test]
    fn concurrent_workers_find_only_what_was_put_there() {
        let (steps, states, next) = (Steps::new(2, 1), AppendVec::new(), AtomicU32::new(0));
        let work = |edge| {
            for before in 0..100 {
                let table = steps.newest();
                let known = table.get(edge, before).or_else(|| steps.get_from_older(table, edge, before));
                if let Some(known) = known {
                    assert_eq!(*states.get(known), (edge, before));
                    continue;
                }
                let number = next.fetch_add(1, Relaxed);
                states.set(number, (edge, before));
                if table.put(edge, before, number) {
                    steps.note(table, 1);
                }
            }
        };
        std::thread::scope(|scope| {
            // Both begin with the same steps and end with different ones.
            scope.spawn(|| [0, 1].map(work));
            scope.spawn(|| [0, 2].map(work));
        });
        assert!(steps.newest().number > 0);
    }

    #[test]
    fn states_with_large_numbers_are_not_stored() {
        let steps = Steps::new(2, 64);
        assert!(!steps.newest().put(1, 1 << STATE_BITS, 7));
        assert_eq!(steps.newest().get(1, 1 << STATE_BITS), None);
    }
}
