//! A small pseudo-random generator (xorshift with a multiplier), so that a seed means the same program everywhere and for ever.

/// A deterministic source of randomness.
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// A generator for this seed. Different seeds, zero included, give different sequences.
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
