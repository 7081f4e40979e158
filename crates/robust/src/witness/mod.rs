//! The execution that shows a violation.

mod observed;
mod origin;
mod replay;
mod search;
pub(crate) mod triangular;

pub(crate) use observed::observed;
pub(crate) use search::{Found, Goal, search};

use crate::options::Place;
use steadfast_graph::{EventId, Execution, LabelledCycle};
use steadfast_ir::EvalError;

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ViolationKind {
    /// A read can take a write that, under SC, it must know to be overwritten.
    StaleRead,
    /// A write or update can be ordered before a write that, under SC, it must come after.
    OvertakingWrite,
    /// A read goes wrong (as in `StaleRead`), and something depends on its value.
    ObservedStaleRead,
    /// Two accesses of a plain location are not ordered.
    Race,
    /// A load may come before a write, while an earlier store of its thread is still in the buffer ([`crate::triangular_race`]).
    TriangularRace,
    /// An assertion fails under SC.
    Assertion,
    /// An expression has no value under SC.
    Evaluation(EvalError),
}

/// One step of the run.
#[derive(Clone, Debug)]
pub struct RunStep {
    /// Who, and where.
    pub place: Place,
    /// Its event in the execution graph; fences and failures may have none.
    pub event: Option<EventId>,
    /// What happened, for people: `x.store(1, release)`, `y.load(acquire) read 0`.
    pub text: String,
}

/// A run under SC, and the step that leaves it.
#[derive(Clone, Debug)]
pub struct Witness {
    /// What is wrong.
    pub kind: ViolationKind,
    /// The run under SC up to the offending step.
    pub run: Vec<RunStep>,
    /// The offending step. For a race, the second access.
    pub step: RunStep,
    /// The write that the step may take (read from, or be ordered right behind). For a race, the first access; for a triangular one, the store in the buffer.
    pub stale: Option<EventId>,
    /// The newest write of the location, which under SC the step would have to respect.
    pub newest: Option<EventId>,
    /// The weak execution graph, the offending step included.
    pub execution: Execution,
    /// A cycle in po ∪ rf ∪ mo ∪ fr: why SC forbids it. Each event with the edge that leaves it. Empty for races and failures.
    pub cycle: LabelledCycle,
    /// The instruction that depends on what a read that goes wrong yields, for [`ViolationKind::ObservedStaleRead`].
    pub noticed: Option<Place>,
    /// Whether the axioms of the model, asked independently, confirm that the graph is allowed there (and forbidden by SC).
    pub confirmed: bool,
}
