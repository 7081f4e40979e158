//! Gives pseudo-random numbers: xorshift with a multiplier (Marsaglia 2003, Vigna 2016).
//!
//! Guarantee: a seed gives the same numbers on every machine and in every version, because tests and reports name programs by their seeds. A library
//! from elsewhere does not promise that.
//!
//! Deviations: the lowest 16 bits of a product are dropped, and numbers below a bound are remainders, so that they are not exactly uniform.
//!
//! ```
//! use steadfast_random::Rng;
//!
//! let mut rng = Rng::new(7);
//! assert_eq!([rng.below(100), rng.below(100), rng.below(100)], [20, 48, 12]);
//! ```
//!
//! Invariants: no allocation, no I/O and no dependencies, so that the runtime of the sanitizer can use it, too.

/// A deterministic source of randomness.
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// A generator for this seed, which may be any number. Neighbouring seeds give unrelated sequences.
    pub fn new(seed: u64) -> Self {
        let mut rng = Self((seed ^ 0x5bf0_3635).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        (0..20).for_each(|_| {
            rng.next();
        });
        rng
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16
    }

    /// A number below `bound`, which must not be zero.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    /// True in `percent` of 100 cases.
    pub fn chance(&mut self, percent: u32) -> bool {
        self.next() % 100 < u64::from(percent)
    }

    /// One of the items.
    pub fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }

    /// A position, chosen in proportion to its weight. The weights must not all be zero.
    pub fn weighted(&mut self, weights: &[u32]) -> usize {
        let mut left = self.next() % weights.iter().map(|&weight| u64::from(weight)).sum::<u64>();
        for (at, &weight) in weights.iter().enumerate() {
            match left.checked_sub(u64::from(weight)) {
                Some(rest) => left = rest,
                None => return at,
            }
        }
        weights.len() - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Programs are named by their seeds, so these numbers never change.
    #[test]
    fn a_seed_always_gives_the_same_numbers() {
        let numbers = |seed| {
            let mut rng = Rng::new(seed);
            [(); 6].map(|()| rng.below(1_000))
        };
        assert_eq!(numbers(0), [121, 953, 239, 611, 520, 248]);
        assert_eq!(numbers(1), [305, 238, 737, 817, 668, 476]);
        assert_eq!(numbers(u64::MAX), [555, 724, 547, 738, 918, 480]);
    }

    #[test]
    fn numbers_are_spread() {
        let mut rng = Rng::new(7);
        let (mut below, mut weighted, mut chance) = ([0; 5], [0; 3], 0);
        for _ in 0..1_000 {
            below[rng.below(5)] += 1;
            weighted[rng.weighted(&[2, 0, 3])] += 1;
            chance += usize::from(rng.chance(30));
        }
        assert!(below.iter().all(|&count| count > 150), "{below:?}");
        assert!(weighted[0] > 350 && weighted[1] == 0 && weighted[2] > 550, "{weighted:?}");
        assert!((250..350).contains(&chance), "{chance}");
    }
}
