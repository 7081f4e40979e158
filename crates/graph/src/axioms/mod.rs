//! The axiomatic memory models, each straight from its definition in a file of its own.
//!
//! All models here keep po ∪ rf acyclic, and all are at least as weak as sequential consistency.

mod coherence;
pub mod psc;
pub mod ra;
pub mod rc11;
pub mod rc11_full;
pub mod rc20;
pub mod sc;
pub mod sra;
pub mod tso;

use crate::{Base, Execution, Relation};
use steadfast_model::Model;

/// Whether the rf, mo and fr edges of ghost events count in SC-consistency.
///
/// By the letter of the paper they do, so that adding an SC fence can make a program non-robust although nobody can observe f.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum GhostEdges {
    /// SC-consistent apart from f.
    #[default]
    Ignored,
    /// The letter of the paper.
    Counted,
}

/// What a model says about execution graphs.
pub trait Axioms: Copy {
    /// Whether the model allows the graph.
    fn consistent(self, graph: &Execution) -> bool;

    /// The model's happens-before, which decides what is a race. Under SC and TSO a plain access races unless every po and
    /// atomic rf path orders it, as under RA.
    fn happens_before(self, graph: &Execution) -> Relation;
}

impl Axioms for Model {
    fn consistent(self, graph: &Execution) -> bool {
        let base = Base::of(graph);
        match self {
            Self::Sc => sc::consistent(&base),
            Self::Tso => tso::consistent(graph, &base),
            Self::Sra => sra::consistent(graph, &base),
            Self::Ra => ra::consistent(graph, &base),
            Self::Rc11Full => rc11_full::consistent(graph, &base),
            Self::Rc11 => rc11::consistent(graph, &base),
            Self::Rc20 => rc20::consistent(graph, &base) && psc::accesses_consistent(graph, &base),
            Self::AcqRel => rc20::consistent(graph, &base),
        }
    }

    fn happens_before(self, graph: &Execution) -> Relation {
        let base = Base::of(graph);
        match self {
            Self::Sc | Self::Tso | Self::Sra | Self::Ra => ra::happens_before(graph, &base),
            Self::Rc11Full | Self::Rc11 | Self::Rc20 | Self::AcqRel => rc20::happens_before(graph, &base),
        }
    }
}
