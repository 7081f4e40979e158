//! Sets of shared variables, and of processes, as machine words.

/// A set of small numbers: variables, or processes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VarSet(pub u64);

impl VarSet {
    /// The largest number that fits, plus one.
    pub const CAPACITY: usize = 64;

    /// The set with nothing in it.
    pub const EMPTY: Self = Self(0);

    /// The set with one number in it.
    pub fn one(element: usize) -> Self {
        Self(1 << element)
    }

    /// Whether the number is in it.
    pub fn contains(self, element: usize) -> bool {
        self.0 >> element & 1 == 1
    }

    /// Adds a number.
    pub fn insert(&mut self, element: usize) {
        self.0 |= 1 << element;
    }

    /// Everything in either set.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Everything in both sets.
    #[must_use]
    pub fn meet(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Everything in this set that is not in the other.
    #[must_use]
    pub fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Whether the sets share something.
    pub fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Whether nothing is in it.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The numbers, in increasing order.
    pub fn iter(self) -> impl Iterator<Item = usize> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let next = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
            rest &= rest - 1;
            Some(next)
        })
    }
}

impl FromIterator<usize> for VarSet {
    fn from_iter<I: IntoIterator<Item = usize>>(elements: I) -> Self {
        let mut set = Self::EMPTY;
        elements.into_iter().for_each(|element| set.insert(element));
        set
    }
}

#[cfg(test)]
mod tests {
    use super::VarSet;

    #[test]
    fn sets_know_what_is_in_them() {
        let set: VarSet = [3, 1, 63].into_iter().collect();
        assert_eq!(set.iter().collect::<Vec<_>>(), [1, 3, 63]);
        assert!(set.contains(63) && !set.contains(0) && set.meets(VarSet::one(3)));
        assert_eq!(set.without(VarSet::one(1)).union(VarSet::EMPTY).iter().count(), 2);
        assert!(set.meet(VarSet::one(2)).is_empty());
    }
}
