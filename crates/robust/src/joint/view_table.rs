//! The distinct views of a joint search.

use super::Views;
use crate::lanes::{BitReader, BitWriter, same};
use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;
use std::hash::BuildHasher;

/// All distinct views, packed. They are few compared with the states of the search.
pub(super) struct ViewTable<const N: usize> {
    pub(super) width: usize,
    count: u32,
    words: Vec<u64>,
    /// The numbers of all views, by the hashes of their words.
    numbers: HashTable<u32>,
    steps: Recent,
    /// The number of the views that were last unpacked, if any: several questions about the same views come in a row.
    current: Option<u32>,
    views: Views<N>,
    /// Buffers for the next views, unpacked and packed.
    next: Views<N>,
    buffer: Vec<u64>,
}

/// Everything that the views after a step depend on.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub(super) struct ViewStep {
    pub(super) views: u32,
    pub(super) op: u32,
    pub(super) goes_wrong: bool,
    pub(super) remaining: u32,
}

/// A cache of steps. Where steps repeat often, there are few of them; where there are many, caching all of them takes longer than computing them again.
struct Recent {
    steps: Vec<(ViewStep, Option<u32>)>,
    /// How many steps were added since it last grew.
    put: usize,
}

impl Default for Recent {
    fn default() -> Self {
        Self { steps: vec![(ViewStep::default(), None); 1 << 6], put: 0 }
    }
}

impl Recent {
    /// The largest table is about as large as a cache.
    const MOST: usize = 1 << 14;

    fn place(&self, step: ViewStep) -> usize {
        (FxBuildHasher.hash_one(step) >> 20) as usize & (self.steps.len() - 1)
    }

    fn get(&self, step: ViewStep) -> Option<u32> {
        let (known, next) = self.steps[self.place(step)];
        next.filter(|_| known == step)
    }

    fn insert(&mut self, step: ViewStep, next: u32) {
        self.put += 1;
        if self.put > self.steps.len() && self.steps.len() < Self::MOST {
            let larger = vec![(ViewStep::default(), None); 4 * self.steps.len()];
            let old = std::mem::replace(&mut self.steps, larger);
            self.put = 0;
            old.into_iter()
                .filter_map(|(step, next)| Some((step, next?)))
                .for_each(|(step, next)| self.put_at_place(step, next));
        }
        self.put_at_place(step, next);
    }

    fn put_at_place(&mut self, step: ViewStep, next: u32) {
        let place = self.place(step);
        self.steps[place] = (step, Some(next));
    }
}

impl<const N: usize> ViewTable<N> {
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

    pub(super) fn packed(&self, view_id: u32) -> &[u64] {
        &self.words[view_id as usize * self.width..][..self.width]
    }

    /// The number of some views.
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

    /// The number of the views after a step, which `take` computes.
    pub(super) fn after_step(&mut self, step: ViewStep, take: impl FnOnce(&mut Views<N>)) -> u32 {
        if let Some(next) = self.steps.get(step) {
            return next;
        }
        self.unpacked(step.views);
        self.next.copy(&self.views);
        take(&mut self.next);
        let next = self.number_next();
        self.steps.insert(step, next);
        next
    }

    /// The number of packed views, which another worker may have found first, and the views.
    pub(super) fn find(&mut self, packed: &[u64]) -> (u32, &Views<N>) {
        let number = match self.current {
            Some(current) if same(self.packed(current), packed) => current,
            _ => self.number_packed(packed),
        };
        (number, self.unpacked(number))
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

    /// Unpacks views.
    pub(super) fn unpacked(&mut self, view_id: u32) -> &Views<N> {
        if self.current != Some(view_id) {
            let mut reader = BitReader::new(&self.words[view_id as usize * self.width..][..self.width]);
            self.views.awareness.unpack(&mut reader);
            self.views.model.unpack(&mut reader);
            self.current = Some(view_id);
        }
        &self.views
    }

    pub(super) fn bytes(&self) -> usize {
        self.count as usize * (self.width * 16 + 48)
    }
}
