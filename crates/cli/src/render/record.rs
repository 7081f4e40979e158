//! Results as other programs see them. `docs/schema/check.json` describes these objects; fields are only ever added.

use crate::findings::source_text;
use crate::result::{Answer, CheckResult};
use serde::Serialize;
use steadfast_diag::Record;
use steadfast_graph::EventId;
use steadfast_ir::{Program, ThreadId};
use steadfast_robust::{Outcome, Place, RunStep, Statistics, Witness};
use steadfast_span::{Index, SourceFile, Span};

/// One result.
#[derive(Debug, Serialize)]
#[allow(clippy::struct_excessive_bools, reason = "each is a field of the format")]
pub(super) struct ResultRecord<'a> {
    file: &'a str,
    /// Absent from a file that could not be used.
    model: Option<&'static str>,
    notion: &'static str,
    verdict: &'static str,
    states: u64,
    transitions: u64,
    program_states: u64,
    program_transitions: u64,
    monitor_states: u64,
    monitor_transitions: u64,
    local_states: u64,
    seconds: f64,
    program_seconds: f64,
    peak_bytes: u64,
    exhaustive: bool,
    reason: Option<String>,
    witness: Option<WitnessRecord<'a>>,
    spins: Vec<PlaceRecord<'a>>,
    deadlock: Vec<PlaceRecord<'a>>,
    translated: Vec<&'a str>,
    reductions: Vec<&'static str>,
    spin_detection: bool,
    fences_by_the_letter: bool,
    joint: bool,
    jobs: usize,
    remarks: &'a [String],
    diagnostics: Vec<Record<'a>>,
}

/// An instruction of a thread.
#[derive(Debug, Serialize)]
struct PlaceRecord<'a> {
    thread: &'a str,
    line: u32,
    column: u32,
}

/// A violation.
#[derive(Debug, Serialize)]
struct WitnessRecord<'a> {
    kind: &'static str,
    run: Vec<StepRecord<'a>>,
    step: StepRecord<'a>,
    stale: Option<EventRecord<'a>>,
    newest: Option<EventRecord<'a>>,
    cycle: Vec<EdgeRecord<'a>>,
    confirmed: bool,
}

/// A step of the run.
#[derive(Debug, Serialize)]
struct StepRecord<'a> {
    event: Option<usize>,
    thread: &'a str,
    line: u32,
    column: u32,
    text: &'a str,
}

/// An event of the execution graph.
#[derive(Debug, Serialize)]
struct EventRecord<'a> {
    event: usize,
    /// Absent from initial values.
    thread: Option<&'a str>,
    line: u32,
    column: u32,
    text: String,
    location: Option<&'a str>,
    value_read: Option<i32>,
    value_written: Option<i32>,
}

/// An event of the cycle with the edge that leaves it.
#[derive(Debug, Serialize)]
struct EdgeRecord<'a> {
    edge: &'static str,
    #[serde(flatten)]
    event: EventRecord<'a>,
}

impl<'a> ResultRecord<'a> {
    /// The fields of a result.
    pub(super) fn of(result: &'a CheckResult) -> Self {
        let outcome = result.outcome();
        let statistics = outcome.map(|outcome| outcome.statistics).unwrap_or_default();
        let Statistics { program_states, program_transitions, monitor_states, monitor_transitions, .. } = statistics;
        let names = match &result.answer {
            Answer::Rejected | Answer::Broken { .. } => None,
            Answer::Checked { program, .. } => Some(Names { file: &result.file, program }),
        };
        let witness = outcome.and_then(|outcome| outcome.verdict.witness());
        Self {
            file: result.file.name(),
            model: result.model().map(|model| model.name()),
            notion: result.question.notion_name(),
            verdict: result.verdict_name(),
            states: program_states + monitor_states,
            transitions: program_transitions + monitor_transitions,
            program_states,
            program_transitions,
            monitor_states,
            monitor_transitions,
            local_states: statistics.local_states,
            seconds: statistics.seconds,
            program_seconds: statistics.program_seconds,
            peak_bytes: statistics.peak_bytes,
            exhaustive: result.verdict_name() == "robust",
            reason: result.reason(),
            witness: names.zip(witness).map(|(names, witness)| names.witness(witness)),
            spins: names.zip(outcome).map(|(names, outcome)| names.places(&outcome.spins)).unwrap_or_default(),
            deadlock: names.zip(outcome).map(|(names, outcome)| names.places(&outcome.deadlock)).unwrap_or_default(),
            translated: names.zip(outcome).map(|(names, outcome)| names.translated(outcome)).unwrap_or_default(),
            reductions: result.question.reduction_names(),
            spin_detection: result.question.spin,
            fences_by_the_letter: result.question.fences_by_the_letter,
            joint: result.question.joint,
            jobs: result.question.jobs,
            remarks: &result.remarks,
            diagnostics: result.diagnostics.iter().map(|diagnostic| Record::new(&result.file, diagnostic)).collect(),
        }
    }
}

/// Where names and places come from.
#[derive(Clone, Copy)]
struct Names<'a> {
    file: &'a SourceFile,
    program: &'a Program,
}

impl<'a> Names<'a> {
    fn thread(self, thread: ThreadId) -> &'a str {
        self.program.threads.get(thread).map_or("", |thread| thread.name.as_str())
    }

    fn at(self, span: Span) -> (u32, u32) {
        let position = self.file.line_column(span.start);
        (position.line, position.column)
    }

    fn translated(self, outcome: &Outcome) -> Vec<&'a str> {
        outcome.translated.iter().map(|&location| &*self.program.locations[location].name).collect()
    }

    fn places(self, places: &[Place]) -> Vec<PlaceRecord<'a>> {
        let records = places.iter().map(|place| {
            let (line, column) = self.at(place.span);
            PlaceRecord { thread: self.thread(place.thread), line, column }
        });
        records.collect()
    }

    fn witness(self, witness: &'a Witness) -> WitnessRecord<'a> {
        WitnessRecord {
            kind: witness.kind.name(),
            run: witness.run.iter().map(|step| self.step(step)).collect(),
            step: self.step(&witness.step),
            stale: witness.stale.map(|event| self.event(witness, event)),
            newest: witness.newest.map(|event| self.event(witness, event)),
            cycle: witness
                .cycle
                .iter()
                .map(|&(event, edge)| EdgeRecord { edge: edge.name(), event: self.event(witness, event) })
                .collect(),
            confirmed: witness.confirmed,
        }
    }

    fn step(self, step: &'a RunStep) -> StepRecord<'a> {
        let (line, column) = self.at(step.place.span);
        let event = step.event.map(Index::index);
        StepRecord { event, thread: self.thread(step.place.thread), line, column, text: &step.text }
    }

    fn event(self, witness: &Witness, id: EventId) -> EventRecord<'a> {
        let event = witness.execution.event(id);
        let location = event.location.and_then(|location| self.program.locations.get(location));
        let declared = location.filter(|_| event.thread.is_none()).map(|location| location.span);
        let (line, column) = self.at(declared.unwrap_or(event.span));
        EventRecord {
            event: id.index(),
            thread: event.thread.map(|thread| self.thread(thread)),
            line,
            column,
            text: source_text(self.file, self.program, event),
            location: location.map(|location| location.name.as_str()),
            value_read: event.kind.reads().then_some(self.program.shown(event.value_read)),
            value_written: event.kind.writes().then_some(self.program.shown(event.value_written)),
        }
    }
}
