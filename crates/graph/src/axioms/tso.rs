//! Total store order, axiomatically: coherence per location, and a global order in which only write-to-read pairs of one thread
//! may be swapped, and not across an `mfence` or a locked instruction.
//!
//! Orderings of accesses do not matter; of the fences, only SC fences do. A failed compare-and-swap is a locked instruction.

use super::coherence;
use crate::{Base, Event, EventId, EventKind, Execution, Relation};

/// Whether the graph is TSO-consistent.
pub fn consistent(graph: &Execution, base: &Base) -> bool {
    let po_per_location = base.po.filter(|a, b| graph.event(a).same_location(graph.event(b)));
    let per_location = po_per_location.union(&base.communication());
    per_location.is_acyclic() && coherence::atomicity(base) && global_happens_before(graph, base).is_acyclic()
}

/// ppo ∪ rf between threads ∪ mo ∪ fr
fn global_happens_before(graph: &Execution, base: &Base) -> Relation {
    let external = base.rf.filter(|write, read| graph.event(write).thread != graph.event(read).thread);
    preserved_program_order(graph, base).union(&external).union(&base.mo).union(&base.fr)
}

/// Program order without the write-to-read pairs that nothing in between keeps in order.
fn preserved_program_order(graph: &Execution, base: &Base) -> Relation {
    let buffered = |e: &Event| e.thread.is_some() && e.kind.writes() && !e.kind.is_locked();
    let early = |e: &Event| e.kind.reads() && !e.kind.is_locked();
    let drained = |from: EventId, to: EventId| {
        base.po.successors(from).any(|e| base.po.contains(e, to) && drains(graph.event(e)))
    };
    // Other fences are no instructions on x86; as events they would order a write before them with a read behind them.
    base.po
        .restrict(|e| graph.event(e).kind != EventKind::Fence || drains(graph.event(e)))
        .filter(|from, to| !(buffered(graph.event(from)) && early(graph.event(to))) || drained(from, to))
}

fn drains(event: &Event) -> bool {
    event.is_sc_fence() || event.kind.is_locked()
}
