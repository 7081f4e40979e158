//! What comes before every event: of every chain, the first so many.

use steadfast_explore::{Bound, Budget};

/// More bytes than this are not used, whatever the limits say.
const MOST_BYTES: u64 = 8 << 30;

/// For every event and chain, how many events of the chain come before it.
pub(super) struct Clocks {
    width: usize,
    counts: Vec<u32>,
    places: Vec<(u32, u32)>,
}

impl Clocks {
    /// Clocks that know of nothing.
    pub(super) fn new(places: &[(u32, u32)], width: usize, budget: &Budget<'_>) -> Result<Self, Bound> {
        let bytes = (places.len() as u64).saturating_mul(width as u64).saturating_mul(4);
        if bytes > MOST_BYTES {
            return Err(Bound::Memory(MOST_BYTES));
        }
        // The bytes are in use only for a while, but they have to be there.
        budget.add(0, bytes);
        let checked = budget.check();
        budget.release(bytes);
        checked?;
        Ok(Self { width, counts: vec![0; places.len() * width], places: places.to_vec() })
    }

    /// The later event comes after the earlier one, and after everything that comes before that.
    pub(super) fn pass(&mut self, earlier: usize, later: usize) {
        let (from, to) = (earlier * self.width, later * self.width);
        for chain in 0..self.width {
            let seen = self.counts[from + chain];
            let mine = &mut self.counts[to + chain];
            *mine = seen.max(*mine);
        }
        let (chain, place) = self.places[earlier];
        let mine = &mut self.counts[to + chain as usize];
        *mine = (place + 1).max(*mine);
    }

    /// How many events of the chain come before the event.
    pub(super) fn count(&self, event: usize, chain: u32) -> u32 {
        self.counts[event * self.width + chain as usize]
    }

    /// Whether one event comes before the other.
    pub(super) fn before(&self, one: usize, other: usize) -> bool {
        let (chain, place) = self.places[one];
        one != other && self.count(other, chain) > place
    }

    /// Whether one event is the other, or comes before it.
    pub(super) fn until(&self, one: usize, other: usize) -> bool {
        one == other || self.before(one, other)
    }
}
