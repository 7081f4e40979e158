//! The result of `steadfast run` as JSON. `docs/schema/run.json` describes it.

use super::findings::code;
use super::run::Tally;
use super::witness::WitnessRecord;
use crate::args::{RunArgs, ScheduleChoice};
use serde::Serialize;
use steadfast_sanitize::collection::Collected;
use steadfast_sanitize::finding::{Memory, SymbolizedEvent, SymbolizedThread};
use steadfast_sanitize::record::Role;
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
    findings: Vec<Finding<'a>>,
}

#[derive(Serialize)]
struct Finding<'a> {
    kind: &'static str,
    code: &'static str,
    summary: String,
    runs: u64,
    first_run: u64,
    seed: u64,
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
pub(super) fn array(arguments: &RunArgs, tally: &Tally) -> String {
    serde_json::to_string_pretty(&[result(arguments, tally)]).map_or_else(|error| error.to_string(), |text| text + "\n")
}

/// The object on one line.
pub(super) fn line(arguments: &RunArgs, tally: &Tally) -> String {
    serde_json::to_string(&result(arguments, tally)).map_or_else(|error| error.to_string(), |text| text + "\n")
}

fn result<'a>(arguments: &RunArgs, tally: &'a Tally) -> Result<'a> {
    Result {
        program: arguments.command[0].to_string_lossy().into_owned(),
        schedule: match arguments.schedule {
            ScheduleChoice::Os => "os",
            ScheduleChoice::Random => "random",
            ScheduleChoice::Pct => "pct",
        },
        seed: arguments.seed,
        runs: tally.runs,
        runs_with_findings: tally.collection.runs_with_findings(),
        failed_runs: tally.failed,
        watched_runs: tally.watched,
        interrupted: tally.interrupted,
        findings: tally.collection.all().map(finding).collect(),
    }
}

fn finding(collected: &Collected) -> Finding<'_> {
    let finding = &collected.finding;
    Finding {
        kind: finding.kind.name(),
        code: code(finding.kind).0,
        summary: text::summary(finding),
        runs: collected.runs,
        first_run: collected.first_run,
        seed: collected.seed,
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
