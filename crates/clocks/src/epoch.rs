//! Slots and epochs: the names of threads and of moments in them.

/// The name of a thread in clocks. Several threads can have the same one after another; see [`Slots`](crate::Slots).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Slot(pub u16);

impl Slot {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A moment in the life of a slot. From the highest bits to the lowest: the incarnation, the *round* (how often the thread has released), and
/// the event within the round. Later moments have larger numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Epoch(pub u64);

const EVENT_BITS: u32 = 20;
const INCARNATION_SHIFT: u32 = 52;

impl Epoch {
    /// The next event. When a round is full, the next one begins; nobody minds an early round.
    pub(crate) fn next_event(self) -> Self {
        Self(self.0.saturating_add(1))
    }

    /// The first moment of the next round.
    pub(crate) fn next_round(self) -> Self {
        self.0.checked_add(1 << EVENT_BITS).map_or(self, |later| Self(later >> EVENT_BITS << EVENT_BITS))
    }

    /// The first moment of the next incarnation, if there is one.
    pub(crate) fn next_incarnation(self) -> Option<Self> {
        let later = self.0.checked_add(1 << INCARNATION_SHIFT)?;
        Some(Self(later >> INCARNATION_SHIFT << INCARNATION_SHIFT))
    }

    /// Incarnation and round as one number.
    pub fn round(self) -> u64 {
        self.0 >> EVENT_BITS
    }

    /// Whether both belong to the same incarnation.
    pub(crate) fn same_incarnation(self, other: Self) -> bool {
        (self.0 ^ other.0) >> INCARNATION_SHIFT == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_goes_on() {
        let mut moment = Epoch::default();
        for _ in 0..3 << EVENT_BITS {
            assert!(moment.next_event() > moment && moment.next_round() >= moment.next_event());
            moment = moment.next_event();
        }
        assert_eq!(moment.round(), 3);
        assert!(moment.next_incarnation().unwrap() > moment.next_round());
        assert!(!moment.same_incarnation(moment.next_incarnation().unwrap()));
    }

    #[test]
    fn the_end_of_time_is_survived() {
        let end = Epoch(u64::MAX);
        assert_eq!((end.next_event(), end.next_round(), end.next_incarnation()), (end, end, None));
    }
}
