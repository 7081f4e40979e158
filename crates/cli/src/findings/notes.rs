//! How the program was understood, and what else was noticed on the way.

use super::CheckedProgram;
use crate::numbers::listed;
use crate::settings::Question;
use std::collections::BTreeSet;
use steadfast_diag::codes::{note, verdict};
use steadfast_diag::{Diagnostic, Severity};
use steadfast_ir::{LocId, Program, dataflow};
use steadfast_model::Orderings;
use steadfast_robust::Supported;

/// Which loops were treated as waits.
pub(crate) fn spins(checked: &CheckedProgram<'_>) -> Option<Diagnostic> {
    // Several threads with the same code spin in the same lines.
    let spans: BTreeSet<_> = checked.outcome.spins.iter().map(|place| place.span).collect();
    let lines: BTreeSet<_> = spans.iter().map(|span| checked.file.line_column(span.start).line).collect();
    let lines: Vec<_> = lines.iter().map(u32::to_string).collect();
    let message = match lines.as_slice() {
        [] => return None,
        [line] => format!("the spin loop in line {line} is treated as a wait"),
        lines => format!("the spin loops in lines {} are treated as waits", listed(lines)),
    };
    let diagnostic = Diagnostic::new(note::SPIN_LOOP, Severity::Note, message);
    Some(spans.into_iter().fold(diagnostic, |diagnostic, span| diagnostic.at(span, "waits here")))
}

/// Which threads can be blocked for good.
pub(crate) fn deadlock(checked: &CheckedProgram<'_>) -> Option<Diagnostic> {
    let places = &checked.outcome.deadlock;
    let described: Vec<_> = places
        .iter()
        .map(|place| {
            let line = checked.file.line_column(place.span.start).line;
            format!("`{}` in line {line}", checked.program.threads[place.thread].name)
        })
        .collect();
    if described.is_empty() {
        return None;
    }
    let message = format!("some run ends with threads blocked for good: {}", listed(&described));
    let diagnostic = Diagnostic::new(verdict::DEADLOCK, Severity::Note, message);
    Some(places.iter().fold(diagnostic, |diagnostic, place| diagnostic.at(place.span, "blocked here")))
}

/// What the reader should know about how the question was understood.
pub(crate) fn remarks(program: &Program, model: Supported, question: &Question, translated: &[LocId]) -> Vec<String> {
    let mut remarks = Vec::new();
    if let [base, others @ ..] = translated {
        let name = |loc: &LocId| format!("`{}`", program.locations[*loc].name);
        let others: Vec<_> = others.iter().map(name).chain(["registers with their values".to_owned()]).collect();
        remarks.push(format!(
            "shown by translation: {} only matter relative to {}; states are counted relative to it",
            listed(&others),
            name(base)
        ));
    }
    if question.fences_by_the_letter {
        remarks.push("the order of seq_cst fences among themselves counts (--fences-by-the-letter)".to_owned());
    }
    if !question.spin {
        remarks.push("spin loops are checked as they are written (--no-spin-detection)".to_owned());
    }
    if has_seq_cst_accesses(program) {
        remarks.push(match model.orderings() {
            Orderings::Uniform => format!("{model} treats seq_cst accesses like release and acquire"),
            Orderings::Buffered => format!("{model} ignores orderings: a seq_cst store is an ordinary store"),
            Orderings::AsWritten => "seq_cst accesses are ordered among themselves by psc′".to_owned(),
        });
    }
    remarks
}

fn has_seq_cst_accesses(program: &Program) -> bool {
    let mut code = program.threads.iter().flat_map(|thread| thread.code.iter());
    code.any(|instruction| dataflow::is_seq_cst_access(&instruction.op))
}
