//! The result of `steadfast run` as JSON. `docs/schema/run.json` describes it.

use super::findings::code;
use super::repetition::Repetition;
use super::run::{diverged, how};
use super::witness::WitnessRecord;
use crate::args::RunArgs;
use serde::Serialize;
use steadfast_sanitize::collection::Collected;
use steadfast_sanitize::finding::{Memory, SymbolizedEvent, SymbolizedThread};
use steadfast_sanitize::record::Role;
use steadfast_sanitize::run::{End, Schedule};
use steadfast_sanitize::session::{self, Divergence, Origin, Session};
use steadfast_sanitize::symbols::Frame;
use steadfast_sanitize::text;

#[derive(Serialize)]
struct Result<'a> {
    program: String,
    schedule: &'static str,
    seed: u64,
    runs: u64,
    runs_with_findings: u64,
    failed_runs: u64,
    watched_runs: u64,
    interrupted: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    replay: Option<Replay>,
    failures: Vec<Failure>,
    findings: Vec<Finding<'a>>,
}

#[derive(Serialize)]
struct Replay {
    log: String,
    diverged_runs: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    divergence: Option<Diverged>,
}

#[derive(Serialize)]
struct Diverged {
    run: u64,
    step: usize,
    steps: usize,
    summary: String,
}

#[derive(Serialize)]
struct Failure {
    how: &'static str,
    status: String,
    #[serde(flatten)]
    origin: RunRecord,
}

/// A run that can be repeated.
#[derive(Serialize)]
struct RunRecord {
    run: u64,
    seed: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    length: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    steps: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    log: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    repeat: Option<String>,
}

#[derive(Serialize)]
struct Finding<'a> {
    kind: &'static str,
    code: &'static str,
    summary: String,
    runs: u64,
    first_run: u64,
    seed: u64,
    first: RunRecord,
    events: Vec<Event<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    location: Option<String>,
    threads: Vec<Thread<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    missing: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    witness: Option<WitnessRecord>,
}

#[derive(Serialize)]
struct Event<'a> {
    role: &'static str,
    operation: &'a str,
    order: Option<&'a str>,
    bytes: Option<u64>,
    value: Option<String>,
    thread: Option<u64>,
    stack: Vec<Place<'a>>,
}

#[derive(Serialize)]
struct Thread<'a> {
    number: u64,
    parent: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    stack: Vec<Place<'a>>,
}

#[derive(Serialize)]
struct Place<'a> {
    function: Option<&'a str>,
    file: Option<&'a str>,
    line: Option<u32>,
    column: Option<u32>,
    module: Option<&'a str>,
    offset: u64,
}

/// An array with one object, as for the other commands.
pub(super) fn array(arguments: &RunArgs, session: &Session) -> String {
    serde_json::to_string_pretty(&[result(arguments, session)])
        .map_or_else(|error| error.to_string(), |text| text + "\n")
}

/// The object on one line.
pub(super) fn line(arguments: &RunArgs, session: &Session) -> String {
    serde_json::to_string(&result(arguments, session)).map_or_else(|error| error.to_string(), |text| text + "\n")
}

fn result<'a>(arguments: &RunArgs, session: &'a Session) -> Result<'a> {
    let replayed = session.replayed.as_ref();
    Result {
        program: arguments.command[0].to_string_lossy().into_owned(),
        schedule: replayed.map_or(arguments.schedule, |log| Schedule::By(log.scheduler)).name(),
        seed: replayed.map_or(arguments.seed, |log| log.seed),
        runs: session.runs,
        runs_with_findings: session.collection.runs_with_findings(),
        failed_runs: session.failed,
        watched_runs: session.watched,
        interrupted: session.interrupted,
        replay: arguments.replay.as_ref().map(|path| Replay {
            log: path.to_string_lossy().into_owned(),
            diverged_runs: session.diverged,
            divergence: session.divergence.as_ref().map(divergence),
        }),
        failures: session.failures.iter().map(|failure| self::failure(arguments, failure)).collect(),
        findings: session.collection.all().map(|collected| finding(arguments, collected)).collect(),
    }
}

fn divergence(divergence: &Divergence) -> Diverged {
    Diverged {
        run: divergence.origin.run,
        step: divergence.step,
        steps: divergence.steps,
        summary: diverged(divergence),
    }
}

fn failure(arguments: &RunArgs, failure: &session::Failure) -> Failure {
    Failure {
        how: match failure.end {
            End::Own(status) if status.code().is_some() => "exit",
            End::Own(_) => "signal",
            End::TimedOut | End::Interrupted => "time-out",
        },
        status: how(failure.end),
        origin: run(arguments, &failure.origin),
    }
}

fn run(arguments: &RunArgs, origin: &Origin) -> RunRecord {
    RunRecord {
        run: origin.run,
        seed: origin.seed,
        length: origin.length,
        steps: origin.steps,
        log: origin.log.as_ref().map(|path| path.to_string_lossy().into_owned()),
        repeat: Repetition::of(arguments, origin).map(|command| command.to_string()),
    }
}

fn finding<'a>(arguments: &RunArgs, collected: &'a Collected) -> Finding<'a> {
    let finding = &collected.finding;
    Finding {
        kind: finding.kind.name(),
        code: code(finding.kind).0,
        summary: text::summary(finding),
        runs: collected.runs,
        first_run: collected.first.run,
        seed: collected.first.seed,
        first: run(arguments, &collected.first),
        events: finding.events.iter().map(event).collect(),
        location: finding.memory.as_ref().map(location),
        threads: finding.threads.iter().map(thread).collect(),
        missing: finding.missing.as_deref(),
        witness: WitnessRecord::of(finding),
    }
}

fn event(seen: &SymbolizedEvent) -> Event<'_> {
    Event {
        role: match seen.event.role {
            Role::Access => "access",
            Role::Missed => "missed",
            Role::Known => "known",
            Role::Stale => "stale",
            Role::Previous => "previous",
        },
        operation: &seen.event.operation,
        order: seen.event.order.as_deref(),
        bytes: seen.event.bytes,
        value: seen.event.value.map(|value| format!("{value:#x}")),
        thread: seen.event.thread,
        stack: seen.stack.iter().map(place).collect(),
    }
}

fn location(memory: &Memory) -> String {
    match memory {
        Memory::Global(global) if global.distance == 0 => format!("global {}", global.name),
        Memory::Global(global) => format!("global {} + {}", global.name, global.distance),
        Memory::Heap { bytes, .. } => format!("heap block of {bytes} bytes"),
        Memory::Of(part, thread) => text::part_of(*part, *thread),
    }
}

fn thread(started: &SymbolizedThread) -> Thread<'_> {
    Thread {
        number: started.number,
        parent: started.parent,
        name: started.name.as_deref(),
        stack: started.stack.iter().map(place).collect(),
    }
}

fn place(frame: &Frame) -> Place<'_> {
    Place {
        function: frame.function.as_deref(),
        file: frame.file.as_deref(),
        line: frame.line,
        column: frame.column,
        module: frame.module.as_deref(),
        offset: frame.offset,
    }
}
