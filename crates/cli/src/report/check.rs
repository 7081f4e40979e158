//! The page about a result of `steadfast check`.

use crate::findings::{CheckedProgram, numbered_events};
use crate::numbers::grouped;
use crate::reporter::Drawing;
use crate::result::{Answer, CheckResult};
use crate::status::Status;
use steadfast_diag::Severity;
use steadfast_report::{Page, ProgramText, Repair, RunView, Subject, VerdictClass, html_page};
use steadfast_robust::{Supported, Verdict};

/// The view of the run of a violation.
pub(crate) fn run_view(checked: &CheckedProgram<'_>) -> Option<RunView> {
    let witness = checked.outcome.verdict.witness()?;
    let numbered_events = numbered_events(checked, witness);
    let places = &ProgramText { file: checked.file };
    let whole = Some((checked.program, checked.model.model()));
    Some(RunView::of(&Subject { witness, names: checked.program, places, whole, numbered: &numbered_events }))
}

/// The execution of a violation.
pub(crate) fn picture(checked: &CheckedProgram<'_>, drawing: Drawing) -> Option<String> {
    match drawing {
        Drawing::Dot => Some(checked.outcome.verdict.witness()?.dot(checked.program)),
        Drawing::Svg => Some(steadfast_report::svg(&run_view(checked)?.picture)),
        Drawing::Text => Some(steadfast_report::text(&run_view(checked)?.picture)),
    }
}

/// The page about a result.
pub(crate) fn check_page(result: &CheckResult, repair: Option<Repair>) -> String {
    let run = result.checked().and_then(|checked| run_view(&checked));
    let mut diagnostics: Vec<_> = result.diagnostics.iter().map(|diagnostic| (0, diagnostic)).collect();
    // Violations come first.
    diagnostics.sort_by_key(|(_, diagnostic)| match diagnostic.severity {
        Severity::Error => 0,
        Severity::Warning => 1,
        Severity::Note => 2,
    });
    html_page(&Page {
        subject: result.file.name().to_owned(),
        verdict: verdict(result),
        verdict_class: verdict_class(result.status()),
        facts: facts(result),
        sources: vec![&result.file],
        diagnostics,
        run,
        endings: endings(result.model()),
        repair,
        lists: Vec::new(),
        remarks: remarks(result),
    })
}

/// The class of a status.
pub(crate) fn verdict_class(status: Status) -> VerdictClass {
    match status {
        Status::Holds => VerdictClass::Good,
        Status::Inconclusive | Status::Interrupted => VerdictClass::Unsure,
        Status::Violation | Status::Input | Status::Internal => VerdictClass::Bad,
    }
}

/// The names of the two endings of a run.
pub(crate) fn endings(model: Option<Supported>) -> [String; 2] {
    let weak = model.map_or_else(|| "the weak model".to_owned(), |model| model.name().to_uppercase());
    ["under SC".to_owned(), format!("what {weak} allows")]
}

fn verdict(result: &CheckResult) -> String {
    match &result.answer {
        Answer::Rejected => "cannot be checked".to_owned(),
        Answer::Broken { .. } => "internal error".to_owned(),
        Answer::Checked { outcome, .. } => crate::render::words(&outcome.verdict).to_owned(),
    }
}

fn facts(result: &CheckResult) -> Vec<(String, String)> {
    let fact = |name: &str, value: String| (name.to_owned(), value);
    let Answer::Checked { model, outcome, .. } = &result.answer else { return Vec::new() };
    let statistics = &outcome.statistics;
    let searched = if matches!(outcome.verdict, Verdict::Robust) { "all of them" } else { "until the violation" };
    let searched = if matches!(outcome.verdict, Verdict::Inconclusive(_) | Verdict::Unsupported(_)) {
        "not all"
    } else {
        searched
    };
    vec![
        fact("model", model.name().to_uppercase()),
        fact("notion", result.question.notion_name().to_owned()),
        fact("states of the program", grouped(statistics.program_states)),
        fact("with monitor", grouped(statistics.monitor_states)),
        fact("searched", searched.to_owned()),
        fact("time", format!("{:.2} s", statistics.seconds)),
    ]
}

fn remarks(result: &CheckResult) -> Vec<String> {
    let mut remarks = result.remarks.clone();
    if let Some(Verdict::Robust) = result.outcome().map(|outcome| &outcome.verdict) {
        remarks.insert(
            0,
            "Every state that the program can reach when its threads take turns was visited, and in none of them could a step leave sequential consistency. \
             So whatever it can do under the model it can also do when its threads simply take turns."
                .to_owned(),
        );
    }
    remarks
}
