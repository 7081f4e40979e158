//! A set of one thread's registers.

use crate::RegId;
use crate::bits::ones;
use steadfast_span::Index;

/// A growable bit set of registers. Few threads have more than 64 registers, so most sets need no heap memory. Equality ignores the capacity.
#[derive(Clone, Debug, Default)]
pub struct RegSet {
    first: u64,
    more: Vec<u64>,
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
        Self { first: 0, more: Vec::new() }
    }

    fn word(&self, at: usize) -> u64 {
        if at == 0 { self.first } else { self.more.get(at - 1).copied().unwrap_or_default() }
    }

    fn words(&self) -> impl Iterator<Item = u64> + '_ {
        std::iter::once(self.first).chain(self.more.iter().copied())
    }

    /// A word, which is added if necessary.
    fn word_mut(&mut self, at: usize) -> &mut u64 {
        if at == 0 {
            return &mut self.first;
        }
        if at > self.more.len() {
            self.more.resize(at, 0);
        }
        &mut self.more[at - 1]
    }

    /// Adds a register.
    pub fn insert(&mut self, reg: RegId) {
        *self.word_mut(reg.index() / 64) |= 1 << (reg.index() % 64);
    }

    /// Removes a register.
    pub fn remove(&mut self, reg: RegId) {
        if self.contains(reg) {
            *self.word_mut(reg.index() / 64) &= !(1 << (reg.index() % 64));
        }
    }

    /// Whether it contains a register.
    pub fn contains(&self, reg: RegId) -> bool {
        self.word(reg.index() / 64) >> (reg.index() % 64) & 1 == 1
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.words().all(|word| word == 0)
    }

    /// Whether `other` contains all of it.
    pub fn is_subset(&self, other: &Self) -> bool {
        self.words().enumerate().all(|(at, word)| word & !other.word(at) == 0)
    }

    /// Whether some register is in both sets.
    pub fn intersects(&self, other: &Self) -> bool {
        self.words().zip(other.words()).any(|(a, b)| a & b != 0)
    }

    /// Adds all registers of `other`. Returns whether any of them was new.
    pub fn union_with(&mut self, other: &Self) -> bool {
        let mut grew = false;
        for (at, theirs) in other.words().enumerate().filter(|(_, theirs)| *theirs != 0) {
            let mine = self.word_mut(at);
            grew |= theirs & !*mine != 0;
            *mine |= theirs;
        }
        grew
    }

    /// The registers in order.
    pub fn iter(&self) -> impl Iterator<Item = RegId> + '_ {
        self.words().enumerate().flat_map(|(at, word)| ones(word).map(move |bit| RegId::new(at * 64 + bit)))
    }
}

impl FromIterator<RegId> for RegSet {
    fn from_iter<I: IntoIterator<Item = RegId>>(regs: I) -> Self {
        let mut set = Self::new();
        regs.into_iter().for_each(|reg| set.insert(reg));
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_beyond_one_word() {
        let all = [0, 1, 63, 64, 130].map(RegId::new);
        let mut set: RegSet = all.into_iter().collect();
        assert_eq!(set.iter().collect::<Vec<_>>(), all);
        assert!(set.contains(RegId::new(64)) && !set.contains(RegId::new(65)) && !set.contains(RegId::new(1000)));
        let low: RegSet = [RegId::new(1)].into_iter().collect();
        assert!(low.is_subset(&set) && !set.is_subset(&low) && set.intersects(&low) && !set.clone().union_with(&low));
        set.remove(RegId::new(130));
        set.remove(RegId::new(64));
        assert_eq!(set, [0, 1, 63].map(RegId::new).into_iter().collect());
        assert!(RegSet::new().is_empty() && RegSet::new().iter().next().is_none());
    }
}
