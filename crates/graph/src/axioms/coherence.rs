//! The four conditions that RA and RC20 share, for any happens-before (POPL'21, Definition 3.5).

use crate::{Base, Relation};

/// po ∪ rf is acyclic: no value comes out of thin air.
pub(super) fn no_thin_air(base: &Base) -> bool {
    base.po.union(&base.rf).is_acyclic()
}

/// mo ; rf? ; hb? is irreflexive.
pub(super) fn write_coherence(base: &Base, hb: &Relation) -> bool {
    let seen = base.mo.union(&base.mo.compose(&base.rf));
    seen.is_irreflexive() && seen.compose(hb).is_irreflexive()
}

/// fr ; rf? ; hb is irreflexive.
pub(super) fn read_coherence(base: &Base, hb: &Relation) -> bool {
    base.fr.union(&base.fr.compose(&base.rf)).compose(hb).is_irreflexive()
}

/// fr ; mo is irreflexive: nothing comes between the read and the write of an update.
pub(super) fn atomicity(base: &Base) -> bool {
    base.fr.compose(&base.mo).is_irreflexive()
}

/// All four, and hb irreflexive.
pub(super) fn coherent(base: &Base, hb: &Relation) -> bool {
    hb.is_irreflexive() && no_thin_air(base) && write_coherence(base, hb) && read_coherence(base, hb) && atomicity(base)
}
