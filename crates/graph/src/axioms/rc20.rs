//! RC20 (POPL'21, Definition 3.5): relaxed and release/acquire accesses, and release and acquire fences.
//!
//! Release sequences are those of C++20: reads-from chains through updates.

use super::coherence;
use crate::{Base, EventKind, Execution, Relation};

/// Whether the graph is RC20-consistent. `seq_cst` accesses count as release and acquire only; see [`super::psc`] for more.
pub fn consistent(graph: &Execution, base: &Base) -> bool {
    coherence::coherent(base, &happens_before(graph, base))
}

/// hb = (po ∪ sw)⁺
pub fn happens_before(graph: &Execution, base: &Base) -> Relation {
    base.po.union(&synchronises_with(graph, base)).closure()
}

/// sw = [rel] ; ([F] ; po)? ; rf⁺ ; (po ; [F])? ; [acq]
fn synchronises_with(graph: &Execution, base: &Base) -> Relation {
    let size = graph.len();
    let is_fence = |e| graph.event(e).kind == EventKind::Fence;
    let is_plain = |e| graph.event(e).kind.is_plain();
    let fences = Relation::identity_on(size, is_fence);
    let release = Relation::identity_on(size, |e| graph.event(e).order.release);
    let acquire = Relation::identity_on(size, |e| graph.event(e).order.acquire);
    // A plain access does not synchronise, not even next to a fence.
    let chain = base.rf.filter(|_, read| !is_plain(read)).closure();
    let from_release = release.compose(&fences.compose(&base.po).optional());
    let to_acquire = base.po.compose(&fences).optional().compose(&acquire);
    from_release.compose(&chain).compose(&to_acquire)
}
