//! Verdicts as diagnostics about the source.

mod advice;
mod notes;
mod numbered_witness;
pub(crate) mod violation;

pub(crate) use notes::remarks;
pub(crate) use numbered_witness::source_text;

use crate::codes;
use steadfast_diag::codes::inconclusive;
use steadfast_diag::{Code, Diagnostic};
use steadfast_graph::EventId;
use steadfast_ir::Program;
use steadfast_repair::Advice;
use steadfast_robust::{Bound, Outcome, Supported, Verdict, Witness};
use steadfast_span::SourceFile;

/// A program with the result of its check.
#[derive(Clone, Copy)]
pub(crate) struct CheckedProgram<'a> {
    /// The source text.
    pub(crate) file: &'a SourceFile,
    /// The program.
    pub(crate) program: &'a Program,
    /// The model.
    pub(crate) model: Supported,
    /// The result.
    pub(crate) outcome: &'a Outcome,
}

/// All diagnostics about a result: the violation, or why there is no verdict; then notes.
pub(crate) fn diagnostics(checked: &CheckedProgram<'_>, advice: Option<&Advice>) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    match &checked.outcome.verdict {
        Verdict::Robust => {}
        Verdict::NotRobust(witness) | Verdict::Race(witness) | Verdict::Failed(witness) => {
            diagnostics.push(violation::diagnostic(checked, witness, advice));
        }
        Verdict::Inconclusive(bound) => diagnostics.push(bounded(*bound)),
        Verdict::Unsupported(size) => {
            diagnostics.push(Diagnostic::warning(codes::UNSUPPORTED, format!("inconclusive: {size}")));
        }
    }
    diagnostics.extend(notes::spins(checked));
    diagnostics.extend(notes::deadlock(checked));
    diagnostics
}

/// The numbered events of a violation, in the order of their numbers.
pub(crate) fn numbered_events(checked: &CheckedProgram<'_>, witness: &Witness) -> Vec<EventId> {
    numbered_witness::NumberedWitness::new(checked, witness).numbered_events
}

/// Why there is no verdict.
pub(crate) fn bounded(bound: Bound) -> Diagnostic {
    let (code, help): (Code, _) = match bound {
        Bound::States(_) => (inconclusive::STATE_BOUND, "raise `--max-states`, or make the program smaller"),
        Bound::Memory(_) => (inconclusive::MEMORY_BOUND, "raise `--max-memory`, or make the program smaller"),
        Bound::Time(_) => (inconclusive::TIME_BOUND, "raise `--time-limit`, or make the program smaller"),
        Bound::Interrupted => (inconclusive::INTERRUPTED, "run it again to the end for a verdict"),
    };
    let message = format!("inconclusive: {bound}");
    Diagnostic::warning(code, message).note("no violation was found until then; that proves nothing").help(help)
}
