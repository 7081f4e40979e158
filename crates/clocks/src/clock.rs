//! Vector clocks: for every slot, up to which moment it is known.

use crate::{Epoch, Slot};

/// A vector clock. Slots beyond its length are not known at all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Clock(Vec<u64>);

impl Clock {
    #[inline]
    pub(crate) fn get(&self, slot: Slot) -> Epoch {
        Epoch(self.0.get(slot.index()).copied().unwrap_or(0))
    }

    pub(crate) fn set(&mut self, slot: Slot, epoch: Epoch) {
        if slot.index() >= self.0.len() {
            self.0.resize(slot.index() + 1, 0);
        }
        self.0[slot.index()] = epoch.0;
    }

    pub(crate) fn entries(&self) -> &[u64] {
        &self.0
    }

    /// Whether nothing is known.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Learns all that the other one knows. Says whether that was anything new.
    #[inline]
    pub(crate) fn join(&mut self, other: &[u64]) -> bool {
        if other.len() > self.0.len() {
            self.0.resize(other.len(), 0);
        }
        join(&mut self.0, other)
    }

    /// Knows what the other one knows, and nothing else.
    #[inline]
    pub(crate) fn assign(&mut self, other: &[u64]) {
        self.0.clear();
        self.0.extend_from_slice(other);
    }

    /// Whether a moment is known, and with it everything that its thread knew then.
    #[inline]
    pub(crate) fn includes(&self, slot: Slot, epoch: Epoch) -> bool {
        let known = self.get(slot);
        known >= epoch && known.same_incarnation(epoch)
    }
}

/// Entry by entry the later moment. Says whether anything changed. `into` must be at least as long.
#[inline]
pub(crate) fn join(into: &mut [u64], from: &[u64]) -> bool {
    let mut grown = 0;
    for (mine, &theirs) in into.iter_mut().zip(from) {
        let later = theirs.max(*mine);
        grown |= later ^ *mine;
        *mine = later;
    }
    grown != 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joining_grows_and_says_so() {
        let mut clock = Clock::default();
        assert!(clock.is_empty() && !clock.join(&[]));
        assert!(clock.join(&[0, 3]));
        assert!(!clock.join(&[0, 2]) && clock.join(&[1]));
        assert_eq!(clock.entries(), [1, 3]);
        assert_eq!(clock.get(Slot(7)), Epoch(0));
        assert!(clock.includes(Slot(1), Epoch(2)) && !clock.includes(Slot(1), Epoch(4)));
    }

    #[test]
    fn another_incarnation_is_not_included() {
        let mut clock = Clock::default();
        let old = Epoch(5);
        clock.set(Slot(0), old.next_incarnation().unwrap());
        assert!(clock.get(Slot(0)) >= old && !clock.includes(Slot(0), old));
    }
}
