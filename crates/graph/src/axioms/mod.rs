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

/// A memory model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Axioms {
    /// Sequential consistency.
    Sc,
    /// Total store order, x86. Orderings of accesses do not matter; an SC fence is an `mfence`.
    Tso,
    /// Release/acquire: every atomic access is acquire and release. SC fences are updates of a ghost location.
    Ra,
    /// Strong release/acquire: also po ∪ rf ∪ mo acyclic.
    Sra,
    /// RC20, with psc′ for `seq_cst` accesses. SC fences are encoded with a ghost location.
    Rc20,
    /// RC20 with psc′ for `seq_cst` accesses and `RC11`'s condition on primitive SC fences.
    Rc11,
    /// `RC11`'s own condition on `seq_cst` accesses and fences. Stronger than [`Axioms::Rc11`].
    Rc11Full,
}

/// How a model sees `fence(seq_cst)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ScFences {
    /// The axioms speak about it.
    Primitive,
    /// It is an acquire-release `FADD(f, 0)`; other fences do nothing.
    Update,
    /// It is `fence(acq); FADD(f, 0, acq_rel); fence(rel)`.
    FencedUpdate,
}

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

impl Axioms {
    /// Every model, strongest first where that makes sense.
    pub const ALL: [Self; 7] = [Self::Sc, Self::Tso, Self::Sra, Self::Ra, Self::Rc11Full, Self::Rc11, Self::Rc20];

    /// Whether the model allows the graph.
    pub fn consistent(self, graph: &Execution) -> bool {
        let base = Base::of(graph);
        match self {
            Self::Sc => sc::consistent(&base),
            Self::Tso => tso::consistent(graph, &base),
            Self::Ra => ra::consistent(graph, &base),
            Self::Sra => sra::consistent(graph, &base),
            Self::Rc20 => rc20::consistent(graph, &base) && psc::accesses_consistent(graph, &base),
            Self::Rc11 => rc11::consistent(graph, &base),
            Self::Rc11Full => rc11_full::consistent(graph, &base),
        }
    }

    /// How programs are translated to graphs for this model.
    pub fn sc_fences(self) -> ScFences {
        match self {
            Self::Sc | Self::Tso | Self::Rc11 | Self::Rc11Full => ScFences::Primitive,
            Self::Ra | Self::Sra => ScFences::Update,
            Self::Rc20 => ScFences::FencedUpdate,
        }
    }

    /// The model's happens-before, which decides what is a race. Under SC and TSO a plain access races unless every po and
    /// atomic rf path orders it, as under RA.
    pub fn happens_before(self, graph: &Execution) -> Relation {
        let base = Base::of(graph);
        match self {
            Self::Sc | Self::Tso | Self::Ra | Self::Sra => ra::happens_before(graph, &base),
            Self::Rc20 | Self::Rc11 | Self::Rc11Full => rc20::happens_before(graph, &base),
        }
    }

    /// Its name, as on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sc => "sc",
            Self::Tso => "tso",
            Self::Ra => "ra",
            Self::Sra => "sra",
            Self::Rc20 => "rc20",
            Self::Rc11 => "rc11",
            Self::Rc11Full => "rc11-full",
        }
    }
}
