//! The execution of a finding as JSON, with the fields of `steadfast check`'s witnesses. It adds file names and leaves out unknown values.

use serde::Serialize;
use steadfast_graph::{EventId, Legend, Names, RunStep, Witness};
use steadfast_ir::Value;
use steadfast_sanitize::finding::Finding;
use steadfast_sanitize::symbols::Frame;
use steadfast_sanitize::witness::{Spot, witness};
use steadfast_span::Index;

/// A violation.
#[derive(Serialize)]
pub(super) struct WitnessRecord {
    kind: &'static str,
    run: Vec<StepRecord>,
    step: StepRecord,
    stale: Option<EventRecord>,
    newest: Option<EventRecord>,
    cycle: Vec<EdgeRecord>,
    confirmed: bool,
    /// Whether this is only a part of the graph.
    partial: bool,
}

#[derive(Serialize)]
struct StepRecord {
    event: Option<usize>,
    thread: String,
    #[serde(flatten)]
    place: PlaceRecord,
    text: String,
}

#[derive(Serialize)]
struct EventRecord {
    event: usize,
    /// Absent from initial values.
    thread: Option<String>,
    #[serde(flatten)]
    place: PlaceRecord,
    location: Option<String>,
    value_read: Option<String>,
    value_written: Option<String>,
}

#[derive(Serialize)]
struct EdgeRecord {
    edge: &'static str,
    #[serde(flatten)]
    event: EventRecord,
}

#[derive(Default, Serialize)]
struct PlaceRecord {
    file: Option<String>,
    line: Option<u32>,
    column: Option<u32>,
}

impl WitnessRecord {
    /// The witness of a finding. Deadlocks have none.
    pub(super) fn of(finding: &Finding) -> Option<Self> {
        let (witness, names) = witness(finding)?;
        let known = Known { witness: &witness, names: &names };
        Some(Self {
            kind: witness.kind.name(),
            run: witness.run.iter().map(|step| known.step(step)).collect(),
            step: known.step(&witness.step),
            stale: witness.stale.map(|id| known.event(id)),
            newest: witness.newest.map(|id| known.event(id)),
            cycle: witness
                .cycle
                .iter()
                .map(|&(id, edge)| EdgeRecord { edge: edge.name(), event: known.event(id) })
                .collect(),
            confirmed: witness.confirmed,
            partial: witness.execution.is_partial(),
        })
    }
}

/// The sources of names and places.
struct Known<'a> {
    witness: &'a Witness<Spot>,
    names: &'a Legend,
}

impl Known<'_> {
    fn step(&self, step: &RunStep<Spot>) -> StepRecord {
        StepRecord {
            event: step.event.map(Index::index),
            thread: self.names.thread(step.place.thread),
            place: place(step.place.frame.as_ref()),
            text: step.text.clone(),
        }
    }

    fn event(&self, id: EventId) -> EventRecord {
        let event = self.witness.execution.event(id);
        let steps = self.witness.run.iter().chain([&self.witness.step]);
        let own = steps.into_iter().find(|step| step.event == Some(id));
        EventRecord {
            event: id.index(),
            thread: event.thread.map(|thread| self.names.thread(thread)),
            place: place(own.and_then(|step| step.place.frame.as_ref())),
            location: event.location.map(|location| self.names.location(location)),
            value_read: self.value(event.value_read).filter(|_| event.kind.reads()),
            value_written: self.value(event.value_written).filter(|_| event.kind.writes()),
        }
    }

    fn value(&self, value: Value) -> Option<String> {
        self.names.values.get(usize::from(value)).cloned()
    }
}

fn place(frame: Option<&Frame>) -> PlaceRecord {
    frame.map_or_else(PlaceRecord::default, |frame| PlaceRecord {
        file: frame.file.clone(),
        line: frame.line,
        column: frame.column,
    })
}
