//! Vector clocks: for every slot, up to which moment it is known.
//!
//! Four slots make a *lane*, so that joining and copying are loops without remainders.

use crate::{Epoch, Slot};

/// The entries of four slots.
pub(crate) type Lane = [u64; 4];
pub(crate) const LANE: usize = 4;

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

    /// Whether it knows all that the other one knows.
    #[inline]
    pub(crate) fn covers(&self, other: &[Lane]) -> bool {
        let beyond = |lane: &Lane| lane.iter().any(|&entry| entry != 0);
        let (common, rest) = other.split_at(other.len().min(self.0.len()));
        let later = |mine: &Lane, theirs: &Lane| mine.iter().zip(theirs).any(|(mine, theirs)| theirs > mine);
        !self.0.iter().zip(common).any(|(mine, theirs)| later(mine, theirs)) && !rest.iter().any(beyond)
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

/// Changes one entry, if there is such an entry.
#[inline]
pub(crate) fn set_entry(lanes: &mut [Lane], slot: Slot, epoch: Epoch) {
    if let Some(lane) = lanes.get_mut(slot.index() / LANE) {
        lane[slot.index() % LANE] = epoch.0;
    }
}

/// Entry by entry the later moment. Says whether anything changed. `into` must be at least as long.
#[inline]
pub(crate) fn join(into: &mut [Lane], from: &[Lane]) -> bool {
    // Most programs have few threads.
    if let ([mine, ..], [theirs]) = (&mut *into, from) {
        return join_lane(mine, theirs) != 0;
    }
    crate::wide::join(into, from)
}

/// Joins one lane. Returns the bits that changed.
#[inline]
pub(crate) fn join_lane(mine: &mut Lane, theirs: &Lane) -> u64 {
    let mut grown = 0;
    for (mine, &theirs) in mine.iter_mut().zip(theirs) {
        let later = theirs.max(*mine);
        grown |= later ^ *mine;
        *mine = later;
    }
    grown
}

/// Copies, and forgets what is beyond. `into` must be at least as long.
#[inline]
pub(crate) fn assign(into: &mut [Lane], from: &[Lane]) {
    // No need to call somebody else to copy a lane.
    if let ([mine], [theirs]) = (&mut *into, from) {
        *mine = *theirs;
        return;
    }
    crate::wide::assign(into, from);
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
        assert!(
            clock.covers(&[[1, 2, 0, 0], [0; 4]])
                && !clock.covers(&[[0, 4, 0, 0]])
                && !clock.covers(&[[0; 4], [0, 1, 0, 0]])
        );
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
