//! An exact set of states of a fixed size: an arena, and a hash table of positions in it.
//!
//! It is written by hand because a general map would store every state twice or keep a pointer per state. Here a state costs its own words and about six bytes.

/// Smaller tables grow by a larger factor.
const SMALL: usize = 1 << 13;

/// A set of states, each of `W` words.
#[derive(Debug)]
pub struct Shard<const W: usize> {
    states: Vec<[u64; W]>,
    /// Positions in `states` plus one; 0 is empty. The length is a power of two.
    table: Vec<u32>,
}

/// The hash of a state. The low bits choose the shard and the high bits the slot, so both are well mixed.
#[inline]
pub(crate) fn hash<const W: usize>(state: &[u64; W]) -> u64 {
    let mut mixed = 0x9E37_79B9_7F4A_7C15_u64;
    for &word in state {
        let product = u128::from(mixed ^ word).wrapping_mul(0xA076_1D64_78BD_642F_u128);
        mixed = (product as u64) ^ ((product >> 64) as u64) ^ word.rotate_left(23);
    }
    let product = u128::from(mixed).wrapping_mul(0xE703_7ED1_A0B4_28DB_u128);
    (product as u64) ^ ((product >> 64) as u64)
}

impl<const W: usize> Default for Shard<W> {
    fn default() -> Self {
        Self { states: Vec::new(), table: vec![0; 16] }
    }
}

impl<const W: usize> Shard<W> {
    /// How many states are stored.
    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// Whether none is stored.
    pub fn is_empty(&self) -> bool {
        self.states.is_empty()
    }

    /// The state at a position.
    pub fn get(&self, position: usize) -> &[u64; W] {
        &self.states[position]
    }

    /// Bytes in use.
    pub fn bytes(&self) -> usize {
        self.states.capacity() * W * 8 + self.table.len() * 4
    }

    /// Finds a state or adds it. Returns its position and whether it is new.
    pub fn insert(&mut self, state: &[u64; W]) -> (usize, bool) {
        self.insert_hashed(hash(state), state)
    }

    pub(crate) fn insert_hashed(&mut self, hash: u64, state: &[u64; W]) -> (usize, bool) {
        if self.states.len() * 4 >= self.table.len() * 3 {
            self.grow();
        }
        let mask = self.table.len() - 1;
        let mut slot = (hash >> 20) as usize & mask;
        loop {
            match self.table[slot] {
                0 => break,
                found if self.states[found as usize - 1] == *state => return (found as usize - 1, false),
                _ => slot = (slot + 1) & mask,
            }
        }
        self.states.push(*state);
        self.table[slot] = u32::try_from(self.states.len()).expect("a shard holds fewer than 2^32 states");
        (self.states.len() - 1, true)
    }

    /// Frees what is needed only to add states.
    pub(crate) fn close(&mut self) {
        self.table = Vec::new();
        self.states.shrink_to_fit();
    }

    fn grow(&mut self) {
        // While a table is small, one that is mostly empty costs less than filling several tables in turn.
        let factor = if self.table.len() < SMALL { 8 } else { 2 };
        let mask = self.table.len() * factor - 1;
        let mut table = vec![0; mask + 1];
        for (position, state) in self.states.iter().enumerate() {
            let mut slot = (hash(state) >> 20) as usize & mask;
            while table[slot] != 0 {
                slot = (slot + 1) & mask;
            }
            table[slot] = position as u32 + 1;
        }
        self.table = table;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_state_is_stored_once() {
        let mut shard = Shard::<2>::default();
        for round in 0..2 {
            for n in 0..10_000_u64 {
                let (position, new) = shard.insert(&[n % 100, n / 100]);
                assert_eq!((position as u64, new), (n, round == 0));
            }
        }
    }
}
