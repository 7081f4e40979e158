//! The writes that each thread could still read, at every step of a run.
//!
//! The axioms of the model decide: a thread can still read a write if the graph so far, with one more load of that thread from that write, is consistent. Under SC every edge points
//! forward in time, so what a thread can read changes only with its own steps, and a write that it can no longer read stays unreadable. So there are few questions. The work is limited; of
//! a run that is too long, only the beginning is computed.

use steadfast_graph::{Axioms, Event, EventId, Execution, Order};
use steadfast_ir::{LocId, Program, ThreadId};
use steadfast_model::Model;
use steadfast_span::Index;

/// The limit of the work. One unit is about one pair of events in one question.
const WORK: u64 = 40_000_000;

/// A write. Writes are in the order of the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The number of the location.
    pub location: usize,
    /// The value.
    pub value: i32,
    /// The step at which it appears; 0 is the start.
    pub step: usize,
}

/// The steps during which a thread can read a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Readable {
    /// The thread.
    pub thread: usize,
    /// The number of the write.
    pub write: usize,
    /// The first step after which it can read it.
    pub from: usize,
    /// The first step after which it can no longer read it; none if it can until the end.
    pub until: Option<usize>,
}

/// The writes in memory, and which threads can read them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadableWrites {
    /// The names of the locations.
    pub locations: Vec<String>,
    /// The names of the threads.
    pub threads: Vec<String>,
    /// All writes.
    pub writes: Vec<Written>,
    /// Which thread can read which write, and when.
    pub readable: Vec<Readable>,
    /// The first step for which this was not computed, because the limit was reached.
    pub stopped: Option<usize>,
}

/// Follows a run. `steps` gives the events of each step, in the order of the run. `offending` is the step that leaves SC; the result for it is the same as for the step before it.
pub fn readable_writes(
    execution: &Execution,
    program: &Program,
    model: Model,
    steps: &[Vec<EventId>],
    offending: Option<usize>,
) -> ReadableWrites {
    let mut builder = ReadableWritesBuilder::new(execution, program, model);
    for (at, events) in steps.iter().enumerate() {
        builder.step(at + 1, events, offending == Some(at));
    }
    builder.views
}

struct ReadableWritesBuilder<'a> {
    whole: &'a Execution,
    program: &'a Program,
    model: Model,
    /// The graph so far. Its events have other numbers than those of the whole graph.
    graph: Execution,
    /// By event of the whole graph: its number in the graph so far.
    number: Vec<Option<EventId>>,
    /// The events of the writes.
    events: Vec<EventId>,
    work: u64,
    views: ReadableWrites,
}

impl<'a> ReadableWritesBuilder<'a> {
    fn new(whole: &'a Execution, program: &'a Program, model: Model) -> Self {
        let views = ReadableWrites {
            locations: program.locations.iter().map(|location| location.name.clone()).collect(),
            threads: program.threads.iter().map(|thread| thread.name.clone()).collect(),
            ..ReadableWrites::default()
        };
        let graph = Execution::of(program);
        let mut builder =
            Self { whole, program, model, graph, number: vec![None; whole.len()], events: Vec::new(), work: 0, views };
        for location in program.locations.indices() {
            let id = whole.initial_write(location);
            builder.number[id.index()] = Some(builder.graph.initial_write(location));
            builder.written(id, 0);
        }
        builder
    }

    fn step(&mut self, step: usize, events: &[EventId], offending: bool) {
        for &id in events {
            self.add(id);
            let event = self.whole.event(id);
            if event.kind.writes() && !event.ghost {
                self.written(id, step);
            }
        }
        let thread = events.first().and_then(|&id| self.whole.event(id).thread);
        if let (Some(thread), false) = (thread, offending) {
            self.close(thread, step);
        }
    }

    /// Adds an event of the whole graph, with its source and its place in the modification order.
    fn add(&mut self, id: EventId) {
        let event = self.whole.event(id);
        if let Some(ghost) = event.location.filter(|location| location.index() >= self.graph.location_count()) {
            let added = self.graph.add_ghost_location();
            self.number[self.whole.initial_write(ghost).index()] = Some(self.graph.initial_write(added));
        }
        let new = self.graph.push(*event);
        self.number[id.index()] = Some(new);
        if let Some(source) = self.whole.rf(id).and_then(|source| self.number[source.index()]) {
            self.graph.set_rf(new, source);
        }
        if let (true, Some(location)) = (event.kind.writes(), event.location) {
            let before = self.whole.mo(location).iter().take_while(|&&other| other != id);
            let before = before.filter_map(|other| self.number[other.index()]).last();
            if let Some(before) = before {
                self.graph.insert_mo_after(new, before);
            }
        }
    }

    /// Adds a write, which every thread can read at first.
    fn written(&mut self, id: EventId, step: usize) {
        let event = self.whole.event(id);
        let Some(location) = event.location else { return };
        let write = self.events.len();
        self.events.push(id);
        let value = self.program.shown(event.value_written);
        self.views.writes.push(Written { location: location.index(), value, step });
        let open = (0..self.views.threads.len()).map(|thread| Readable { thread, write, from: step, until: None });
        self.views.readable.extend(open);
    }

    /// Finds the writes that a thread can no longer read.
    fn close(&mut self, thread: ThreadId, step: usize) {
        for at in 0..self.views.readable.len() {
            let Readable { thread: reader, write, until, .. } = self.views.readable[at];
            if reader != thread.index() || until.is_some() || self.views.stopped.is_some() {
                continue;
            }
            let Some(write) = self.number[self.events[write].index()] else { continue };
            let location = self.graph.event(write).location;
            if location.and_then(|location| self.graph.last_write(location)) == Some(write) {
                continue;
            }
            self.work += (self.graph.len() * self.graph.len()) as u64;
            if self.work > WORK {
                self.views.stopped = Some(step);
            } else if !self.can_read(thread, location, write) {
                self.views.readable[at].until = Some(step);
            }
        }
    }

    fn can_read(&self, thread: ThreadId, location: Option<LocId>, write: EventId) -> bool {
        let Some(location) = location else { return false };
        let mut graph = self.graph.clone();
        let value = graph.event(write).value_written;
        graph.add(Event::load(thread, location, value, Order::RELAXED), write);
        self.model.consistent(&graph)
    }
}
