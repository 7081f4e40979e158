//! The distinct monitor states of a joint search.

use super::Views;
use crate::lanes::{BitReader, BitWriter, same};
use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;
use std::hash::BuildHasher;

/// All distinct monitor states, packed; they are few compared with the states of the search.
pub(super) struct Monitors<const N: usize> {
    pub(super) width: usize,
    count: u32,
    words: Vec<u64>,
    /// All numbers, by the hashes of the words.
    numbers: HashTable<u32>,
    steps: Recent,
    /// The one that was looked at last, taken apart: several questions about the same one come one after the other. Nothing if there is none.
    current: Option<u32>,
    views: Views<N>,
    /// Room for the one that comes next, taken apart and packed.
    next: Views<N>,
    buffer: Vec<u64>,
}

/// Everything that the next monitor state depends on.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub(super) struct Step {
    pub(super) monitor: u32,
    pub(super) op: u32,
    pub(super) goes_wrong: bool,
    pub(super) outlook: u32,
}

/// Steps that were taken not long ago. Where steps are often repeated there are few of them; where there are many, remembering all takes longer than taking them again.
struct Recent {
    steps: Vec<(Step, Option<u32>)>,
    /// How many steps were put here since it last grew.
    put: usize,
}

impl Default for Recent {
    fn default() -> Self {
        Self { steps: vec![(Step::default(), None); 1 << 6], put: 0 }
    }
}

impl Recent {
    /// The largest table is about as large as a cache.
    const MOST: usize = 1 << 14;

    fn place(&self, step: Step) -> usize {
        (FxBuildHasher.hash_one(step) >> 20) as usize & (self.steps.len() - 1)
    }

    fn get(&self, step: Step) -> Option<u32> {
        let (known, next) = self.steps[self.place(step)];
        next.filter(|_| known == step)
    }

    fn insert(&mut self, step: Step, next: u32) {
        self.put += 1;
        if self.put > self.steps.len() && self.steps.len() < Self::MOST {
            let larger = vec![(Step::default(), None); 4 * self.steps.len()];
            let old = std::mem::replace(&mut self.steps, larger);
            self.put = 0;
            old.into_iter()
                .filter_map(|(step, next)| Some((step, next?)))
                .for_each(|(step, next)| self.put_at_place(step, next));
        }
        self.put_at_place(step, next);
    }

    fn put_at_place(&mut self, step: Step, next: u32) {
        let place = self.place(step);
        self.steps[place] = (step, Some(next));
    }
}

impl<const N: usize> Monitors<N> {
    pub(super) fn new(empty: Views<N>) -> Self {
        let width = (empty.awareness.bits() + empty.model.bits()).div_ceil(64).max(1);
        Self {
            width,
            count: 0,
            words: Vec::new(),
            numbers: HashTable::new(),
            steps: Recent::default(),
            current: None,
            views: empty.clone(),
            next: empty,
            buffer: vec![0; width],
        }
    }

    pub(super) fn packed(&self, monitor: u32) -> &[u64] {
        &self.words[monitor as usize * self.width..][..self.width]
    }

    /// The number of a monitor state.
    pub(super) fn number(&mut self, views: &Views<N>) -> u32 {
        self.next.copy(views);
        self.number_next()
    }

    fn number_next(&mut self) -> u32 {
        let mut writer = BitWriter::new(&mut self.buffer);
        self.next.awareness.pack(&mut writer);
        self.next.model.pack(&mut writer);
        let packed = std::mem::take(&mut self.buffer);
        let number = self.number_packed(&packed);
        self.buffer = packed;
        number
    }

    /// The monitor state after a step, which `take` takes.
    pub(super) fn memo(&mut self, step: Step, take: impl FnOnce(&mut Views<N>)) -> u32 {
        if let Some(next) = self.steps.get(step) {
            return next;
        }
        self.take_apart(step.monitor);
        self.next.copy(&self.views);
        take(&mut self.next);
        let next = self.number_next();
        self.steps.insert(step, next);
        next
    }

    /// The number of a packed monitor state, which another worker may have met first, and what it is.
    pub(super) fn find(&mut self, packed: &[u64]) -> (u32, &Views<N>) {
        let number = match self.current {
            Some(current) if same(self.packed(current), packed) => current,
            _ => self.number_packed(packed),
        };
        (number, self.take_apart(number))
    }

    fn number_packed(&mut self, packed: &[u64]) -> u32 {
        let Self { words, numbers, count, width, .. } = self;
        let (hash, width) = (FxBuildHasher.hash_one(packed), *width);
        let of = |number: u32| number as usize * width..(number as usize + 1) * width;
        if let Some(&known) = numbers.find(hash, |&number| same(&words[of(number)], packed)) {
            return known;
        }
        words.extend_from_slice(packed);
        numbers.insert_unique(hash, *count, |&number| FxBuildHasher.hash_one(&words[of(number)]));
        *count += 1;
        *count - 1
    }

    /// A monitor state, taken apart.
    pub(super) fn take_apart(&mut self, monitor: u32) -> &Views<N> {
        if self.current != Some(monitor) {
            let mut reader = BitReader::new(&self.words[monitor as usize * self.width..][..self.width]);
            self.views.awareness.unpack(&mut reader);
            self.views.model.unpack(&mut reader);
            self.current = Some(monitor);
        }
        &self.views
    }

    pub(super) fn bytes(&self) -> usize {
        self.count as usize * (self.width * 16 + 48)
    }
}
