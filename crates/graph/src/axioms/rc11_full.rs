//! `RC11` (Lahav et al., PLDI'17) with the release sequences of C++20.
//!
//! It is here to test that the model of [`super::rc11`] is sound for it.

use super::{coherence, psc, rc20};
use crate::{Base, Execution, Relation};

/// Whether the graph is RC11-consistent.
pub fn consistent(graph: &Execution, base: &Base) -> bool {
    let hb = rc20::happens_before(graph, base);
    let eco = base.communication().closure();
    let coherent = hb.is_irreflexive() && eco.is_irreflexive() && hb.compose(&eco).is_irreflexive();
    coherent && coherence::atomicity(base) && coherence::no_thin_air(base) && sc_consistent(graph, base, &hb)
}

/// psc = `psc_base` ∪ `psc_F` is acyclic.
fn sc_consistent(graph: &Execution, base: &Base, hb: &Relation) -> bool {
    if graph.events().all(|(_, event)| !event.order.seq_cst) {
        return true;
    }
    psc_base(graph, base, hb).union(&psc::psc_fences(graph, base, hb)).is_acyclic()
}

/// `psc_base` = (\[SC\] ∪ \[F.sc\] ; hb?) ; scb ; (\[SC\] ∪ hb? ; \[F.sc\])
fn psc_base(graph: &Execution, base: &Base, hb: &Relation) -> Relation {
    let sc = Relation::identity_on(graph.len(), |e| graph.event(e).order.seq_cst);
    let fences = Relation::identity_on(graph.len(), |e| graph.event(e).is_sc_fence());
    let before = sc.union(&fences.compose(&hb.optional()));
    let after = sc.union(&hb.optional().compose(&fences));
    before.compose(&sc_before(graph, base, hb)).compose(&after)
}

/// scb = po ∪ po|≠loc ; hb ; po|≠loc ∪ hb|loc ∪ mo ∪ fr
fn sc_before(graph: &Execution, base: &Base, hb: &Relation) -> Relation {
    let same = |a, b| graph.event(a).same_location(graph.event(b));
    let elsewhere = base.po.filter(|a, b| !same(a, b));
    let hb_here = hb.filter(same);
    base.po.union(&elsewhere.compose(hb).compose(&elsewhere)).union(&hb_here).union(&base.mo).union(&base.fr)
}
