//! `steadfast txn history`: does a recorded history satisfy a model?

use super::args::HistoryArgs;
use crate::guard::guarded;
use crate::output::Output;
use crate::reporter::{Reporter, about};
use crate::status::Status;
use crate::{codes, input, interrupt, numbers, settings};
use std::io;
use std::path::Path;
use steadfast_diag::{Diagnostic, Format};
use steadfast_explore::{Bound, Budget};
use steadfast_span::SourceFile;
use steadfast_txn::history::{Answer, Criterion, History, Violation, check, parse};

/// From this length on, a file is too long for a program.
const PROGRAM_BYTES: u64 = 8 << 20;
/// Longer histories are refused: positions are 32 bits.
const MAX_BYTES: u64 = 2 << 30;

/// Runs the command.
pub(super) fn run(arguments: &HistoryArgs, output: &mut Output) -> io::Result<Status> {
    let mut reporter = Reporter::new(output, Format::Full);
    let (name, text) = read(&arguments.file);
    let (file, problems) = match text {
        Ok(text) => (SourceFile::new(name, text), Vec::new()),
        Err(problem) => (SourceFile::new(name, ""), vec![problem]),
    };
    let read = || if problems.is_empty() { parse(&file) } else { Err(problems) };
    let read = guarded("reading the history", file.name(), read).unwrap_or_else(|problem| Err(vec![problem]));
    let history = match read {
        Ok(history) => history,
        Err(problems) => {
            reporter.reject(about(&file, &problems))?;
            return reporter.finish();
        }
    };
    let wanted = if arguments.model.is_empty() { Criterion::ALL } else { &arguments.model };
    for (at, &criterion) in wanted.iter().enumerate() {
        if at > 0 && interrupt::requested() {
            reporter.note(Status::Interrupted);
            break;
        }
        let budget = Budget::new(settings::limits(&arguments.limits), Some(interrupt::listen()), None);
        let doing = format!("checking against {criterion}");
        match guarded(&doing, file.name(), || answer_text(&history, &check(&history, criterion, &budget))) {
            Ok((text, status)) => {
                let operations = numbers::counted(history.operations(), "operation");
                let (verdict, rest) = text.split_once('\n').unwrap_or((&text, ""));
                reporter.note(status);
                reporter.say(&format!("{}: {verdict} ({criterion}, {operations})\n{rest}", file.name()))?;
            }
            Err(problem) => reporter.reject(vec![(&file, &problem)])?,
        }
    }
    reporter.finish()
}

/// The answer in words, one sentence per line.
fn answer_text(history: &History, answer: &Answer) -> (String, Status) {
    match answer {
        Answer::Satisfied => ("satisfied".to_owned(), Status::Holds),
        Answer::Inconclusive(bound) => {
            let status = if *bound == Bound::Interrupted { Status::Interrupted } else { Status::Inconclusive };
            (format!("inconclusive: {bound}"), status)
        }
        Answer::Violated(problem) => {
            let sentences = problem.sentences(history);
            let (verdict, status) = match problem {
                Violation::WrittenTwice { .. } => (sentences[0].clone(), Status::Input),
                _ => (format!("violated: {}", sentences[0]), Status::Violation),
            };
            let lines: Vec<String> =
                [verdict].into_iter().chain(sentences[1..].iter().map(|sentence| format!("  {sentence}"))).collect();
            (lines.join("\n") + "\n", status)
        }
    }
}

/// Histories are much longer than programs, and may be.
fn read(path: &Path) -> (String, Result<String, Diagnostic>) {
    let length = std::fs::metadata(path).map_or(0, |data| if data.is_file() { data.len() } else { 0 });
    if !(PROGRAM_BYTES..MAX_BYTES).contains(&length) {
        return input::text(path);
    }
    let text = std::fs::read_to_string(path);
    let problem = |error| Diagnostic::error(codes::UNREADABLE, format!("cannot read the file: {error}"));
    (path.display().to_string(), text.map_err(problem))
}
