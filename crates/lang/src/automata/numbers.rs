//! Sets of numbers. They are made and joined all the time, and nearly all numbers are near 0; these are bits of a word.

/// The least number that is a bit.
const LEAST: i64 = -32;

/// A set of numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Values {
    /// Those from [`LEAST`] on.
    near: u128,
    /// The others, in order.
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

    pub(super) fn contains(&self, value: i64) -> bool {
        bit(value).map_or_else(|| self.far.binary_search(&value).is_ok(), |bit| self.near & bit != 0)
    }

    pub(super) fn insert(&mut self, value: i64) {
        if let Some(bit) = bit(value) {
            self.near |= bit;
        } else if let Err(at) = self.far.binary_search(&value) {
            self.far.insert(at, value);
        }
    }

    pub(super) fn extend(&mut self, more: &Self) {
        self.near |= more.near;
        more.far.iter().for_each(|&value| self.insert(value));
    }

    pub(super) fn retain(&mut self, mut keep: impl FnMut(i64) -> bool) {
        let kept = self.iter().filter(|&value| keep(value)).collect();
        *self = kept;
    }

    /// Keeps the least `most` numbers; whether there were more.
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
        assert!(all.len() == 10 && numbers.into_iter().all(|number| all.contains(number)) && !all.contains(2));
        let mut few = Values::from([5, -33]);
        few.extend(&all);
        few.insert(97);
        assert_eq!(few.len(), 12);
        few.retain(|value| value.abs() < 100 && value != 0);
        assert_eq!(few.iter().collect::<Vec<_>>(), [-33, -32, -1, 1, 5, 95, 96, 97]);
        assert!(all.truncate(4) && !all.truncate(4));
        assert_eq!(all.iter().collect::<Vec<_>>(), numbers[..4]);
    }
}
