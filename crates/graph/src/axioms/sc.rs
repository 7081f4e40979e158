//! Sequential consistency: hbSC = (po ∪ rf ∪ mo ∪ fr)⁺ is irreflexive (POPL'21, Definition 3.7).

use crate::{Base, Execution, GhostEdges};

/// Whether the base relations are SC-consistent, all their edges counted.
pub fn consistent(base: &Base) -> bool {
    base.all().is_acyclic()
}

/// SC-consistency of a graph, with or without the edges of ghost events.
pub fn consistent_with(graph: &Execution, ghosts: GhostEdges) -> bool {
    consistent(&Base::with_ghosts(graph, ghosts))
}

/// Whether hbSC stays irreflexive when only those fr edges count that start at an observing read, or at a read that something
/// noticeable depends on (POPL'21, Definition 4.9). The fr edges of an update are in mo and so always count.
pub fn observationally_consistent(graph: &Execution, ghosts: GhostEdges) -> bool {
    let mut base = Base::with_ghosts(graph, ghosts);
    base.fr = base.fr.filter(|read, _| graph.event(read).kind.is_observing_read() || graph.is_observed(read));
    consistent(&base)
}
