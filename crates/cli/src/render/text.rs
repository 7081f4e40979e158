//! Results for people: violations in the source, and a line that says what was shown.

use super::{Detail, items};
use crate::numbers::{counted, grouped};
use crate::reporter::Look;
use crate::result::{Answer, CheckResult};
use crate::size;
use crate::status::Status;
use std::collections::BTreeMap;
use std::fmt::Write;
use steadfast_diag::{Format, Severity, Style};
use steadfast_model::ViolationKind;
use steadfast_robust::{Outcome, Statistics, Supported, Verdict};

/// Everything about one result.
pub(super) fn result(result: &CheckResult, look: Look, detail: Detail) -> String {
    let (notes, others): (Vec<_>, Vec<_>) =
        items(result).into_iter().partition(|(_, diagnostic)| diagnostic.severity == Severity::Note);
    let mut text = look.messages(&others);
    let Answer::Checked { model, outcome, .. } = &result.answer else { return text };
    if detail == Detail::Little && result.status() == Status::Holds {
        return text;
    }
    let _ = writeln!(text, "{}", conclusion(result, *model, outcome, look.style));
    if detail == Detail::Little || look.format != Format::Full {
        return text;
    }
    for (_, note) in notes {
        let _ = writeln!(text, "  note[{}]: {}", note.code.0, note.message);
    }
    for remark in &result.remarks {
        let _ = writeln!(text, "  note: {remark}");
    }
    if detail == Detail::Much {
        text.push_str(&numbers(result, &outcome.statistics));
    }
    text
}

/// `lock.sf: robust (rc20, graph): 607 states of the program, 4,536 with monitor, 0.91 s; exhaustive`
fn conclusion(result: &CheckResult, model: Supported, outcome: &Outcome, style: Style) -> String {
    let verdict = painted(words(&outcome.verdict), result.status(), style);
    let reason = result.reason().map_or(String::new(), |reason| format!("{reason}; "));
    let Statistics { program_states, monitor_states, seconds, .. } = outcome.statistics;
    let all = if matches!(outcome.verdict, Verdict::Robust) { "; exhaustive" } else { "" };
    format!(
        "{}: {verdict} ({}, {}): {reason}{} of the program, {} with monitor, {seconds:.2} s{all}",
        result.file.name().escape_debug(),
        model.name(),
        result.question.notion_name(),
        counted(usize::try_from(program_states).unwrap_or(usize::MAX), "state"),
        grouped(monitor_states),
    )
}

/// A verdict in words.
pub(crate) fn words(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Robust => "robust",
        Verdict::NotRobust(_) => "not robust",
        Verdict::Race(witness) if witness.kind == ViolationKind::TriangularRace => "triangular race",
        Verdict::Race(_) => "data race",
        Verdict::Failed(_) => "wrong under sequential consistency",
        Verdict::Inconclusive(_) | Verdict::Unsupported(_) => "inconclusive",
    }
}

fn painted(text: &str, status: Status, style: Style) -> String {
    let color = match status {
        Status::Holds => 32,
        Status::Inconclusive | Status::Interrupted => 33,
        Status::Violation | Status::Input | Status::Internal => 31,
    };
    if style.color { format!("\u{1b}[1;{color}m{text}\u{1b}[0m") } else { text.to_owned() }
}

/// The numbers that `--statistics` adds.
fn numbers(result: &CheckResult, statistics: &Statistics) -> String {
    let reductions = result.question.reduction_names();
    let reductions = if reductions.is_empty() { "none".to_owned() } else { reductions.join(", ") };
    let lines = [
        ("program", steps(statistics.program_states, statistics.program_transitions, statistics.program_seconds)),
        ("monitor", {
            let seconds = (statistics.seconds - statistics.program_seconds).max(0.0);
            steps(statistics.monitor_states, statistics.monitor_transitions, seconds)
        }),
        ("local states", grouped(statistics.local_states)),
        ("memory", size::show(statistics.peak_bytes)),
        ("jobs", result.question.jobs.to_string()),
        ("reductions", reductions),
    ];
    let mut text = String::new();
    for (name, value) in lines {
        let _ = writeln!(text, "  {name:<13} {value}");
    }
    text
}

fn steps(states: u64, transitions: u64, seconds: f64) -> String {
    format!("{} states, {} transitions, {seconds:.3} s", grouped(states), grouped(transitions))
}

/// How many results there were of each kind.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    verdicts: BTreeMap<&'static str, usize>,
}

impl Tally {
    /// Counts a result.
    pub(crate) fn count(&mut self, result: &CheckResult) {
        let name = match &result.answer {
            Answer::Rejected => "unusable",
            Answer::Broken { .. } => "internal error",
            Answer::Checked { outcome, .. } => words(&outcome.verdict),
        };
        *self.verdicts.entry(name).or_default() += 1;
    }

    /// One line, if there is something to sum up.
    pub(crate) fn summary(&self) -> String {
        let total: usize = self.verdicts.values().sum();
        if total < 2 {
            return String::new();
        }
        let order = [
            "robust",
            "not robust",
            "data race",
            "triangular race",
            "wrong under sequential consistency",
            "inconclusive",
            "unusable",
            "internal error",
        ];
        let parts: Vec<_> = order
            .iter()
            .filter_map(|name| self.verdicts.get(name).map(|number| format!("{} {name}", grouped(*number as u64))))
            .collect();
        format!("\n{}: {}\n", counted(total, "result"), parts.join(", "))
    }
}
