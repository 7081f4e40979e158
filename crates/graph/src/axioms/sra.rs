//! Strong release/acquire: RA, and po ∪ rf ∪ mo is acyclic, so that all threads agree on the order of writes.

use super::ra;
use crate::{Base, Execution};

/// Whether the graph is SRA-consistent.
pub fn consistent(graph: &Execution, base: &Base) -> bool {
    ra::consistent(graph, base) && base.po.union(&base.rf).union(&base.mo).is_acyclic()
}
