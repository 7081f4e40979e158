//! The page about a proof, or about why there is none.

use super::report::ProofReport;
use super::words::{self, claimed};
use crate::findings::diagnostics;
use crate::report::{endings, run_view, verdict_class};
use crate::reporter::Report;
use steadfast_diag::Diagnostic;
use steadfast_prove::{Failure, ProofResult, Reason, WriteProof};
use steadfast_report::{Listing, Page, html_page};
use steadfast_robust::Supported;

/// The page.
pub(super) fn page(report: &ProofReport) -> String {
    let (broken, failing) = (report.broken(), report.failing());
    let shown = broken.or(failing).map(|decided| report.checked(decided));
    let mut found = shown.map(|checked| diagnostics(&checked, None)).unwrap_or_default();
    let (verdict, mut remarks, lists) = outcome(report, &mut found);
    remarks.extend(report.small.assertions.as_ref().map(|asserted| words::asserted(asserted, report.many)));
    let verdict = match (broken, failing) {
        (Some(_), _) => "not robust".to_owned(),
        (None, Some(_)) => "an assertion fails".to_owned(),
        (None, None) => verdict,
    };
    let described = broken.map(|decided| words::instance(decided.instance, report.many));
    let instances = described.unwrap_or_else(|| "any number of threads".to_owned());
    let facts = [("model", "TSO".to_owned()), ("time", format!("{:.2} s", report.seconds)), ("instances", instances)];
    html_page(&Page {
        subject: report.file.name().to_owned(),
        verdict,
        verdict_class: verdict_class(report.status()),
        facts: facts.map(|(name, value)| (name.to_owned(), value)).to_vec(),
        sources: vec![&report.file],
        diagnostics: found.iter().map(|diagnostic| (0, diagnostic)).collect(),
        run: shown.and_then(|checked| run_view(&checked)),
        endings: endings(Some(Supported::Tso)),
        repair: None,
        lists,
        remarks,
    })
}

/// The verdict, what to know about it, and why each store is harmless.
fn outcome(report: &ProofReport, found: &mut Vec<Diagnostic>) -> (String, Vec<String>, Vec<Listing>) {
    match &report.outcome {
        None => {
            found.extend(report.messages.iter().cloned());
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
                proof.writes.iter().map(|write| format!("{}: {}", report.place(write.span), why(report, write)));
            let invariants = proof.invariants.iter();
            let invariants = invariants
                .map(|(role, span, facts)| format!("{role}, before {}: {}", report.place(*span), facts.join(", ")));
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

/// Why a store is harmless.
fn why(report: &ProofReport, write: &WriteProof) -> String {
    match write.reason {
        Reason::Nothing => "no load can overtake it".to_owned(),
        Reason::Moves => "it could have happened earlier".to_owned(),
        Reason::Reads => {
            let reads: Vec<String> = write.reads.iter().map(|span| report.place(*span)).collect();
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
