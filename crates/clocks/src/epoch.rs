//! Slots and epochs: names for threads and for moments in their lives.

/// The entry of a thread in clocks. Several threads can have the same slot, one after the other; see [`Slots`](crate::Slots).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Slot(pub u16);

impl Slot {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A moment in the life of a slot: the number of events before it. Later moments have larger numbers.
///
/// It has four bytes, because clocks consist of epochs, and the size of clocks decides how many of them fit into a cache. A thread that has used most of its moments continues in [another
/// slot](crate::ThreadClocks::renew).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Epoch(pub u32);

/// From this moment on, a slot is too old to be used again.
const OLD: u32 = u32::MAX - (1 << 24);

impl Epoch {
    /// The next event. After the last moment, it stays the same.
    #[inline]
    pub(crate) fn next_event(self) -> Self {
        Self(self.0.saturating_add(1))
    }

    /// Whether few moments are left.
    #[inline]
    pub(crate) fn is_old(self) -> bool {
        self.0 >= OLD
    }

    /// Whether this is the last moment, which stands for all later ones.
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
