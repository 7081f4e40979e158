//! `steadfast txn replay`: a violation on a real PostgreSQL.

use super::args::ReplayArgs;
use super::fix::MOST_LOCKS;
use super::input::Input;
use crate::guard::guarded;
use crate::output::Output;
use crate::reporter::Reporter;
use crate::status::Status;
use crate::{interrupt, settings};
use std::collections::BTreeMap;
use std::io;
use steadfast_diag::Format;
use steadfast_explore::Budget;
use steadfast_replay::causal::{Mode, Site};
use steadfast_replay::scripts::{self, CausalVerdict, Replayed};
use steadfast_replay::{Failure, Script, ScriptRun, Server, StatementResult, Verdict as Seen, run_script};
use steadfast_txn::decide::{Verdict, Witness};
use steadfast_txn::template::{Level, Template, TemplateVerdict, decide_templates, promoted, promotions};
use steadfast_txn::{Model, Program, ProgramModel, Subject, decide, witness_text};

/// Runs the command.
pub(super) fn run(arguments: &ReplayArgs, output: &mut Output) -> io::Result<Status> {
    let mut reporter = Reporter::new(output, Format::Full);
    let input = Input::read(&arguments.file);
    let found = guarded("looking for a violation", &input.name, || match &input.subject {
        Some(Subject::Templates(templates)) => Some(templates_script(arguments, &input, templates)),
        Some(Subject::Program(program)) => Some(program_task(arguments, program)),
        None => None,
    });
    match found {
        Ok(Some(Ok(task))) => match guarded("replaying", &input.name, || replayed(&input, &task)) {
            Ok((text, status)) => {
                reporter.note(status);
                reporter.say(&text)?;
            }
            Err(problem) => reporter.reject(vec![(&input.files[0], &problem)])?,
        },
        Ok(Some(Err((message, status)))) => {
            reporter.note(status);
            reporter.say(&format!("{}: {message}\n", input.name))?;
        }
        Ok(None) => input.reject(&mut reporter)?,
        Err(problem) => reporter.reject(vec![(&input.files[0], &problem)])?,
    }
    reporter.finish()
}

/// What the servers did, as text.
fn replayed(input: &Input, task: &Task<'_>) -> (String, Status) {
    let result = match task {
        Task::Script(script, level) => {
            on_server(script).map(|played| result_text(&input.name, script, &played, *level))
        }
        Task::Causal(program, witness, mode) => scripts::on_causal_store(program, witness, *mode, interrupt::listen())
            .map(|replayed| causal_text(&input.name, program, witness, *mode, &replayed)),
    };
    match result {
        Ok(shown) => shown,
        Err(Failure::Interrupted) => (String::new(), Status::Interrupted),
        Err(failure) => (format!("{}: cannot be replayed: {failure}\n", input.name), Status::Input),
    }
}

/// What is to be replayed.
enum Task<'a> {
    Script(Script, Level),
    Causal(&'a Program, Box<Witness>, Mode),
}

type Found<'a> = Result<Task<'a>, (String, Status)>;

fn on_server(script: &Script) -> Result<ScriptRun, Failure> {
    let server = Server::start(interrupt::listen())?;
    run_script(&server, script, interrupt::listen())
}

fn unfit(what: &str, fitting: &str) -> (String, Status) {
    (format!("{what} are replayed with --model {fitting}"), Status::Input)
}

fn templates_script<'a>(arguments: &ReplayArgs, input: &Input, templates: &[Template]) -> Found<'a> {
    let model = arguments.model.unwrap_or(Model::Si);
    let (Some(found_for), Some(level)) = (model.level(), arguments.at.unwrap_or(model).level()) else {
        return Err(unfit("templates", "rc, si or ssi"));
    };
    let budget = Budget::new(settings::limits(&arguments.limits), Some(interrupt::listen()), None);
    let split = match decide_templates(templates, found_for, &budget) {
        Ok(TemplateVerdict::NotRobust(split) | TemplateVerdict::Perhaps(split)) => split,
        Ok(TemplateVerdict::Robust) => {
            return Err((format!("robust ({model}), so there is nothing to replay"), Status::Holds));
        }
        Err(undecided) => return Err((format!("inconclusive: {undecided}"), Status::Inconclusive)),
    };
    let mut locks = Vec::new();
    if arguments.locked {
        match promotions(templates, found_for, MOST_LOCKS, &budget) {
            Ok(Some(found)) => locks = found,
            Ok(None) => return Err(("no few locks make it robust".to_owned(), Status::Inconclusive)),
            Err(undecided) => return Err((format!("inconclusive: {undecided}"), Status::Inconclusive)),
        }
    }
    let script = match &input.sql {
        Some(application) => {
            let place = |&(template, at): &(usize, usize)| {
                (templates[template].name.clone(), templates[template].operations[at].span)
            };
            let locked = locks.iter().map(place).collect();
            let set: BTreeMap<String, String> = arguments.set.iter().cloned().collect();
            scripts::of_application(application, &split, level, &locked, &set)
        }
        None => {
            scripts::of_templates(&promoted(templates, &locks), &split, level, |template, at| input.table(template, at))
        }
    };
    Ok(Task::Script(script, level))
}

fn program_task<'a>(arguments: &ReplayArgs, program: &'a Program) -> Found<'a> {
    let model = arguments.model.unwrap_or(Model::Si);
    let Ok(model) = ProgramModel::try_from(model) else { return Err(unfit("programs", "cc, ccv, cm or si")) };
    let budget = Budget::new(settings::limits(&arguments.limits), Some(interrupt::listen()), None);
    let witness = match decide(program, model, &budget).verdict {
        Verdict::NotRobust(witness) => witness,
        Verdict::Robust => return Err((format!("robust ({model}), so there is nothing to replay"), Status::Holds)),
        Verdict::Failed(error) => return Err((format!("error: {}", error.message), Status::Violation)),
        Verdict::Inconclusive(bound) => return Err((format!("inconclusive: {bound}"), Status::Inconclusive)),
    };
    if model == ProgramModel::Si {
        let Some(level) = arguments.at.unwrap_or(model.model()).level() else {
            return Err((format!("a violation of {model} is replayed --at rc, si or ssi"), Status::Input));
        };
        return Ok(Task::Script(scripts::of_program(program, &witness, level), level));
    }
    let mode = if arguments.at.unwrap_or(model.model()) == Model::Ccv { Mode::Convergence } else { Mode::Memory };
    Ok(Task::Causal(program, witness, mode))
}

/// The results of a server, as a table and a sentence.
fn result_text(name: &str, script: &Script, played: &ScriptRun, level: Level) -> (String, Status) {
    let used: Vec<usize> =
        (0..script.sessions.len()).filter(|at| played.lines.iter().any(|line| line.session == *at)).collect();
    let sessions: Vec<(usize, &str)> = used.iter().map(|&at| (at, &*script.sessions[at].name)).collect();
    let mut rows = Vec::new();
    for line in &played.lines {
        let waited = if line.waited { " (after waiting)" } else { "" };
        let text: Vec<&str> = line.text.split_whitespace().collect();
        rows.push((line.session, format!("{}{waited}", text.join(" "))));
        match &line.outcome {
            StatementResult::Done(reply) if !reply.rows.is_empty() || line.text.starts_with("SELECT") => {
                rows.push((line.session, format!("  -> {}", returned(&reply.rows))));
            }
            StatementResult::Done(reply) if reply.tag.ends_with(" 0") => {
                rows.push((line.session, "  -> no row".to_owned()));
            }
            StatementResult::Done(_) => {}
            StatementResult::Failed(error) => rows.push((line.session, format!("  -> ERROR {}", error.code))),
            StatementResult::Skipped => rows.push((line.session, "  -> not run".to_owned())),
        }
    }
    let at = super::fix::postgres(level);
    let (sentence, status) = match played.verdict() {
        Seen::Observed => (
            format!("observed at {at}: every statement ran in this order, and everything committed"),
            Status::Violation,
        ),
        Seen::Refused(error) => (format!("refused at {at}: {error}"), Status::Holds),
        Seen::Failed(error) => (format!("failed at {at}: {error}"), Status::Inconclusive),
        Seen::Prevented => {
            (format!("prevented at {at}: a statement had to wait, so the order became another one"), Status::Holds)
        }
        Seen::Different => (format!("not observed at {at}: the database returned other values"), Status::Inconclusive),
    };
    (format!("{}{name}: {sentence}\n", witness_text::table(&sessions, &rows)), status)
}

/// The first rows of an answer.
fn returned(rows: &[Vec<Option<String>>]) -> String {
    let row = |row: &Vec<Option<String>>| {
        row.iter().map(|cell| cell.as_deref().unwrap_or("NULL")).collect::<Vec<_>>().join(", ")
    };
    let more = if rows.len() > 3 { "; …" } else { "" };
    match rows {
        [] => "no row".to_owned(),
        _ => rows.iter().take(3).map(row).collect::<Vec<_>>().join("; ") + more,
    }
}

fn causal_text(name: &str, program: &Program, witness: &Witness, mode: Mode, replayed: &Replayed) -> (String, Status) {
    let mut rows = Vec::new();
    for (ran, (site, values)) in witness.runs.iter().zip(&replayed.values) {
        let transaction = &program.transactions[ran.transaction].name;
        let place = if *site == Site::A { "A" } else { "B" };
        rows.push((ran.process, format!("begin {transaction} (site {place})")));
        let mut values = values.iter();
        for access in &ran.accesses {
            let variable = &program.variables[access.variable].name;
            let text = if access.write {
                format!("  write {variable} := {}", access.value)
            } else {
                format!("  read {variable} -> {}", values.next().copied().unwrap_or_default())
            };
            rows.push((ran.process, text));
        }
        rows.push((ran.process, "commit".to_owned()));
    }
    let mut used: Vec<usize> = witness.runs.iter().map(|run| run.process).collect();
    used.sort_unstable();
    used.dedup();
    let sessions: Vec<(usize, &str)> = used.iter().map(|&at| (at, &*program.processes[at].name)).collect();
    let differ = replayed.disagreements().into_iter();
    let differ: Vec<String> =
        differ.map(|one| format!("{} is {} at A and {} at B", one.variable, one.at_a, one.at_b)).collect();
    let title = if mode == Mode::Memory { "causal memory" } else { "causal convergence" };
    let ends = if differ.is_empty() {
        "in the end both sites agree".to_owned()
    } else {
        format!("in the end {}", differ.join(", "))
    };
    let (sentence, status) = match replayed.verdict(witness) {
        CausalVerdict::Observed => (format!("observed on a store with {title}: {ends}"), Status::Violation),
        CausalVerdict::Converged => (format!("not observed on a store with {title}: {ends}"), Status::Holds),
        CausalVerdict::Different => {
            let sentence = format!("not observed on a store with {title}: the store returned other values; {ends}");
            (sentence, Status::Inconclusive)
        }
    };
    (format!("{}{name}: {sentence}\n", witness_text::table(&sessions, &rows)), status)
}
