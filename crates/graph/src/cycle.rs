//! Cycles in po ∪ rf ∪ mo ∪ fr, with the name of every edge: what a witness of non-robustness shows.

use crate::{Base, EdgeKind, EventId, Execution, GhostEdges};

/// The events of a cycle in order, each with the kind of the edge that leads from it to the next; the last edge leads back to the
/// first event.
pub type LabelledCycle = Vec<(EventId, EdgeKind)>;

impl Execution {
    /// A shortest cycle in po ∪ rf ∪ mo ∪ fr, or `None` if the graph is SC-consistent. Edges of ghost events do not count.
    pub fn labelled_cycle(&self) -> Option<LabelledCycle> {
        self.labelled_cycle_with(GhostEdges::Ignored)
    }

    /// The same, with or without the edges of ghost events.
    pub fn labelled_cycle_with(&self, ghosts: GhostEdges) -> Option<LabelledCycle> {
        let base = Base::with_ghosts(self, ghosts);
        Some(label(&base, &base.all().shortest_cycle()?))
    }

    /// A shortest cycle through the given event: much cheaper than [`labelled_cycle`](Self::labelled_cycle) on a long run, when
    /// it is known which event closed the cycle.
    pub fn labelled_cycle_through(&self, event: EventId) -> Option<LabelledCycle> {
        let base = Base::with_ghosts(self, GhostEdges::Ignored);
        Some(label(&base, &base.all().shortest_cycle_through(event)?))
    }
}

fn label(base: &Base, cycle: &[EventId]) -> LabelledCycle {
    let next = cycle.iter().cycle().skip(1);
    cycle.iter().zip(next).filter_map(|(&from, &to)| Some((from, base.edge(from, to)?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Event, Order};
    use steadfast_ir::{LocId, ThreadId};
    use steadfast_span::Index;

    #[test]
    fn store_buffering_has_the_textbook_cycle() {
        let (t, u, x, y) = (ThreadId::new(0), ThreadId::new(1), LocId::new(0), LocId::new(1));
        let mut graph = Execution::new([0, 0]);
        let wx = graph.add_sc(Event::store(t, x, 1, Order::RELAXED));
        let ry = graph.add_sc(Event::load(t, y, 0, Order::RELAXED));
        let wy = graph.add_sc(Event::store(u, y, 1, Order::RELAXED));
        assert_eq!(graph.labelled_cycle(), None);
        let rx = graph.add(Event::load(u, x, 0, Order::RELAXED), graph.initial_write(x));
        assert_eq!(graph.well_formed(), Ok(()));
        let expected = vec![(wx, EdgeKind::Po), (ry, EdgeKind::Fr), (wy, EdgeKind::Po), (rx, EdgeKind::Fr)];
        assert_eq!(graph.labelled_cycle(), Some(expected));
        assert_eq!(graph.labelled_cycle_through(rx).map(|cycle| cycle.len()), Some(4));
    }
}
