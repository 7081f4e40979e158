//! A cache of (site, monitor state) pairs that are known not to be violations.
//!
//! The table has a fixed size: a new pair replaces the old one at its place, and the old pair is checked again when it comes again. Remembering all pairs took more memory than the rest of the
//! search, and touching that memory took longer than checking again.
//!
//! The words are deliberately not robust: a worker can miss a pair that another one has just remembered, and then checks it again, with the same result. A word is a whole pair and says nothing
//! about other memory, so relaxed accesses suffice.

use super::monitor_states::MonitorId;
use super::prefetch::prefetch;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The pairs that are known to be harmless.
pub(super) struct HarmlessCache {
    /// The whole pair, plus one; zero is a free place.
    words: Vec<AtomicU64>,
}

/// The largest table is about as large as a cache.
const MOST: usize = 1 << 18;

impl HarmlessCache {
    /// An empty table for a graph with this many states.
    pub(super) fn new(states: usize) -> Self {
        Self { words: (0..states.next_power_of_two().min(MOST)).map(|_| AtomicU64::new(0)).collect() }
    }

    /// Bytes in use.
    pub(super) fn bytes(&self) -> u64 {
        size_of_val(&self.words[..]) as u64
    }

    #[inline]
    fn place(&self, pair: u64) -> usize {
        (pair.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as usize & (self.words.len() - 1)
    }

    /// Whether a pair is known to be harmless.
    #[inline]
    pub(super) fn contains(&self, site: u32, state: MonitorId) -> bool {
        let pair = u64::from(site) << 32 | u64::from(state);
        self.words[self.place(pair)].load(Relaxed) == pair + 1
    }

    /// Prefetches the word of a pair.
    #[inline]
    pub(super) fn prefetch(&self, site: u32, state: MonitorId) {
        prefetch(&self.words[self.place(u64::from(site) << 32 | u64::from(state))]);
    }

    /// Remembers that a pair is harmless.
    #[inline]
    pub(super) fn insert(&self, site: u32, state: MonitorId) {
        let pair = u64::from(site) << 32 | u64::from(state);
        self.words[self.place(pair)].store(pair + 1, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_put_there_is_there() {
        let judged = HarmlessCache::new(100);
        let pairs = |site: u32| (0..50).map(move |state| (site, state * 7 + site));
        for (site, state) in (0..20).flat_map(pairs) {
            assert!(!judged.contains(site, state));
            judged.insert(site, state);
            assert!(judged.contains(site, state) && !judged.contains(site + 1, state));
        }
    }

    /// Few steps, for controlled schedules: the table is so small that pairs replace each other.
    #[test]
    fn concurrent_workers_find_only_what_was_put_there() {
        let judged = HarmlessCache::new(8);
        let work = |site: u32| {
            for state in 0..40 {
                assert!(!judged.contains(2, state));
                judged.insert(site, state);
                judged.contains(1 - site, state);
            }
        };
        std::thread::scope(|scope| {
            scope.spawn(|| work(0));
            scope.spawn(|| work(1));
        });
    }
}
