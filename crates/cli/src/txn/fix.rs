//! `steadfast txn fix`: the level that each template needs, and the reads to lock; the transactions of a program to run serializably, or to merge.

use super::args::FixArgs;
use super::input::Input;
use crate::guard::guarded;
use crate::output::Output;
use crate::reporter::Reporter;
use crate::status::Status;
use crate::{interrupt, settings};
use std::fmt::Write;
use std::io;
use steadfast_diag::Format;
use steadfast_explore::{Bound, Budget};
use steadfast_txn::fix::{Fix, MOST_CHANGES, merges, to_merge, to_serialize};
use steadfast_txn::template::{Level, Template, Undecided, allocate, promotions};
use steadfast_txn::{Program, ProgramModel, Subject};

/// More reads than this are not tried together.
pub(super) const MOST_LOCKS: usize = 4;

/// Runs the command.
pub(super) fn run(arguments: &FixArgs, output: &mut Output) -> io::Result<Status> {
    let mut reporter = Reporter::new(output, Format::Full);
    let input = Input::read(&arguments.file);
    let budget = Budget::new(settings::limits(&arguments.limits), Some(interrupt::listen()), None);
    let answered = guarded("repairing", &input.name, || match &input.subject {
        Some(Subject::Templates(templates)) => Some(of_templates(&input, templates, &budget)),
        Some(Subject::Program(program)) => {
            Some(of_program(arguments, &input, program, &budget).map_err(Undecided::Bound))
        }
        None => None,
    });
    match answered {
        Ok(Some(Ok(text))) => reporter.say(&text)?,
        Ok(Some(Err(undecided))) => {
            reporter.say(&format!("{}: inconclusive: {undecided}\n", input.name))?;
            let interrupted = undecided == Undecided::Bound(Bound::Interrupted);
            reporter.note(if interrupted { Status::Interrupted } else { Status::Inconclusive });
        }
        Ok(None) => input.reject(&mut reporter)?,
        Err(problem) => reporter.reject(vec![(&input.files[0], &problem)])?,
    }
    reporter.finish()
}

fn of_templates(input: &Input, templates: &[Template], budget: &Budget<'_>) -> Result<String, Undecided> {
    let levels = allocate(templates, budget)?;
    let width = templates.iter().map(|template| template.name.len()).max().unwrap_or(0);
    let mut text = format!("{}: the cheapest levels with which it is serializable\n", input.name);
    for (at, (template, level)) in templates.iter().zip(&levels).enumerate() {
        // Several ways through one transaction are one line.
        if templates[..at].iter().all(|other| other.name != template.name) {
            let _ = writeln!(text, "  {:<width$}  {}", template.name, postgres(*level));
        }
    }
    for level in [Level::Si, Level::Rc] {
        let _ = writeln!(text, "{}", locks(input, templates, level, budget)?);
    }
    Ok(text)
}

/// The fewest transactions to run serializably, and the fewest to merge, for each model.
fn of_program(arguments: &FixArgs, input: &Input, program: &Program, budget: &Budget<'_>) -> Result<String, Bound> {
    let mut models = arguments.model.clone();
    if models.is_empty() {
        models = ProgramModel::ALL.to_vec();
    }
    let name = |transaction: usize| &*program.transactions[transaction].name;
    let mut text = String::new();
    for model in models {
        let merge = to_merge(program, model, budget)?;
        if merge == Fix::Nothing {
            let _ = writeln!(text, "{}: robust as it is ({model})", input.name);
            continue;
        }
        let _ = writeln!(text, "{}: not robust ({model})", input.name);
        let serialize = match to_serialize(program, model, budget)? {
            Fix::These(chosen) => chosen.into_iter().map(name).collect::<Vec<_>>().join(", "),
            _ => format!("no {MOST_CHANGES} transactions suffice"),
        };
        let how = if model == ProgramModel::Si { ", or to let write a common row" } else { "" };
        let _ = writeln!(text, "  to run serializably{how}: {serialize}");
        let merge = match merge {
            Fix::These(chosen) => {
                let pairs = chosen.into_iter().map(|at| merges(program)[at]);
                pairs
                    .map(|pair| format!("{} and {}", name(pair.first), name(pair.second)))
                    .collect::<Vec<_>>()
                    .join("; ")
            }
            _ => "nothing helps".to_owned(),
        };
        let _ = writeln!(text, "  to merge: {merge}");
    }
    Ok(text)
}

/// Which reads to lock so that one level suffices.
fn locks(input: &Input, templates: &[Template], level: Level, budget: &Budget<'_>) -> Result<String, Undecided> {
    let name = postgres(level);
    let Some(reads) = promotions(templates, level, MOST_LOCKS, budget)? else {
        return Ok(format!("for {name} everywhere, locking {MOST_LOCKS} reads does not suffice"));
    };
    let place = |&(number, at): &(usize, usize)| {
        let template = &templates[number];
        let line = input.files[template.file].line_column(template.operations[at].span.start).line;
        format!("{} in {} (line {line})", input.table(template, at), template.name)
    };
    Ok(match &reads[..] {
        [] => format!("{name} suffices everywhere"),
        _ => format!(
            "{name} suffices everywhere with FOR UPDATE on: {}",
            reads.iter().map(place).collect::<Vec<_>>().join(", ")
        ),
    })
}

/// The level as PostgreSQL calls it.
pub(super) fn postgres(level: Level) -> &'static str {
    match level {
        Level::Rc => "READ COMMITTED",
        Level::Si => "REPEATABLE READ",
        Level::Ssi => "SERIALIZABLE",
    }
}
