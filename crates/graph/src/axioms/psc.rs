//! Conditions on `seq_cst` accesses and fences that are added to RC20.
//!
//! psc′ is ours: it is contained in `RC11`'s psc, so a program without SC fences that is robust against RC20 with psc′ is robust
//! against `RC11`. `psc_F` is `RC11`'s.

use super::rc20;
use crate::{Base, Execution, Relation};

/// psc′ = \[SC\] ; (po ∪ rf ∪ mo ∪ fr) ; \[SC\] is acyclic, where \[SC\] are the `seq_cst` accesses.
pub fn accesses_consistent(graph: &Execution, base: &Base) -> bool {
    // Most graphs have no such access at all.
    graph.events().all(|(_, event)| !event.is_sc_access())
        || base.all().restrict(|e| graph.event(e).is_sc_access()).is_acyclic()
}

/// `psc_F` = \[F.sc\] ; (hb ∪ hb ; eco ; hb) ; \[F.sc\] is acyclic.
pub fn fences_consistent(graph: &Execution, base: &Base) -> bool {
    graph.events().all(|(_, event)| !event.is_sc_fence())
        || psc_fences(graph, base, &rc20::happens_before(graph, base)).is_acyclic()
}

/// `psc_F` for a given happens-before.
pub(super) fn psc_fences(graph: &Execution, base: &Base, hb: &Relation) -> Relation {
    let eco = base.communication().closure();
    hb.union(&hb.compose(&eco).compose(hb)).restrict(|e| graph.event(e).is_sc_fence())
}
