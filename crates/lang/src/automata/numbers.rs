//! Sets of numbers. Nearly all numbers are near 0 and are bits of a word, because sets are made and joined very often.

/// The smallest number that is a bit.
const LEAST: i64 = -32;

/// A set of numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Values {
    /// The numbers from [`LEAST`] on that fit.
    near: u128,
    /// All other numbers, in order.
    far: Vec<i64>,
}

/// The bit of a number that is near 0.
fn bit(value: i64) -> Option<u128> {
    let at = value.checked_sub(LEAST).and_then(|at| u32::try_from(at).ok())?;
    1_u128.checked_shl(at)
}

/// The numbers of these bits, in order.
fn near(bits: u128) -> impl Iterator<Item = i64> {
    let without_least = |rest: &u128| Some(rest & (rest - 1)).filter(|rest| *rest != 0);
    let rests = std::iter::successors(Some(bits).filter(|bits| *bits != 0), without_least);
    rests.map(|rest| LEAST + i64::from(rest.trailing_zeros()))
}

impl Values {
    pub(super) fn new() -> Self {
        Self::default()
    }

    pub(super) fn len(&self) -> usize {
        self.near.count_ones() as usize + self.far.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.near == 0 && self.far.is_empty()
    }

    /// The numbers in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = i64> + '_ {
        let (below, above) = self.far.split_at(self.far.partition_point(|&value| value < LEAST));
        below.iter().copied().chain(near(self.near)).chain(above.iter().copied())
    }

    pub(super) fn insert(&mut self, value: i64) {
        if let Some(bit) = bit(value) {
            self.near |= bit;
        } else if let Err(at) = self.far.binary_search(&value) {
            self.far.insert(at, value);
        }
    }

    /// Adds all numbers of another set. Returns whether any of them was new.
    pub(super) fn extend(&mut self, more: &Self) -> bool {
        let (near, far) = (self.near, self.far.len());
        self.near |= more.near;
        more.far.iter().for_each(|&value| self.insert(value));
        self.near != near || self.far.len() != far
    }

    pub(super) fn retain(&mut self, mut keep: impl FnMut(i64) -> bool) {
        let kept = self.iter().filter(|&value| keep(value)).collect();
        *self = kept;
    }

    /// Keeps the numbers that are also in another set.
    pub(super) fn keep(&mut self, others: &Self) {
        self.near &= others.near;
        self.far.retain(|value| others.far.binary_search(value).is_ok());
    }

    /// The number, if there is exactly one.
    pub(super) fn only(&self) -> Option<i64> {
        let mut numbers = self.iter();
        numbers.next().filter(|_| numbers.next().is_none())
    }

    /// All numbers plus a constant. Nothing if that would take long.
    pub(super) fn moved(&self, by: i64) -> Option<Self> {
        let places = u32::try_from(by.unsigned_abs()).ok()?;
        let fits = if by < 0 { self.near.trailing_zeros() >= places } else { self.near.leading_zeros() >= places };
        if !self.far.is_empty() || !fits || places >= u128::BITS {
            return None;
        }
        let near = if by < 0 { self.near >> places } else { self.near << places };
        Some(Self { near, far: Vec::new() })
    }

    /// Keeps the `most` smallest numbers. Returns whether there were more.
    pub(super) fn truncate(&mut self, most: usize) -> bool {
        let more = self.len() > most;
        if more {
            *self = self.iter().take(most).collect();
        }
        more
    }
}

impl FromIterator<i64> for Values {
    fn from_iter<I: IntoIterator<Item = i64>>(numbers: I) -> Self {
        let mut values = Self::new();
        for number in numbers {
            match bit(number) {
                Some(bit) => values.near |= bit,
                None => values.far.push(number),
            }
        }
        values.far.sort_unstable();
        values.far.dedup();
        values
    }
}

impl<const N: usize> From<[i64; N]> for Values {
    fn from(numbers: [i64; N]) -> Self {
        numbers.into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_near_and_far() {
        let numbers = [i64::MIN + 1, -33, -32, -1, 0, 1, 95, 96, 1000, i64::MAX];
        let mut all: Values = numbers.into_iter().rev().collect();
        assert_eq!(all.iter().collect::<Vec<_>>(), numbers);
        assert_eq!(all.len(), 10);
        let mut few = Values::from([5, -33]);
        few.extend(&all);
        few.insert(97);
        assert_eq!(few.len(), 12);
        few.retain(|value| value.abs() < 100 && value != 0);
        assert_eq!(few.iter().collect::<Vec<_>>(), [-33, -32, -1, 1, 5, 95, 96, 97]);
        few.keep(&Values::from([-33, 1, 2, 97, 98]));
        assert_eq!(few, Values::from([-33, 1, 97]));
        let near = Values::from([-32, 0, 90]);
        assert_eq!(near.moved(5), Some(Values::from([-27, 5, 95])));
        assert_eq!(Values::from([-30, 95]).moved(-2), Some(Values::from([-32, 93])));
        assert!(near.moved(6).is_none() && near.moved(-1).is_none() && all.moved(1).is_none());
        assert!(near.moved(i64::MIN).is_none() && Values::new().moved(1) == Some(Values::new()));
        assert!(Values::from([1000]).only() == Some(1000) && near.only().is_none() && Values::new().only().is_none());
        assert!(all.truncate(4) && !all.truncate(4));
        assert_eq!(all.iter().collect::<Vec<_>>(), numbers[..4]);
    }
}
