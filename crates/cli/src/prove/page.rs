//! The page about a proof, or about why there is none.

use super::instance::Asserted;
use super::report::{Report, claimed};
use crate::ask::ask;
use crate::findings::{CheckedProgram, diagnostics};
use crate::interrupt;
use crate::report::{endings, run_view, verdict_class};
use crate::settings::{self, Question};
use steadfast_diag::Diagnostic;
use steadfast_lang::{Instance, parse_instance};
use steadfast_prove::{Failure, ProofResult, Reason, WriteProof};
use steadfast_report::{Listing, Page, RunView, html_page};
use steadfast_robust::{Limits, Model, Notion};
use steadfast_span::Span;

/// The page.
pub(super) fn page(report: &Report) -> String {
    let broken = report.instances.as_ref().and_then(|instances| instances.broken.as_ref());
    let failing = report.asserted.as_ref().and_then(|asserted| asserted.failing.as_ref());
    let shown = broken.or(failing).and_then(|(instance, _)| violation(report, *instance));
    let (mut found, run) = shown.unwrap_or_default();
    let (verdict, mut remarks, lists) = outcome(report, &mut found);
    remarks.extend(report.asserted.as_ref().map(Asserted::described));
    let verdict = match (broken, failing) {
        (Some(_), _) => "not robust".to_owned(),
        (None, Some(_)) => "an assertion fails".to_owned(),
        (None, None) => verdict,
    };
    let mut facts =
        vec![("model".to_owned(), "TSO".to_owned()), ("time".to_owned(), format!("{:.2} s", report.seconds))];
    let all = report.instances.as_ref();
    let described = broken.zip(all).map(|((instance, _), all)| all.described(*instance));
    let instances = described.unwrap_or_else(|| "any number of threads".to_owned());
    facts.push(("instances".to_owned(), instances));
    html_page(&Page {
        subject: report.file.name().to_owned(),
        verdict,
        verdict_class: verdict_class(report.status()),
        facts,
        sources: vec![&report.file],
        diagnostics: found.iter().map(|diagnostic| (0, diagnostic)).collect(),
        run,
        endings: endings(Some(Model::Tso)),
        repair: None,
        lists,
        remarks,
    })
}

/// The verdict, what to know about it, and why each store is harmless.
fn outcome(report: &Report, found: &mut Vec<Diagnostic>) -> (String, Vec<String>, Vec<Listing>) {
    match &report.outcome {
        None => {
            found.extend(report.diagnostics.iter().cloned());
            ("cannot be proved".to_owned(), Vec::new(), Vec::new())
        }
        Some(ProofResult::Unsupported(problem)) => {
            ("cannot be proved".to_owned(), vec![problem.message.clone()], Vec::new())
        }
        Some(ProofResult::Inconclusive(error)) => ("inconclusive".to_owned(), vec![error.to_string()], Vec::new()),
        Some(ProofResult::NotProved(failure)) => {
            found.push(failed(failure));
            let remark = "No proof was found; that does not mean that there is none.";
            ("inconclusive".to_owned(), vec![remark.to_owned()], Vec::new())
        }
        Some(ProofResult::Proved(proof)) => {
            let writes =
                proof.writes.iter().map(|write| format!("{}: {}", place(report, write.span), why(report, write)));
            let invariants = proof.invariants.iter();
            let invariants = invariants
                .map(|(role, span, facts)| format!("{role}, before {}: {}", place(report, *span), facts.join(", ")));
            let lists = vec![
                Listing { title: "Why each store is harmless".to_owned(), entries: writes.collect() },
                Listing { title: "What always holds".to_owned(), entries: invariants.collect() },
            ];
            let lists = lists.into_iter().filter(|list| !list.entries.is_empty()).collect();
            (
                claimed(proof.claim).to_owned(),
                vec![format!(
                    "This holds for any number of threads: the program is {} against TSO.",
                    claimed(proof.claim)
                )],
                lists,
            )
        }
    }
}

/// A place in the text.
fn place(report: &Report, span: Span) -> String {
    format!("line {} `{}`", report.file.line_column(span.start).line, report.text(span))
}

/// Why a store is harmless.
fn why(report: &Report, write: &WriteProof) -> String {
    match write.reason {
        Reason::Nothing => "no load can overtake it".to_owned(),
        Reason::Moves => "it could have happened earlier".to_owned(),
        Reason::Reads => {
            let reads: Vec<String> = write.reads.iter().map(|span| place(report, *span)).collect();
            format!("what overtakes it could have happened later: {}", crate::numbers::listed(&reads))
        }
    }
}

/// Why there is no proof.
fn failed(failure: &Failure) -> Diagnostic {
    let problem = Diagnostic::warning(crate::codes::NOT_PROVED, "no proof that this store is harmless");
    let problem = problem.at(failure.write, "may still be in its buffer");
    match failure.read {
        Some(read) => problem.context(read, "while this load goes to memory"),
        None => problem,
    }
}

/// The violation of a finite instance, found once more: the first search kept only what it says.
fn violation(report: &Report, instance: Instance) -> Option<(Vec<Diagnostic>, Option<RunView>)> {
    let program = parse_instance(&report.file, instance).program?;
    let mut question = Question::new(Notion::Graph, Limits::default());
    question.jobs = settings::jobs(None);
    question.spin = false;
    let outcome = ask(&program, &question.options(Model::Tso, interrupt::listen())).ok()?;
    let checked = CheckedProgram { file: &report.file, program: &program, model: Model::Tso, outcome: &outcome };
    Some((diagnostics(&checked, None), run_view(&checked)))
}
