//! Vector clocks: for every slot, up to which moment it is known.
//!
//! Four slots make a *lane*, so that joining and copying are loops without remainders.

use crate::{Epoch, Slot};

/// The entries of four slots.
pub(crate) type Lane = [u64; 4];
const LANE: usize = 4;

/// A vector clock. Slots beyond its length are not known at all.
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

    /// Learns all that the other one knows. Says whether that was anything new.
    #[inline]
    pub(crate) fn join(&mut self, other: &[Lane]) -> bool {
        if other.len() > self.0.len() {
            self.lengthen(other.len());
        }
        join(&mut self.0, other)
    }

    /// Knows what the other one knows, and nothing else.
    #[inline]
    pub(crate) fn assign(&mut self, other: &[Lane]) {
        if other.len() > self.0.len() {
            self.lengthen(other.len());
        }
        assign(&mut self.0, other);
    }

    /// Knows nothing again.
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    /// Whether a moment is known, and with it everything that its thread knew then.
    #[inline]
    pub(crate) fn includes(&self, slot: Slot, epoch: Epoch) -> bool {
        let known = self.get(slot);
        known >= epoch && known.same_incarnation(epoch)
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

/// Entry by entry the later moment. Says whether anything changed. `into` must be at least as long.
#[inline]
pub(crate) fn join(into: &mut [Lane], from: &[Lane]) -> bool {
    let mut grown = 0;
    for (mine, theirs) in into.iter_mut().zip(from) {
        for (mine, &theirs) in mine.iter_mut().zip(theirs) {
            let later = theirs.max(*mine);
            grown |= later ^ *mine;
            *mine = later;
        }
    }
    grown != 0
}

/// Copies, and forgets what is beyond. `into` must be at least as long.
#[inline]
pub(crate) fn assign(into: &mut [Lane], from: &[Lane]) {
    // Most programs have few threads; no need to call somebody else to copy a lane.
    if let ([mine], [theirs]) = (&mut *into, from) {
        *mine = *theirs;
        return;
    }
    let mut rest = into.iter_mut();
    for theirs in from {
        if let Some(mine) = rest.next() {
            *mine = *theirs;
        }
    }
    rest.for_each(|mine| *mine = [0; LANE]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joining_grows_and_says_so() {
        let mut clock = Clock::default();
        assert!(clock.is_empty() && !clock.join(&[]));
        assert!(clock.join(&[[0, 3, 0, 0]]));
        assert!(!clock.join(&[[0, 2, 0, 0]]) && clock.join(&[[1, 0, 0, 0]]));
        assert_eq!(clock.lanes(), [[1, 3, 0, 0]]);
        assert_eq!(clock.get(Slot(7)), Epoch(0));
        assert!(clock.includes(Slot(1), Epoch(2)) && !clock.includes(Slot(1), Epoch(4)));
        clock.set(Slot(5), Epoch(9));
        clock.assign(&[[2, 0, 0, 0]]);
        assert_eq!(clock.lanes(), [[2, 0, 0, 0], [0; 4]]);
    }

    #[test]
    fn another_incarnation_is_not_included() {
        let mut clock = Clock::default();
        let old = Epoch(5);
        clock.set(Slot(0), old.next_incarnation().unwrap());
        assert!(clock.get(Slot(0)) >= old && !clock.includes(Slot(0), old));
    }
}
