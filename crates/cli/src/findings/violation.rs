//! A violation as a diagnostic: the offending access, the writes that matter, the run, the cycle, and advice.

use super::CheckedProgram;
use super::advice;
use super::numbered_witness::NumberedWitness;
use steadfast_diag::codes::verdict;
use steadfast_diag::{Code, Diagnostic, Label};
use steadfast_graph::{EventId, EventKind};
use steadfast_model::ViolationKind;
use steadfast_repair::Advice;
use steadfast_robust::Witness;

/// The diagnostic about a violation.
pub(crate) fn diagnostic(checked: &CheckedProgram<'_>, witness: &Witness, advice: Option<&Advice>) -> Diagnostic {
    let numbered = NumberedWitness::new(checked, witness);
    let mut diagnostic = Diagnostic::error(code(witness.kind), message(&numbered));
    diagnostic.labels = merged(labels(&numbered));
    if !witness.run.is_empty() {
        let introduction = "the threads take these steps, one after the other:";
        diagnostic = diagnostic.note(format!("{introduction}\n{}", numbered.run()));
    }
    if !witness.cycle.is_empty() {
        let introduction = "no interleaving explains it, because it would have to follow this cycle:";
        diagnostic = diagnostic.note(format!("{introduction}\n  {}\n({})", numbered.cycle(), numbered.legend()));
    }
    if !witness.confirmed
        && let Some(doubt) = doubt(witness.kind)
    {
        diagnostic = diagnostic.note(doubt);
    }
    let helps = advice.map(|advice| advice::helps(advice, &numbered)).unwrap_or_default();
    helps
        .into_iter()
        .fold(diagnostic, Diagnostic::help)
        .help(format!("`steadfast explain {}` tells more", code(witness.kind).0))
}

/// The code of a violation.
pub(crate) fn code(kind: ViolationKind) -> Code {
    match kind {
        ViolationKind::StaleRead => verdict::STALE_READ,
        ViolationKind::OvertakingWrite | ViolationKind::StaleUpdate => verdict::OVERTAKING_WRITE,
        ViolationKind::ObservedStaleRead => verdict::OBSERVABLE,
        ViolationKind::Race => verdict::DATA_RACE,
        ViolationKind::TriangularRace => verdict::TRIANGULAR_RACE,
        ViolationKind::Assertion => verdict::ASSERTION_FAILED,
        ViolationKind::Deadlock => verdict::DEADLOCK,
        ViolationKind::Evaluation => verdict::EVALUATION_ERROR,
    }
}

/// A note about a violation that its execution graph does not show.
fn doubt(kind: ViolationKind) -> Option<&'static str> {
    match kind {
        ViolationKind::StaleRead
        | ViolationKind::OvertakingWrite
        | ViolationKind::StaleUpdate
        | ViolationKind::ObservedStaleRead => {
            Some("the axioms could not confirm this execution graph; please report this program")
        }
        ViolationKind::Race => Some(
            "in this run the accesses are ordered after all, whichever of the stale values that were tried is read: the observational notion takes a read \
             that goes wrong for one that synchronises with nobody, and so it can report a race that does not exist",
        ),
        ViolationKind::TriangularRace
        | ViolationKind::Deadlock
        | ViolationKind::Assertion
        | ViolationKind::Evaluation => None,
    }
}

fn message(numbered: &NumberedWitness<'_>) -> String {
    let access = access(numbered);
    match numbered.witness.kind {
        ViolationKind::StaleRead => format!("not robust: this {access} can read an overwritten value"),
        ViolationKind::OvertakingWrite | ViolationKind::StaleUpdate => {
            format!("not robust: this {access} can go before a write that is already there")
        }
        ViolationKind::ObservedStaleRead => {
            format!("not robust: this {access} can read an overwritten value, and the program depends on it")
        }
        ViolationKind::Race => {
            let location = numbered.witness.step.event.and_then(|event| numbered.event(event).location);
            format!("data race on `{}`", numbered.location(location))
        }
        ViolationKind::TriangularRace => {
            format!("triangular race: this {access} can come before a write while an earlier store is in the buffer")
        }
        ViolationKind::Assertion => "an assertion fails under sequential consistency".to_owned(),
        ViolationKind::Deadlock => "all threads wait under sequential consistency".to_owned(),
        ViolationKind::Evaluation => format!("an expression has no value: {}", numbered.witness.step.text),
    }
}

/// The name of the offending access.
fn access(numbered: &NumberedWitness<'_>) -> &'static str {
    match numbered.witness.step.event.map(|event| numbered.event(event).kind) {
        Some(EventKind::Read | EventKind::PlainRead) => "load",
        Some(EventKind::WaitRead) => "wait",
        Some(EventKind::FailedCas) => "compare-and-swap",
        Some(EventKind::Write | EventKind::PlainWrite) => "store",
        Some(EventKind::Update) => "read-modify-write",
        Some(EventKind::Fence) => "fence",
        None => "access",
    }
}

fn labels(numbered: &NumberedWitness<'_>) -> Vec<Label> {
    let witness = numbered.witness;
    let others = numbered.numbered_events.iter().filter(|&&event| Some(event) != witness.step.event);
    let mut labels: Vec<_> = others
        .map(|&event| Label { span: numbered.span(event), text: context(numbered, event), primary: false })
        .collect();
    labels.push(Label { span: witness.step.place.span, text: primary(numbered), primary: true });
    labels
}

/// The part that another event plays.
fn context(numbered: &NumberedWitness<'_>, event: EventId) -> String {
    let mark = numbered.mark(event).unwrap_or_default();
    let newest = numbered.witness.newest == Some(event) && numbered.witness.kind.is_weak();
    if let Some(thread) = numbered.event(event).thread.filter(|_| newest) {
        let written = numbered.program.shown(numbered.event(event).value_written);
        return format!("{mark} `{}` overwrites it with {written}", numbered.thread(thread));
    }
    format!("{mark} {}", numbered.description(event))
}

/// What the offending access can do.
fn primary(numbered: &NumberedWitness<'_>) -> String {
    let witness = numbered.witness;
    let mark = witness.step.event.and_then(|event| numbered.mark(event)).map_or(String::new(), |mark| mark + " ");
    let thread = numbered.thread(witness.step.place.thread);
    let stale = witness.stale.and_then(|event| numbered.mark(event)).unwrap_or_default();
    let although =
        match witness.newest.filter(|_| witness.newest != witness.stale).and_then(|event| numbered.mark(event)) {
            Some(newest) => format!(", although {newest} has overwritten it"),
            None => String::new(),
        };
    let value = witness.stale.map_or(0, |event| numbered.program.shown(numbered.event(event).value_written));
    match witness.kind {
        ViolationKind::StaleRead => format!("{mark}`{thread}` may still read {value} here, from {stale}{although}"),
        ViolationKind::ObservedStaleRead => {
            format!("{mark}`{thread}` may still read {value} here, from {stale}{although}, and uses it")
        }
        ViolationKind::OvertakingWrite | ViolationKind::StaleUpdate => {
            let before = witness.newest.and_then(|event| numbered.mark(event)).unwrap_or_default();
            format!("{mark}`{thread}` may still write here directly after {stale}, which is before {before}")
        }
        ViolationKind::Race => {
            let description = witness.step.event.map_or_else(String::new, |event| numbered.description(event));
            format!("{mark}{description}, and nothing orders this after {stale}")
        }
        ViolationKind::TriangularRace => {
            let before = witness.newest.and_then(|event| numbered.mark(event)).unwrap_or_default();
            format!("{mark}`{thread}` may load this before {before}, and before anybody sees {stale}")
        }
        ViolationKind::Assertion => format!("{mark}does not hold in thread `{thread}`"),
        ViolationKind::Deadlock => format!("{mark}`{thread}` waits here"),
        ViolationKind::Evaluation => format!("{mark}{} in thread `{thread}`", witness.step.text),
    }
}

/// One label per place: copies of a thread share their source.
fn merged(labels: Vec<Label>) -> Vec<Label> {
    let mut merged: Vec<Label> = Vec::new();
    for label in labels {
        match merged.iter_mut().find(|other| other.span == label.span) {
            Some(other) => {
                other.text = format!("{}; {}", other.text, label.text);
                other.primary |= label.primary;
            }
            None => merged.push(label),
        }
    }
    merged
}
