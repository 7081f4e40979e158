//! Total store order, axiomatically: coherence per location, and a global order in which only write-to-read pairs of one thread
//! may be swapped, and not across an `mfence` or a locked instruction.
//!
//! Orderings of accesses do not matter; of the fences, only SC fences do. A failed compare-and-swap is a locked instruction.

use super::coherence;
use crate::{Base, Event, EventKind, Execution, Relation};

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

/// Program order without its write-to-read pairs. What drains the buffer is neither a buffered write nor an early read, so it
/// stays in order with both sides, and a write before it comes before a read behind it by transitivity.
fn preserved_program_order(graph: &Execution, base: &Base) -> Relation {
    let buffered = |e: &Event| e.thread.is_some() && e.kind.writes() && !e.kind.is_locked();
    let early = |e: &Event| e.kind.reads() && !e.kind.is_locked();
    // For the same reason other fences must go: they are no instructions on x86, and order nothing.
    let exists = |e: &Event| e.kind != EventKind::Fence || e.is_sc_fence();
    base.po.filter(|from, to| {
        let (from, to) = (graph.event(from), graph.event(to));
        exists(from) && exists(to) && !(buffered(from) && early(to))
    })
}
