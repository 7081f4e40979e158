//! `steadfast fix` and `steadfast relax`: changes to a program, shown as a patch and written if that is wanted.

mod page;
mod patch;
mod record;
mod report;
mod words;
mod write;

use crate::args::{FixArgs, RelaxArgs, RepairArgs};
use crate::guard::guarded;
use crate::input::{Input, STDIN};
use crate::output::Output;
use crate::progress::Progress;
use crate::reporter::Reporter;
use crate::settings::{self, Question};
use crate::status::Status;
use crate::{interrupt, numbers};
use report::RepairReport;
use std::io;
use steadfast_diag::Diagnostic;
use steadfast_repair::{Allowed, Change, CheckedText, Fixed, Relaxed, Stop, Task, Watcher, fix, relax, usual_target};
use steadfast_robust::{Options, Outcome};

/// Which of the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    /// Make it robust.
    Fix,
    /// Make it weaker.
    Relax,
}

/// What came out, in either direction.
pub(crate) enum Answer {
    /// Nothing has to be changed, or nothing can be.
    AsItIs,
    /// These changes are the answer.
    Changed {
        changes: Vec<Change>,
        /// What they cost or save.
        cost: u32,
        result: Box<CheckedText>,
        checks: u64,
        sites: usize,
    },
    /// It fails already when threads take turns.
    FailsUnderSc(Box<Outcome>),
    /// All allowed changes together are not enough; what is wrong with them.
    Impossible { strongest: Box<CheckedText>, sites: usize },
    /// Not robust, so there is nothing to relax.
    NotRobust(Box<Outcome>),
    /// No answer.
    Stopped(Stop),
    /// The file holds no program that could be changed.
    Rejected,
    /// The tool failed.
    Broken(Diagnostic),
}

/// Runs `steadfast fix`.
pub(crate) fn run_fix(arguments: &FixArgs, output: &mut Output) -> io::Result<Status> {
    run(Direction::Fix, &arguments.common, &arguments.allow, output)
}

/// Runs `steadfast relax`.
pub(crate) fn run_relax(arguments: &RelaxArgs, output: &mut Output) -> io::Result<Status> {
    run(Direction::Relax, &arguments.common, &arguments.allow, output)
}

fn run(direction: Direction, arguments: &RepairArgs, allow: &[Allowed], output: &mut Output) -> io::Result<Status> {
    let mut reporter =
        Reporter::new(output, arguments.format).with_one_object().with_pages(arguments.report.as_deref());
    if arguments.write && arguments.file.as_os_str() == STDIN {
        reporter.fail("`--write` needs a file; standard input cannot be changed");
        return Ok(Status::Input);
    }
    let input = Input::read(&arguments.file);
    let allowed = allow.iter().fold(Allowed::NOTHING, |all, one| all.or(*one));
    let target = arguments.target.unwrap_or_else(|| usual_target(arguments.model));
    let mut report = RepairReport::new(direction, arguments, &input, (target, allowed));
    let doing = if direction == Direction::Fix { "repairing" } else { "relaxing" };
    if input.parsed.program.is_some() {
        let answered = guarded(doing, input.file.name(), || answer(&report));
        report.answer = answered.unwrap_or_else(Answer::Broken);
    }
    if let (true, Answer::Changed { changes, result, .. }) = (arguments.write, &report.answer)
        && !changes.is_empty()
    {
        match write::replace(&arguments.file, input.file.text(), result.file.text()) {
            Ok(()) => report.written = true,
            Err(error) => reporter.fail(&format!("cannot write {}: {error}", arguments.file.display())),
        }
    }
    report.conclude();
    reporter.take(&report)?;
    reporter.finish()
}

fn answer(report: &RepairReport<'_>) -> Answer {
    let RepairReport { direction, arguments, input, target, allowed, .. } = *report;
    let mut question = Question::new(arguments.notion, settings::limits(&arguments.limits));
    question.spin = !arguments.no_spin_detection;
    question.jobs = settings::jobs(arguments.jobs);
    let verb = if direction == Direction::Fix { "repairing" } else { "relaxing" };
    let what = format!("{verb} {} ({}, {})", input.file.name(), arguments.model.name(), arguments.notion.name());
    let progress = Progress::start(what.clone(), false);
    let observer = |used| progress.update(used);
    let options = Options { observer: Some(&observer), ..question.options(arguments.model, interrupt::listen()) };
    let watcher = |checks: u64, changes: usize| {
        let checks = numbers::counted(checks as usize, "check");
        progress.say(format!("{what}: {checks}, trying {}; now", numbers::counted(changes, "change")));
    };
    let watcher: Watcher<'_> = &watcher;
    let task =
        Task { file: &input.file, dialect: input.dialect, options: &options, target, allowed, watcher: Some(watcher) };
    match direction {
        Direction::Fix => match fix(&task) {
            Fixed::Already(_) => Answer::AsItIs,
            Fixed::Repaired { changes, cost, result, checks, sites } => {
                Answer::Changed { changes, cost, result, checks, sites }
            }
            Fixed::FailsUnderSc(outcome) => Answer::FailsUnderSc(outcome),
            Fixed::Impossible { strongest, sites } => Answer::Impossible { strongest, sites },
            Fixed::Stopped(stop) => Answer::Stopped(stop),
        },
        Direction::Relax => match relax(&task) {
            Relaxed::Weakened { changes, saved, result, checks, sites } => {
                Answer::Changed { changes, cost: saved, result, checks, sites }
            }
            Relaxed::NotRobust(outcome) => Answer::NotRobust(outcome),
            Relaxed::Stopped(stop) => Answer::Stopped(stop),
        },
    }
}

/// A change in words.
pub(crate) fn change_in_words(file: &steadfast_span::SourceFile, change: &steadfast_repair::Change) -> String {
    words::change(file, change)
}

/// Changes as a unified diff.
pub(crate) fn patch_of(
    file: &steadfast_span::SourceFile,
    changed: &str,
    changes: &[steadfast_repair::Change],
) -> String {
    patch::unified(file, changed, changes)
}
