//! Races by definition: conflicting accesses to the same bytes, at least one of them plain, that happens-before does not order.

use super::definition::Definition;
use super::step::LOCATIONS;
use steadfast_clocks::{Direction, Race};
use steadfast_graph::EventId;

/// An access to some bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ByteAccess {
    pub(crate) thread: usize,
    pub(crate) event: EventId,
    pub(crate) mask: u8,
    pub(crate) direction: Direction,
    pub(crate) atomic: bool,
}

impl ByteAccess {
    fn conflicts(&self, other: &Self) -> bool {
        let both = |test: fn(&Self) -> bool| test(self) && test(other);
        self.mask & other.mask != 0 && !both(|touch| touch.atomic) && !both(|touch| touch.direction == Direction::Read)
    }

    /// Whether a race with the other one, which came later and is of the same thread, was a race with this one.
    fn says_the_same(&self, later: &Self) -> bool {
        (self.thread, self.mask, self.atomic) == (later.thread, later.mask, later.atomic)
            && (self.direction == Direction::Write || later.direction == Direction::Read)
    }

    /// Whether this is what was reported. A slot says little, because threads share them one after the other.
    fn is(&self, race: &Race) -> bool {
        (self.mask, self.direction, self.atomic) == (race.mask, race.direction, race.atomic)
    }
}

/// All accesses, by location.
#[derive(Clone, Debug, Default)]
pub(crate) struct ByteAccesses([Vec<ByteAccess>; LOCATIONS]);

impl ByteAccesses {
    pub(crate) fn clear(&mut self, location: u8) {
        self.0[location as usize].clear();
    }

    /// The earlier accesses with which the new one races, each with whether nobody could know that yet. It is remembered.
    pub(crate) fn touch(&mut self, graph: &Definition, location: u8, touch: ByteAccess) -> Vec<(ByteAccess, bool)> {
        let touches = &mut self.0[location as usize];
        touches.push(touch);
        let earlier = &touches[..touches.len() - 1];
        let mut conflicts = earlier.iter().filter(|other| other.conflicts(&touch)).peekable();
        if conflicts.peek().is_none() {
            return Vec::new();
        }
        let hb = graph.happens_before();
        let unordered = conflicts.filter(|other| !hb.contains(other.event, touch.event));
        // The same access of this thread has raced with the other one already, in one direction or the other, unless that one came later and after it.
        let told = |before: &ByteAccess, other: &ByteAccess| {
            before.says_the_same(&touch) && !hb.contains(before.event, other.event)
        };
        let news = |other: &ByteAccess| !earlier.iter().any(|before| told(before, other));
        unordered.map(|other| (*other, news(other))).collect()
    }
}

/// Whether the report is one of these races.
pub(crate) fn is_among(race: &Race, races: &[(ByteAccess, bool)]) -> bool {
    races.iter().any(|(touch, _)| touch.is(race))
}
