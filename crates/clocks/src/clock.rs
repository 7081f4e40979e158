//! Vector clocks: for every slot, the latest moment that is known.
//!
//! Eight slots make a *lane*, so that loops over clocks have no remainders.

use crate::{Epoch, Slot};

/// The entries of eight slots.
pub(crate) type Lane = [u32; LANE];
pub(crate) const LANE: usize = 8;

/// A vector clock. Nothing is known of the slots beyond its length.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Clock(Vec<Lane>);

impl Clock {
    #[inline]
    pub(crate) fn get(&self, slot: Slot) -> Epoch {
        entry(&self.0, slot)
    }

    #[inline]
    pub(crate) fn set(&mut self, slot: Slot, epoch: Epoch) {
        let lane = slot.index() / LANE;
        if lane >= self.0.len() {
            self.lengthen(lane + 1);
        }
        self.0[lane][slot.index() % LANE] = epoch.0;
    }

    #[inline]
    pub(crate) fn lanes(&self) -> &[Lane] {
        &self.0
    }

    /// Whether nothing is known.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Learns everything that another clock knows. Returns whether any of it was new.
    #[inline]
    pub(crate) fn join(&mut self, other: &[Lane]) -> bool {
        if other.len() > self.0.len() {
            self.lengthen(other.len());
        }
        join(&mut self.0, other)
    }

    /// Whether it knows everything that another clock knows.
    #[inline]
    pub(crate) fn covers(&self, other: &[Lane]) -> bool {
        let (common, rest) = other.split_at(other.len().min(self.0.len()));
        crate::wide::covers(&self.0, common) && !rest.iter().flatten().any(|&entry| entry != 0)
    }

    /// Becomes equal to another clock.
    #[inline]
    pub(crate) fn assign(&mut self, other: &[Lane]) {
        if other.len() > self.0.len() {
            self.lengthen(other.len());
        }
        assign(&mut self.0, other);
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    #[cold]
    fn lengthen(&mut self, lanes: usize) {
        self.0.resize(lanes, [0; LANE]);
    }
}

/// One entry of a clock.
#[inline]
pub(crate) fn entry(lanes: &[Lane], slot: Slot) -> Epoch {
    Epoch(lanes.get(slot.index() / LANE).map_or(0, |lane| lane[slot.index() % LANE]))
}

/// Takes the later moment for each entry. Returns whether anything changed. `into` must be at least as long as `from`.
#[inline]
pub(crate) fn join(into: &mut [Lane], from: &[Lane]) -> bool {
    // Most programs have few threads.
    if let ([mine, ..], [theirs]) = (&mut *into, from) {
        return join_lane(mine, theirs) != 0;
    }
    crate::wide::join(into, from)
}

/// Joins `from` into one clock, and copies the result to another. Returns whether the first clock knew more than `from`. Both must be at least as long as `from`.
#[inline]
pub(crate) fn join_twice(into: &mut [Lane], copy: &mut [Lane], from: &[Lane]) -> bool {
    let knew_more = crate::wide::join_twice(into, copy, from);
    let beyond = from.len()..into.len().min(copy.len());
    beyond.fold(knew_more, |knew_more, at| {
        copy[at] = into[at];
        knew_more || into[at] != [0; LANE]
    })
}

/// Joins one lane. Returns the bits that changed.
#[inline]
pub(crate) fn join_lane(mine: &mut Lane, theirs: &Lane) -> u32 {
    let mut grown = 0;
    for (mine, &theirs) in mine.iter_mut().zip(theirs) {
        let later = theirs.max(*mine);
        grown |= later ^ *mine;
        *mine = later;
    }
    grown
}

/// Copies, and clears the rest. `into` must be at least as long as `from`.
#[inline]
pub(crate) fn assign(into: &mut [Lane], from: &[Lane]) {
    // A single lane is copied without a call.
    if let ([mine], [theirs]) = (&mut *into, from) {
        *mine = *theirs;
        return;
    }
    crate::wide::assign(into, from);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lane(first: [u32; 4]) -> Lane {
        std::array::from_fn(|at| first.get(at).copied().unwrap_or(0))
    }

    #[test]
    fn joining_grows_and_says_so() {
        let mut clock = Clock::default();
        assert!(clock.is_empty() && !clock.join(&[]));
        assert!(clock.join(&[lane([0, 3, 0, 0])]));
        assert!(!clock.join(&[lane([0, 2, 0, 0])]) && clock.join(&[lane([1, 0, 0, 0])]));
        assert_eq!(clock.lanes(), [lane([1, 3, 0, 0])]);
        assert!(
            clock.covers(&[lane([1, 2, 0, 0]), [0; LANE]])
                && !clock.covers(&[lane([0, 4, 0, 0])])
                && !clock.covers(&[[0; LANE], lane([0, 1, 0, 0])])
        );
        assert_eq!((clock.get(Slot(1)), clock.get(Slot(17))), (Epoch(3), Epoch(0)));
        clock.set(Slot(9), Epoch(9));
        clock.assign(&[lane([2, 0, 0, 0])]);
        assert_eq!(clock.lanes(), [lane([2, 0, 0, 0]), [0; LANE]]);
    }
}
