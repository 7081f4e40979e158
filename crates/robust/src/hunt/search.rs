//! The bookkeeping of one hunt: columns and their steps, covered columns, and what is still to be looked at.

use rustc_hash::FxHashMap;
use steadfast_explore::largest_first::LargestFirst;
use steadfast_explore::{Budget, CoverSet};

/// In place of a column: the hunt begins here.
pub(super) const START: u32 = u32::MAX - 1;
/// In place of a column: nothing can come of it.
const LOST: u32 = u32::MAX;

/// The state of one worker's current hunt.
pub(super) struct Search<const P: usize> {
    pub(super) cover: CoverSet,
    pub(super) queue: LargestFirst,
    /// The distinct columns of this hunt; they are few, and so are the steps between them.
    pub(super) columns: Vec<[u64; P]>,
    numbers: FxHashMap<[u64; P], u32>,
    /// Column, operation and outlook of the target: the next column.
    steps: FxHashMap<(u32, u32, u32), u32>,
    pub(super) transitions: u64,
    booked: (u64, u64),
}

impl<const P: usize> Search<P> {
    pub(super) fn new(keys: usize) -> Self {
        Self {
            cover: CoverSet::new(keys, P),
            queue: LargestFirst::default(),
            columns: Vec::new(),
            numbers: FxHashMap::default(),
            steps: FxHashMap::default(),
            transitions: 0,
            booked: (0, 0),
        }
    }

    #[inline]
    pub(super) fn memo(
        &mut self,
        column: u32,
        op: u32,
        outlook: u32,
        step: impl FnOnce(&[u64; P]) -> Option<[u64; P]>,
    ) -> u32 {
        if let Some(&next) = self.steps.get(&(column, op, outlook)) {
            return next;
        }
        let next = match step(self.columns.get(column as usize).unwrap_or(&[0; P])) {
            None => LOST,
            Some(bits) => self.number(bits),
        };
        self.steps.insert((column, op, outlook), next);
        next
    }

    /// The number of a column.
    pub(super) fn number(&mut self, bits: [u64; P]) -> u32 {
        *self.numbers.entry(bits).or_insert_with(|| {
            self.columns.push(bits);
            self.columns.len() as u32 - 1
        })
    }

    /// Adds a column at a key, unless it is lost or covered.
    #[inline]
    pub(super) fn insert(&mut self, key: u32, column: u32, covering: bool) {
        let Some(bits) = self.columns.get(column as usize) else { return };
        let added =
            if covering { self.cover.insert(key, bits, column) } else { self.cover.insert_exact(key, bits, column) };
        if let Some(node) = added {
            self.queue.push(node, bits.iter().map(|word| word.count_ones()).sum());
        }
    }

    pub(super) fn book(&mut self, budget: &Budget<'_>) {
        let bytes = self.cover.len() * (P * 8 + 24) + self.steps.len() * 32 + self.columns.len() * P * 24;
        let now = (self.cover.len() as u64, bytes as u64);
        budget.add(now.0 - self.booked.0, now.1 - self.booked.1);
        self.booked = now;
    }

    pub(super) fn clear(&mut self, budget: &Budget<'_>) {
        budget.release(self.booked.1);
        self.booked = (0, 0);
        self.transitions = 0;
        self.cover.clear();
        self.queue.clear();
        self.columns.clear();
        self.numbers.clear();
        self.steps.clear();
    }
}
