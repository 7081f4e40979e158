//! A set of one thread's registers.

use crate::RegId;
use steadfast_span::Index;

/// A growable bit set of registers. Equality ignores how much room was made.
#[derive(Clone, Debug, Default)]
pub struct RegSet {
    words: Vec<u64>,
}

impl PartialEq for RegSet {
    fn eq(&self, other: &Self) -> bool {
        self.is_subset(other) && other.is_subset(self)
    }
}
impl Eq for RegSet {}

impl RegSet {
    /// The empty set.
    pub const fn new() -> Self {
        Self { words: Vec::new() }
    }

    /// Adds a register.
    pub fn insert(&mut self, reg: RegId) {
        let word = reg.index() / 64;
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        self.words[word] |= 1 << (reg.index() % 64);
    }

    /// Removes a register.
    pub fn remove(&mut self, reg: RegId) {
        if let Some(word) = self.words.get_mut(reg.index() / 64) {
            *word &= !(1 << (reg.index() % 64));
        }
    }

    /// Whether a register is in it.
    pub fn contains(&self, reg: RegId) -> bool {
        self.words.get(reg.index() / 64).is_some_and(|word| word >> (reg.index() % 64) & 1 == 1)
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }

    /// Whether all of it is in `other`.
    pub fn is_subset(&self, other: &Self) -> bool {
        self.words.iter().enumerate().all(|(at, word)| word & !other.words.get(at).unwrap_or(&0) == 0)
    }

    /// Whether some register is in both.
    pub fn intersects(&self, other: &Self) -> bool {
        self.words.iter().zip(&other.words).any(|(a, b)| a & b != 0)
    }

    /// Adds all of `other`; returns whether anything was new.
    pub fn union_with(&mut self, other: &Self) -> bool {
        if other.words.len() > self.words.len() {
            self.words.resize(other.words.len(), 0);
        }
        let mut grew = false;
        for (mine, theirs) in self.words.iter_mut().zip(&other.words) {
            grew |= theirs & !*mine != 0;
            *mine |= theirs;
        }
        grew
    }

    /// The registers in order.
    pub fn iter(&self) -> impl Iterator<Item = RegId> + '_ {
        (0..self.words.len() * 64).map(RegId::new).filter(|&reg| self.contains(reg))
    }
}

impl FromIterator<RegId> for RegSet {
    fn from_iter<I: IntoIterator<Item = RegId>>(regs: I) -> Self {
        let mut set = Self::new();
        regs.into_iter().for_each(|reg| set.insert(reg));
        set
    }
}
