//! The page about a repair, or about what could be weaker: the violation of the program as it is, and the program before and after.

use super::report::RepairReport;
use super::{Answer, Direction};
use crate::findings::CheckedProgram;
use crate::guard::guarded;
use crate::interrupt;
use crate::report::{endings, patched, run_view, verdict_class};
use crate::reporter::Report;
use crate::settings::{self, Question};
use steadfast_diag::Diagnostic;
use steadfast_repair::CheckedText;
use steadfast_report::{Page, RunView, html_page};
use steadfast_robust::check;

/// The page.
pub(super) fn page(report: &RepairReport<'_>) -> String {
    if let Answer::Impossible { strongest, .. } = &report.answer {
        // What is shown is the program that was changed as far as that goes.
        let CheckedText { file, program, outcome } = &**strongest;
        let checked = CheckedProgram { file, program, model: report.arguments.model, outcome };
        return page_of(report, &messages(report), run_view(&checked));
    }
    let (messages, run) = as_it_is(report).unwrap_or_else(|| (messages(report), None));
    page_of(report, &messages, run)
}

fn messages(report: &RepairReport<'_>) -> Vec<Diagnostic> {
    report.items().into_iter().map(|(_, message)| message.clone()).collect()
}

fn page_of(report: &RepairReport<'_>, diagnostics: &[Diagnostic], run: Option<RunView>) -> String {
    let repair = match &report.answer {
        Answer::Changed { changes, result, .. } if !changes.is_empty() => {
            Some(patched(&report.input.file, changes, result, report.summary()))
        }
        _ => None,
    };
    html_page(&Page {
        subject: report.input.file.name().to_owned(),
        verdict: report.name().replace('-', " "),
        verdict_class: verdict_class(report.status()),
        facts: vec![
            ("model".to_owned(), report.arguments.model.name().to_uppercase()),
            ("notion".to_owned(), report.arguments.notion.name().to_owned()),
            ("costs of".to_owned(), report.target.name().to_owned()),
        ],
        sources: vec![report.shown_file()],
        diagnostics: diagnostics.iter().map(|diagnostic| (0, diagnostic)).collect(),
        run,
        endings: endings(Some(report.arguments.model)),
        repair,
        lists: Vec::new(),
        remarks: vec![report.summary()],
    })
}

/// What is wrong with the program as it is: asked once more, because the repair only keeps its result.
fn as_it_is(report: &RepairReport<'_>) -> Option<(Vec<Diagnostic>, Option<RunView>)> {
    if report.direction == Direction::Relax && !matches!(report.answer, Answer::NotRobust(_)) {
        return None;
    }
    let arguments = report.arguments;
    let program = report.input.parsed.program.as_ref()?;
    let mut question = Question::new(arguments.notion, settings::limits(&arguments.limits));
    question.spin = !arguments.no_spin_detection;
    question.jobs = settings::jobs(arguments.jobs);
    let options = question.options(arguments.model, interrupt::listen());
    let outcome = guarded("drawing the page", report.input.file.name(), || check(program, &options)).ok()?;
    let checked = CheckedProgram { file: &report.input.file, program, model: arguments.model, outcome: &outcome };
    Some((crate::findings::diagnostics(&checked, None), run_view(&checked)))
}
