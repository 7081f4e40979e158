//! `steadfast run`.

use super::{drawing, findings, page, record};
use crate::args::{RunArgs, ScheduleChoice};
use crate::codes;
use crate::interrupt;
use crate::output::{self, Output};
use crate::status::Status;
use std::ffi::OsStr;
use std::fmt::Write;
use std::io;
use std::path::Path;
use steadfast_diag::{Format, render, sarif};
use steadfast_sanitize::collection::Collection;
use steadfast_sanitize::compiler::{Language, ToolPaths};
use steadfast_sanitize::finding::Finding;
use steadfast_sanitize::record::Kind;
use steadfast_sanitize::run::{End, RunResult, Schedule, Settings, once};
use steadfast_sanitize::symbols::Symbols;
use steadfast_sanitize::text;

/// What came of all runs.
pub(super) struct Tally {
    pub(super) collection: Collection,
    /// How many runs there were.
    pub(super) runs: u64,
    /// How many ended with an error of the program, or took too long.
    pub(super) failed: u64,
    /// How the first of them ended.
    first_failure: Option<End>,
    /// How many had the runtime in them.
    pub(super) watched: u64,
    /// Whether somebody stopped it.
    pub(super) interrupted: bool,
}

/// Runs the command.
pub(crate) fn run(arguments: &RunArgs, output: &mut Output) -> io::Result<Status> {
    let scratch = match tempfile::tempdir() {
        Ok(folder) => folder,
        Err(error) => return Ok(refuse(&format!("cannot make a temporary folder: {error}"))),
    };
    let settings = settings(arguments);
    let mut tally = Tally::new();
    let mut symbols = Symbols::new();
    for run in 0..arguments.runs {
        let seed = arguments.seed.wrapping_add(run);
        let outcome = match once(&settings, seed, scratch.path()) {
            Ok(outcome) => outcome,
            Err(error) => return Ok(refuse(&cannot_run(&settings.program, &error))),
        };
        let found = tally.add(run, seed, &outcome, &mut symbols);
        // Whoever reads our output may have seen enough; what was found counts all the same.
        output.note(tally.status());
        if arguments.format == Format::Full && !found.is_empty() {
            output.write(&found)?;
        }
        if tally.interrupted || arguments.stop_at_first && tally.collection.runs_with_findings() > 0 {
            break;
        }
    }
    output.write(&conclusion(arguments, &tally))?;
    if !matches!(arguments.format, Format::Full | Format::Json | Format::Jsonl) && tally.findings_may_be_missing() {
        output::complain(summary(arguments, &tally).trim_end());
    }
    let mut status = tally.status().max(drawing::draw(arguments, &tally.collection));
    if let Some(path) = &arguments.report {
        let program = arguments.command[0].to_string_lossy();
        status = status.max(page::write(&program, &tally, &mut crate::reporter::Files::new(path)));
    }
    Ok(status)
}

/// Why a program cannot be run, with what was probably meant.
fn cannot_run(program: &OsStr, error: &io::Error) -> String {
    let path = Path::new(program);
    let name = path.display();
    let hint = match error.kind() {
        io::ErrorKind::NotFound if path.components().count() == 1 && path.is_file() => {
            format!("; there is ./{name} in this directory")
        }
        io::ErrorKind::PermissionDenied if path.is_file() => {
            "; it is not a program: `steadfast cc` and `c++` compile one".to_owned()
        }
        _ => String::new(),
    };
    format!("cannot run {name}: {error}{hint}")
}

fn refuse(reason: &str) -> Status {
    output::complain(reason);
    Status::Input
}

fn settings(arguments: &RunArgs) -> Settings {
    Settings {
        program: arguments.command[0].clone(),
        arguments: arguments.command[1..].to_vec(),
        schedule: match arguments.schedule {
            ScheduleChoice::Os => Schedule::Os,
            ScheduleChoice::Random => Schedule::Random,
            ScheduleChoice::Pct => Schedule::Pct,
        },
        time_limit: arguments.time_limit,
        options: Vec::new(),
        preload: arguments.preload.then(|| ToolPaths::here(Language::C).shared()),
        output_is_ours: arguments.format != Format::Full,
        interrupt: interrupt::listen(),
    }
}

impl Tally {
    fn new() -> Self {
        let collection = Collection::new();
        Self { collection, runs: 0, failed: 0, first_failure: None, watched: 0, interrupted: false }
    }

    /// Adds a run. Returns the texts of what is new.
    fn add(&mut self, run: u64, seed: u64, outcome: &RunResult, symbols: &mut Symbols) -> String {
        self.runs += 1;
        self.watched += u64::from(outcome.watched);
        let mut findings: Vec<_> = outcome.records.iter().map(|record| Finding::resolve(record, symbols)).collect();
        findings.retain(|finding| !finding.is_inside_library());
        if let Some(first) = outcome.records.iter().find(|record| record.suppressions.is_some()) {
            let suppressions = super::suppressions(first);
            findings.retain(|finding| !suppressions.apply_to(finding));
        }
        match outcome.end {
            End::Own(status) if status.success() => {}
            // The runtime has ended it, and says why.
            End::Own(_) if findings.iter().any(|finding| finding.kind == Kind::Deadlock) => {}
            End::Interrupted => self.interrupted = true,
            failure => {
                self.failed += 1;
                self.first_failure.get_or_insert(failure);
            }
        }
        let new = self.collection.add(run, seed, findings);
        new.iter().map(|new| text::full(&new.finding)).collect()
    }

    fn status(&self) -> Status {
        match (self.collection.runs_with_findings(), self.failed) {
            (1.., _) => Status::Violation,
            (0, _) if self.interrupted => Status::Interrupted,
            (0, 0) if self.watched > 0 => Status::Holds,
            (0, _) => Status::Inconclusive,
        }
    }

    /// Whether there is more to say than the findings.
    fn findings_may_be_missing(&self) -> bool {
        self.watched == 0 || self.failed > 0 || self.interrupted
    }
}

/// What is written at the end.
fn conclusion(arguments: &RunArgs, tally: &Tally) -> String {
    match arguments.format {
        Format::Full => {
            let held_back: String = tally.collection.held_back().map(|held| text::full(&held.finding)).collect();
            held_back + &summary(arguments, tally) + &drawing::terminal(arguments, &tally.collection)
        }
        Format::Json => record::array(arguments, tally),
        Format::Jsonl => record::line(arguments, tally),
        Format::Sarif | Format::Concise | Format::Github | Format::Markdown => {
            let diagnostics = findings::diagnostics(&tally.collection);
            let items: Vec<_> = diagnostics.iter().map(|(file, diagnostic)| (file, diagnostic)).collect();
            match arguments.format {
                Format::Sarif => sarif(&items, &codes::registry()),
                format => render(format, &items, steadfast_diag::Style::default()),
            }
        }
    }
}

fn summary(arguments: &RunArgs, tally: &Tally) -> String {
    let runs = |count: u64| format!("{count} {}", if count == 1 { "run" } else { "runs" });
    let (found, with_findings) = (tally.collection.all().count(), tally.collection.runs_with_findings());
    // Writing to a string does not fail.
    let mut text = match found {
        0 => format!("Nothing was reported in {}", runs(tally.runs)),
        1 => format!("1 finding, in {with_findings} of {}", runs(tally.runs)),
        count => format!("{count} findings, in {with_findings} of {}", runs(tally.runs)),
    };
    if let Some(first) = tally.first_failure {
        let how = match first {
            End::Own(status) => status.to_string(),
            End::TimedOut | End::Interrupted => "too long".to_owned(),
        };
        let _ = write!(text, "; {} ended with an error of the program or took too long ({how})", runs(tally.failed));
    }
    text.push_str(if tally.interrupted { "; then it was interrupted.\n" } else { ".\n" });
    if tally.watched == 0 {
        text.push_str("Nothing could be: the program was not compiled with `steadfast cc`, `c++` or `cargo`.\n");
    }
    if let (Some(first), true) = (tally.collection.all().next(), arguments.schedule != ScheduleChoice::Os) {
        let schedule = settings(arguments).schedule.name();
        let _ = writeln!(text, "Repeat the first one with --schedule {schedule} --seed {}.", first.seed);
    }
    text
}
