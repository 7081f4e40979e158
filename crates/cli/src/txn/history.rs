//! `steadfast txn history`: does a recorded history satisfy a model?

use super::args::HistoryArgs;
use crate::output::Output;
use crate::status::Status;
use crate::{codes, input, numbers, show};
use std::io;
use std::path::Path;
use steadfast_diag::Diagnostic;
use steadfast_span::SourceFile;
use steadfast_txn::Model;
use steadfast_txn::history::{History, Violation, check, parse_plume};

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
    let history = if problems.is_empty() { parse_plume(&file) } else { Err(problems) };
    let history = match history {
        Ok(history) => history,
        Err(problems) => {
            output.write(&show::problems(&file, &problems, output))?;
            return Ok(Status::Input);
        }
    };
    let mut worst = Status::Holds;
    for model in [Model::Cc, Model::Ccv] {
        let (verdict, status) = match check(&history, model) {
            Ok(()) => ("satisfied".to_owned(), Status::Holds),
            Err(problem @ Violation::WrittenTwice { .. }) => (told(&history, &problem), Status::Input),
            Err(problem) => (format!("violated: {}", told(&history, &problem)), Status::Violation),
        };
        worst = worst.max(status);
        let operations = numbers::counted(history.operations(), "operation");
        output.write(&format!("{}: {verdict} ({model}, {operations})\n", file.name()))?;
    }
    Ok(worst)
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

/// A violation in words.
fn told(history: &History, violation: &Violation) -> String {
    let key = |key: u32| history.keys[key as usize].escape_debug().to_string();
    match violation {
        Violation::WrittenTwice { key: which, value, writers: [one, other] } => format!(
            "cannot tell: `{}` = {value} is written by {} and by {}",
            key(*which),
            history.name(*one),
            history.name(*other)
        ),
        Violation::WrongValue { reader, key: which, value } => {
            format!("{} reads `{}` = {value}, which it cannot have from anybody", history.name(*reader), key(*which))
        }
        Violation::CausalCycle => "the order of sessions and the reads contradict each other".to_owned(),
        Violation::StaleRead { reader, key: which, source, newer } => {
            let source = source.map_or_else(|| "the start".to_owned(), |source| history.name(source));
            let newer = history.name(*newer);
            format!(
                "{} reads `{}` from {source}, although it knows of {newer}, which overwrote it",
                history.name(*reader),
                key(*which)
            )
        }
        Violation::NoOrder => "no single order of the writes explains all reads".to_owned(),
    }
}
