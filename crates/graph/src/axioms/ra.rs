//! Release/acquire (PLDI'19, Definition A.12): with hb = (po ∪ rf)⁺, the relations hb, mo ; hb, fr ; hb and fr ; mo are irreflexive.
//!
//! The reads-from edges of plain accesses do not synchronise. For them coherence is asked as RC20 asks it, with rf? in the middle;
//! on graphs without plain accesses rf ⊆ hb, and the two forms coincide.

use super::coherence;
use crate::{Base, Execution, Relation};

/// Whether the graph is RA-consistent.
pub fn consistent(graph: &Execution, base: &Base) -> bool {
    coherence::coherent(base, &happens_before(graph, base))
}

/// (po ∪ rf)⁺, where only atomic reads synchronise.
pub fn happens_before(graph: &Execution, base: &Base) -> Relation {
    let synchronising = base.rf.filter(|_, read| !graph.event(read).kind.is_plain());
    base.po.union(&synchronising).closure()
}
