//! The model that `rc11` means to us: RC20, psc′ for `seq_cst` accesses, and `RC11`'s `psc_F` for SC fences, which are primitive.
//!
//! It is weaker than `RC11` itself, so what is robust here is robust there.

use super::{psc, rc20};
use crate::{Base, Execution};

/// Whether the graph is consistent.
pub fn consistent(graph: &Execution, base: &Base) -> bool {
    rc20::consistent(graph, base) && psc::accesses_consistent(graph, base) && psc::fences_consistent(graph, base)
}
