//! `steadfast run`.

use super::repetition::Repetition;
use super::{drawing, findings, page, record};
use crate::args::RunArgs;
use crate::codes;
use crate::interrupt;
use crate::output::{self, Output};
use crate::status::Status;
use std::ffi::OsStr;
use std::fmt::Write;
use std::io;
use std::path::Path;
use steadfast_diag::{Format, render, sarif};
use steadfast_sanitize::choice_log;
use steadfast_sanitize::compiler::{Language, ToolPaths};
use steadfast_sanitize::run::{End, Schedule, Settings};
use steadfast_sanitize::session::{Divergence, News, Plan, Session, SessionError, repeat};
use steadfast_sanitize::text;

/// Runs the command.
pub(crate) fn run(arguments: &RunArgs, output: &mut Output) -> io::Result<Status> {
    let plan = match plan(arguments) {
        Ok(plan) => plan,
        Err(reason) => return Ok(refuse(&reason)),
    };
    let scratch = match tempfile::tempdir() {
        Ok(folder) => folder,
        Err(error) => return Ok(refuse(&format!("cannot make a temporary folder: {error}"))),
    };
    let settings = settings(arguments);
    let mut complained = Status::Holds;
    let session = repeat(&settings, &plan, scratch.path(), |session, news| {
        // The output may be closed early (a pipe into `head`); the findings count nevertheless.
        output.note(status(session));
        for news in news {
            match news {
                News::Finding(text) if arguments.format == Format::Full => output.write(&text)?,
                News::Finding(_) => {}
                News::Complaint(reason) => output::complain(&reason),
                News::NotWritten(reason) => complained = refuse(&reason),
            }
        }
        Ok(())
    });
    let session = match session {
        Ok(session) => session,
        Err(SessionError::CannotRun(error)) => return Ok(refuse(&cannot_run(&settings.program, &error))),
        Err(SessionError::Files(path, error)) => {
            return Ok(refuse(&format!("cannot write {}: {error}", path.display())));
        }
        Err(SessionError::Told(error)) => return Err(error),
    };
    output.write(&conclusion(arguments, &session))?;
    if !matches!(arguments.format, Format::Full | Format::Json | Format::Jsonl) && findings_may_be_missing(&session) {
        output::complain(summary(arguments, &session).trim_end());
    }
    let mut status = status(&session).max(complained).max(drawing::draw(arguments, &session.collection));
    if let Some(path) = &arguments.report {
        let program = arguments.command[0].to_string_lossy();
        status = status.max(page::write(&program, &session, &mut crate::reporter::Files::new(path)));
    }
    Ok(status)
}

/// The runs that the user asks for.
fn plan(arguments: &RunArgs) -> Result<Plan, String> {
    if arguments.logs.is_some() && arguments.schedule == Schedule::Os && arguments.replay.is_none() {
        let names: Vec<_> = Schedule::all().filter(|&schedule| schedule != Schedule::Os).map(Schedule::name).collect();
        return Err(format!(
            "--logs needs a schedule that makes choices: add --schedule with one of {}",
            names.join(", ")
        ));
    }
    let replay = match &arguments.replay {
        Some(path) => {
            Some(choice_log::load(path).map_err(|error| format!("cannot repeat {}: {error}", path.display()))?)
        }
        None => None,
    };
    Ok(Plan {
        runs: arguments.runs,
        seed: arguments.seed,
        length: arguments.length,
        stop_at_first: arguments.stop_at_first,
        logs: arguments.logs.clone(),
        replay,
    })
}

/// Why a program cannot be run, with a suggestion.
fn cannot_run(program: &OsStr, error: &io::Error) -> String {
    let path = Path::new(program);
    let name = path.display();
    let hint = match error.kind() {
        io::ErrorKind::NotFound if path.components().count() == 1 && path.is_file() => {
            format!("; there is ./{name} in this directory")
        }
        io::ErrorKind::PermissionDenied if path.is_file() => {
            "; it is not a program: compile it with `steadfast cc` or `c++`".to_owned()
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
        schedule: arguments.schedule,
        time_limit: arguments.time_limit,
        options: Vec::new(),
        preload: arguments.preload.then(|| ToolPaths::here(Language::C).shared()),
        output_is_ours: arguments.format != Format::Full,
        interrupt: interrupt::listen(),
    }
}

/// The exit code of the runs.
fn status(session: &Session) -> Status {
    match (session.collection.runs_with_findings(), session.failed + session.diverged) {
        (1.., _) => Status::Violation,
        (0, _) if session.interrupted => Status::Interrupted,
        (0, 0) if session.watched > 0 => Status::Holds,
        (0, _) => Status::Inconclusive,
    }
}

/// Whether the runs may have missed findings.
fn findings_may_be_missing(session: &Session) -> bool {
    session.watched == 0 || session.failed + session.diverged > 0 || session.interrupted
}

/// The text at the end of all runs.
fn conclusion(arguments: &RunArgs, session: &Session) -> String {
    match arguments.format {
        Format::Full => {
            let held_back: String = session.collection.held_back().map(|held| text::full(&held.finding)).collect();
            held_back + &summary(arguments, session) + &drawing::terminal(arguments, &session.collection)
        }
        Format::Json => record::array(arguments, session),
        Format::Jsonl => record::line(arguments, session),
        Format::Sarif | Format::Concise | Format::Github | Format::Markdown => {
            let diagnostics = findings::diagnostics(&session.collection);
            let items: Vec<_> = diagnostics.iter().map(|(file, diagnostic)| (file, diagnostic)).collect();
            match arguments.format {
                Format::Sarif => sarif(&items, &codes::registry()),
                format => render(format, &items, steadfast_diag::Style::default()),
            }
        }
    }
}

/// How a failed run ended.
pub(super) fn how(end: End) -> String {
    match end {
        End::Own(status) => status.to_string(),
        End::TimedOut | End::Interrupted => "too long".to_owned(),
    }
}

fn summary(arguments: &RunArgs, session: &Session) -> String {
    let runs = |count: u64| format!("{count} {}", if count == 1 { "run" } else { "runs" });
    let (found, with_findings) = (session.collection.all().count(), session.collection.runs_with_findings());
    // Writing to a string does not fail.
    let mut text = match found {
        0 => format!("Nothing was reported in {}", runs(session.runs)),
        1 => format!("1 finding, in {with_findings} of {}", runs(session.runs)),
        count => format!("{count} findings, in {with_findings} of {}", runs(session.runs)),
    };
    if let Some(first) = session.failures.first() {
        let how = how(first.end);
        let _ = write!(text, "; {} ended with an error of the program or took too long ({how})", runs(session.failed));
    }
    text.push_str(if session.interrupted { "; then it was interrupted.\n" } else { ".\n" });
    if session.watched == 0 {
        text.push_str("The runtime did not run: the program was not compiled with `steadfast cc`, `c++` or `cargo`.\n");
    }
    if let Some(divergence) = &session.divergence {
        let _ = writeln!(text, "{} diverged from the log: {}.", runs(session.diverged), diverged(divergence));
        if divergence.waits_outside {
            text.push_str("A thread waited for something that the schedule does not control; such runs cannot always be repeated.\n");
        }
    }
    if let Some(step) = session.full_from {
        let _ = writeln!(text, "The choice log of {} was full, in the first from step {step} on.", runs(session.full));
    }
    if session.with_other_processes > 0 {
        let count = runs(session.with_other_processes);
        let _ = writeln!(text, "{count} had several processes with a schedule; the log has the choices of the first.");
    }
    let findings = session.collection.all().next().map(|first| ("finding", &first.first));
    let failures = session.failures.first().map(|first| ("failure", &first.origin));
    for (what, origin) in findings.into_iter().chain(failures) {
        if let Some(repetition) = Repetition::of(arguments, origin) {
            let _ = writeln!(text, "Repeat the first {what} (run {}) with: {repetition}", origin.run + 1);
        }
    }
    text
}

/// Why a run was not a repetition.
pub(super) fn diverged(divergence: &Divergence) -> String {
    let (run, step, steps) = (divergence.origin.run + 1, divergence.step + 1, divergence.steps);
    match (&divergence.recorded, &divergence.instead) {
        (Some(recorded), Some(instead)) if recorded.is_same_step(instead) => {
            format!("in run {run}, the thread that goes on after step {step} of {steps} ({recorded}) could not go on")
        }
        (Some(recorded), Some(instead)) => {
            format!("in run {run}, step {step} of {steps} was `{instead}` instead of `{recorded}`")
        }
        _ if divergence.step == 0 => format!("run {run} made no step under a controlled schedule"),
        _ => format!("run {run} ended before step {step} of {steps}"),
    }
}
