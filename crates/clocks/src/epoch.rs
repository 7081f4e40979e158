//! Slots and epochs: the names of threads and of moments in them.

/// The name of a thread in clocks. Several threads can have the same one after another; see [`Slots`](crate::Slots).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Slot(pub u16);

impl Slot {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A moment in the life of a slot: how many events there were before it. Later moments have larger numbers.
///
/// Four bytes, because clocks consist of these, and how long they are decides how much of them is in a cache. A thread that has used up most of them goes on in [another slot](crate::ThreadClocks::renew).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Epoch(pub u32);

/// From here on, a slot is too old to be given to anybody.
const OLD: u32 = u32::MAX - (1 << 24);

impl Epoch {
    /// The next event. At the end of time, time stands still.
    #[inline]
    pub(crate) fn next_event(self) -> Self {
        Self(self.0.saturating_add(1))
    }

    /// Whether few moments are left.
    #[inline]
    pub(crate) fn is_old(self) -> bool {
        self.0 >= OLD
    }

    /// Whether this can be any of several moments.
    #[inline]
    pub(crate) fn is_last(self) -> bool {
        self.0 == u32::MAX
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_goes_on_until_it_ends() {
        let (moment, end) = (Epoch(5), Epoch(u32::MAX));
        assert!(moment.next_event() > moment && !moment.is_old() && !moment.is_last());
        assert!(end.next_event() == end && end.is_old() && end.is_last());
    }
}
