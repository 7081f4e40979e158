//! `steadfast txn history`: does a recorded history satisfy a model?

use super::args::HistoryArgs;
use crate::output::Output;
use crate::status::Status;
use crate::{codes, input, interrupt, numbers, settings, show};
use std::io;
use std::path::Path;
use steadfast_diag::Diagnostic;
use steadfast_explore::{Bound, Budget};
use steadfast_span::SourceFile;
use steadfast_txn::history::{Answer, Criterion, History, Violation, check, parse};

/// From this length on, a file is too long for a program.
const PROGRAM_BYTES: u64 = 8 << 20;
/// Longer histories are refused: positions are 32 bits.
const MAX_BYTES: u64 = 2 << 30;

/// Runs the command.
pub(super) fn run(arguments: &HistoryArgs, output: &mut Output) -> io::Result<Status> {
    let (name, text) = read(&arguments.file);
    let (file, problems) = match text {
        Ok(text) => (SourceFile::new(name, text), Vec::new()),
        Err(problem) => (SourceFile::new(name, ""), vec![problem]),
    };
    let history = if problems.is_empty() { parse(&file) } else { Err(problems) };
    let history = match history {
        Ok(history) => history,
        Err(problems) => {
            output.write(&show::problems(&file, &problems, output))?;
            return Ok(Status::Input);
        }
    };
    let wanted = if arguments.model.is_empty() { &Criterion::ALL[..] } else { &arguments.model };
    let mut worst = Status::Holds;
    for &criterion in wanted {
        let budget = Budget::new(settings::limits(&arguments.limits), Some(interrupt::listen()), None);
        let (text, status) = answer_text(&history, &check(&history, criterion, &budget));
        worst = worst.max(status);
        let operations = numbers::counted(history.operations(), "operation");
        let (verdict, rest) = text.split_once('\n').unwrap_or((&text, ""));
        output.write(&format!("{}: {verdict} ({criterion}, {operations})\n{rest}", file.name()))?;
        if status == Status::Interrupted {
            break;
        }
    }
    Ok(worst)
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
