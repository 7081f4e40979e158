//! The stale values of one location as bits: one class per critical value, and one class for all other values (PLDI'19 §5.1).
//!
//! A view is a set of pairs of a location and a value class, stored as bits in one or more words. The bits of one location
//! have the same places in every view.

use crate::expr::OLD;
use steadfast_ir::{Value, values::ValueSet};

/// How many bits a word has. Promela's widest type is a signed 32-bit integer, and we do not use the sign.
pub(crate) const WORD: usize = 31;

/// The place of a bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Bit {
    word: usize,
    shift: usize,
}

/// Consecutive values with consecutive bits in one word.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Run {
    first: Value,
    last: Value,
    bit: Bit,
}

/// The bits of one location.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct LocationBits {
    runs: Vec<Run>,
    others: Option<Bit>,
}

impl LocationBits {
    /// Gives bits to the classes of a location that can hold the values in `possible`. Only the values in `critical` need a class of their own.
    /// `next` is the first free bit.
    pub(crate) fn new(possible: &ValueSet, critical: &ValueSet, next: &mut usize) -> Self {
        let mut bits = Self::default();
        for value in possible.iter().filter(|&value| critical.contains(value)) {
            let bit = take(next);
            match bits.runs.last_mut() {
                Some(run) if run.last + 1 == value && run.bit.word == bit.word => run.last = value,
                _ => bits.runs.push(Run { first: value, last: value, bit }),
            }
        }
        if possible.iter().any(|value| !critical.contains(value)) {
            bits.others = Some(take(next));
        }
        bits
    }

    /// One bit for all values of a location.
    pub(crate) fn single(next: &mut usize) -> Self {
        Self { runs: Vec::new(), others: Some(take(next)) }
    }

    /// The words with bits of the location, in order.
    pub(crate) fn words(&self) -> Vec<usize> {
        let mut words: Vec<_> =
            self.runs.iter().map(|run| run.bit.word).chain(self.others.map(|bit| bit.word)).collect();
        words.dedup();
        words
    }

    /// The bits of the location in a word.
    pub(crate) fn mask(&self, word: usize) -> u32 {
        let runs = self.runs.iter().filter(|run| run.bit.word == word);
        let others = self.others.filter(|bit| bit.word == word).map_or(0, |bit| 1 << bit.shift);
        runs.fold(others, |mask, run| mask | run.mask())
    }

    /// The bit in a word for the class of the value in the variable `old`.
    pub(crate) fn stored(&self, word: usize) -> String {
        if let ([], Some(bit)) = (self.runs.as_slice(), self.others) {
            return if bit.word == word { (1_u32 << bit.shift).to_string() } else { "0".into() };
        }
        let mut terms: Vec<String> =
            self.runs.iter().filter(|run| run.bit.word == word).map(|run| run.bit_of(OLD)).collect();
        if let Some(bit) = self.others.filter(|bit| bit.word == word) {
            let none: Vec<String> = self.runs.iter().map(|run| format!("!{}", run.holds(OLD))).collect();
            terms.push(format!("({} -> {} : 0)", none.join(" && "), 1_u32 << bit.shift));
        }
        union(terms)
    }

    /// The bit in a word for a value that an instruction waits for; 0 if the location never holds it.
    pub(crate) fn awaited(&self, word: usize, value: &str, constant: Option<Value>) -> String {
        let runs = self.runs.iter().filter(|run| run.bit.word == word);
        match constant {
            Some(value) => {
                let run = runs.into_iter().find(|run| (run.first..=run.last).contains(&value));
                run.map_or("0".into(), |run| (1_u32 << (run.bit.shift + usize::from(value - run.first))).to_string())
            }
            None => union(runs.map(|run| run.bit_of(value)).collect()),
        }
    }
}

impl Run {
    fn mask(&self) -> u32 {
        let count = u32::from(self.last - self.first) + 1;
        (((1_u64 << count) - 1) << self.bit.shift) as u32
    }

    fn holds(&self, value: &str) -> String {
        if self.first == self.last {
            format!("({value} == {})", self.first)
        } else {
            format!("({value} >= {} && {value} <= {})", self.first, self.last)
        }
    }

    fn bit_of(&self, value: &str) -> String {
        let bit = 1_u32 << self.bit.shift;
        if self.first == self.last {
            format!("({value} == {} -> {bit} : 0)", self.first)
        } else {
            format!("({} -> {bit} << ({value} - {}) : 0)", self.holds(value), self.first)
        }
    }
}

fn take(next: &mut usize) -> Bit {
    let bit = Bit { word: *next / WORD, shift: *next % WORD };
    *next += 1;
    bit
}

fn union(terms: Vec<String>) -> String {
    match terms.len() {
        0 => "0".into(),
        1 => terms.into_iter().next().unwrap_or_default(),
        _ => format!("({})", terms.join(" | ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(values: &[Value]) -> ValueSet {
        let mut set = ValueSet::EMPTY;
        for &value in values {
            set.insert(value);
        }
        set
    }

    #[test]
    fn critical_values_have_classes_of_their_own() {
        let mut next = 2;
        let bits = LocationBits::new(&set(&[0, 1, 2, 7]), &set(&[1, 2, 9]), &mut next);
        assert_eq!(next, 5);
        assert_eq!(bits.mask(0), 0b11100);
        assert_eq!(
            bits.stored(0),
            "(((old >= 1 && old <= 2) -> 4 << (old - 1) : 0) | (!(old >= 1 && old <= 2) -> 16 : 0))"
        );
        assert_eq!(bits.awaited(0, "2", Some(2)), "8");
        assert_eq!(bits.awaited(0, "9", Some(9)), "0");
    }

    #[test]
    fn columns_cross_words() {
        let mut next = 30;
        let bits = LocationBits::new(&set(&[0, 1]), &set(&[0, 1]), &mut next);
        assert_eq!(bits.words(), [0, 1]);
        assert_eq!((bits.mask(0), bits.mask(1)), (1 << 30, 1));
    }

    #[test]
    fn without_critical_values_there_is_one_bit() {
        let mut next = 0;
        let bits = LocationBits::new(&set(&[0, 1, 2]), &ValueSet::EMPTY, &mut next);
        assert_eq!((next, bits.stored(0).as_str()), (1, "1"));
    }
}
