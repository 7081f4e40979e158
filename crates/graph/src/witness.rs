//! The execution that shows a violation, whoever found it.

use crate::{EventId, Execution, LabelledCycle, Names, dot};
use steadfast_model::ViolationKind;

/// One step of the run. `P` says where it is: an instruction of a program, or a line of a file.
#[derive(Clone, Debug)]
pub struct RunStep<P> {
    /// Who, and where.
    pub place: P,
    /// Its event in the execution graph; fences and failures may have none.
    pub event: Option<EventId>,
    /// What happened, for people: `x := 1`, `y read as 0`.
    pub text: String,
}

/// A run under SC, and the step that leaves it.
///
/// Of a real program only a part is known: the accesses that a report is about. What connects them is then an edge of the kind
/// [`EdgeKind::Before`](crate::EdgeKind::Before), and [`Execution::is_partial`] says so.
#[derive(Clone, Debug)]
pub struct Witness<P> {
    /// What is wrong.
    pub kind: ViolationKind,
    /// The run under SC up to the offending step.
    pub run: Vec<RunStep<P>>,
    /// The offending step. For a race, the second access.
    pub step: RunStep<P>,
    /// The write that the step may take (read from, or be ordered right behind). For a race, the first access; for a triangular one, the store in the buffer.
    pub stale: Option<EventId>,
    /// The newest write of the location, which under SC the step would have to respect.
    pub newest: Option<EventId>,
    /// The weak execution graph, the offending step included.
    pub execution: Execution,
    /// A cycle in po ∪ rf ∪ mo ∪ fr: why SC forbids it. Each event with the edge that leaves it. Empty for races and failures.
    pub cycle: LabelledCycle,
    /// The instruction that depends on what a read that goes wrong yields, for [`ViolationKind::ObservedStaleRead`].
    pub noticed: Option<P>,
    /// Whether the axioms of the model, asked independently, confirm that the graph is allowed there (and forbidden by SC). They are not asked about
    /// a part of a graph.
    pub confirmed: bool,
}

impl<P> Witness<P> {
    /// The two accesses of a race.
    pub fn race(&self) -> Option<(EventId, EventId)> {
        self.stale.zip(self.step.event).filter(|_| self.kind == ViolationKind::Race)
    }

    /// The execution in Graphviz's language, with its cycle or the accesses that race.
    pub fn dot(&self, names: &dyn Names) -> String {
        dot::draw(&self.execution, names, &self.cycle, self.race())
    }
}
