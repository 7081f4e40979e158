//! The distinct monitor states of a joint search.

use super::Views;
use crate::lanes::{BitReader, BitWriter};
use rustc_hash::FxHashMap;

/// All distinct monitor states, and the steps between them; they are few compared with the states of the search.
pub(super) struct Monitors<const N: usize> {
    empty: Views<N>,
    pub(super) width: usize,
    pub(super) all: Vec<Views<N>>,
    words: Vec<u64>,
    numbers: FxHashMap<Box<[u64]>, u32>,
    steps: FxHashMap<Step, u32>,
    buffer: Vec<u64>,
    /// What was looked for last.
    last: u32,
}

/// Everything that the next monitor state depends on.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Step {
    pub(super) monitor: u32,
    pub(super) op: u32,
    pub(super) goes_wrong: bool,
    pub(super) outlook: u32,
}

impl<const N: usize> Monitors<N> {
    pub(super) fn new(empty: Views<N>) -> Self {
        let width = (empty.awareness.bits() + empty.model.bits()).div_ceil(64).max(1);
        Self {
            empty,
            width,
            all: Vec::new(),
            words: Vec::new(),
            numbers: FxHashMap::default(),
            steps: FxHashMap::default(),
            buffer: vec![0; width],
            last: 0,
        }
    }

    pub(super) fn packed(&self, monitor: u32) -> &[u64] {
        &self.words[monitor as usize * self.width..][..self.width]
    }

    pub(super) fn number(&mut self, views: &Views<N>) -> u32 {
        let mut writer = BitWriter::new(&mut self.buffer);
        views.awareness.pack(&mut writer);
        views.model.pack(&mut writer);
        if let Some(&known) = self.numbers.get(self.buffer.as_slice()) {
            return known;
        }
        let number = self.all.len() as u32;
        self.all.push(views.clone());
        self.words.extend_from_slice(&self.buffer);
        self.numbers.insert(self.buffer.as_slice().into(), number);
        number
    }

    pub(super) fn memo(&mut self, step: Step, take: impl FnOnce(&mut Views<N>)) -> u32 {
        if let Some(&next) = self.steps.get(&step) {
            return next;
        }
        let mut views = self.all[step.monitor as usize].clone();
        take(&mut views);
        let next = self.number(&views);
        self.steps.insert(step, next);
        next
    }

    /// The number of a monitor state that another worker may have met first.
    pub(super) fn find(&mut self, words: &[u64]) -> u32 {
        // Several questions about the same one come one after the other.
        if !self.all.is_empty() && self.packed(self.last) == words {
            return self.last;
        }
        self.last = self.look_up(words);
        self.last
    }

    fn look_up(&mut self, words: &[u64]) -> u32 {
        if let Some(&known) = self.numbers.get(words) {
            return known;
        }
        let mut views = self.empty.clone();
        let mut reader = BitReader::new(words);
        views.awareness.unpack(&mut reader);
        views.model.unpack(&mut reader);
        self.number(&views)
    }

    pub(super) fn bytes(&self) -> usize {
        self.all.len() * (self.width * 24 + 256) + self.steps.len() * 40
    }
}
