//! Whether a witness shows what it claims.

use crate::judgement::Difference;
use crate::question::{Question, Subject};
use steadfast_graph::Axioms;
use steadfast_graph::axioms::sc;
use steadfast_graph::{Base, EdgeKind, Execution, LabelledCycle};
use steadfast_robust::{Verdict, Witness};

/// Examines the witness of a violation, if there is one.
pub(crate) fn examine(question: Question, verdict: &Verdict) -> Result<(), Difference> {
    let problem = match verdict {
        Verdict::NotRobust(witness) if question.subject != Subject::Observational => not_robust(question, witness),
        Verdict::Race(witness) if question.subject != Subject::Observational => race(witness),
        Verdict::NotRobust(witness) | Verdict::Race(witness) | Verdict::Failed(witness) => ill_formed(witness),
        Verdict::Robust | Verdict::Inconclusive(_) | Verdict::Unsupported(_) => None,
    };
    problem.map_or(Ok(()), |problem| Err(Difference::Witness(problem)))
}

fn ill_formed(witness: &Witness) -> Option<&'static str> {
    witness.execution.well_formed().is_err().then_some("is not an execution graph")
}

fn race(witness: &Witness) -> Option<&'static str> {
    ill_formed(witness).or_else(|| (!witness.confirmed).then_some("does not show that the accesses race"))
}

fn not_robust(question: Question, witness: &Witness) -> Option<&'static str> {
    let graph = &witness.execution;
    if let Some(problem) = ill_formed(witness) {
        return Some(problem);
    }
    match () {
        () if !question.model.consistent(graph) => Some("is not allowed by the model"),
        () if sc::consistent_with(graph, question.ghosts()) => Some("is allowed by SC"),
        () if witness.cycle.is_empty() => Some("has no cycle"),
        () if !is_cycle(question, graph, &witness.cycle) => Some("has a cycle that is none"),
        () if !witness.confirmed => Some("is right, but not confirmed"),
        () => None,
    }
}

/// Whether every edge of the cycle is in the graph.
fn is_cycle(question: Question, graph: &Execution, cycle: &LabelledCycle) -> bool {
    let base = Base::with_ghosts(graph, question.ghosts());
    let targets = cycle.iter().cycle().skip(1);
    cycle.iter().zip(targets).all(|(&(from, kind), &(to, _))| {
        let relation = match kind {
            EdgeKind::Po => &base.po,
            EdgeKind::Rf => &base.rf,
            EdgeKind::Mo => &base.mo,
            EdgeKind::Fr => &base.fr,
            EdgeKind::Before => &base.before,
        };
        relation.contains(from, to)
    })
}
