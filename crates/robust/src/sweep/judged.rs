//! What has been judged to be harmless, as far as it is remembered.
//!
//! A table of fixed size that forgets: whoever comes to a place that is taken takes it over, and what was there is judged again if it is met again. Remembering everything took more memory
//! than all the rest of a search, and waiting for that memory more time than judging.

use super::ahead;
use super::columns::Number;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Pairs of sites and columns.
pub(super) struct Judged {
    /// The whole pair, plus one.
    words: Vec<AtomicU64>,
}

/// The largest table is about as large as a cache.
const MOST: usize = 1 << 18;

impl Judged {
    /// A table for a graph with so many states.
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

    /// Whether a column is known to be harmless at a site.
    #[inline]
    pub(super) fn contains(&self, site: u32, column: Number) -> bool {
        let pair = u64::from(site) << 32 | u64::from(column);
        self.words[self.place(pair)].load(Relaxed) == pair + 1
    }

    /// Says that this will soon be asked.
    #[inline]
    pub(super) fn expect(&self, site: u32, column: Number) {
        ahead::fetch(&self.words[self.place(u64::from(site) << 32 | u64::from(column))]);
    }

    /// Remembers that it is.
    #[inline]
    pub(super) fn insert(&self, site: u32, column: Number) {
        let pair = u64::from(site) << 32 | u64::from(column);
        self.words[self.place(pair)].store(pair + 1, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_put_there_is_there() {
        let judged = Judged::new(100);
        let pairs = |site: u32| (0..50).map(move |column| (site, column * 7 + site));
        for (site, column) in (0..20).flat_map(pairs) {
            assert!(!judged.contains(site, column));
            judged.insert(site, column);
            assert!(judged.contains(site, column) && !judged.contains(site + 1, column));
        }
    }
}
