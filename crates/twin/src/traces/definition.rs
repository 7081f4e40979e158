//! The definition: the execution graph of the run so far, extended by the access in every way that the model allows and SC forbids.

use super::simulation::{AtomicAccess, Effect, Question, Twin};
use steadfast_clocks::Supported;
use steadfast_graph::axioms::sc;
use steadfast_graph::{Axioms, Event, EventId, EventKind, Execution, GhostEdges, Order, Relation};
use steadfast_ir::{FenceOrder, LocId, ThreadId};
use steadfast_span::Index;

/// The graph of a run under SC.
#[derive(Clone, Debug)]
pub(crate) struct Definition {
    model: Supported,
    graph: Execution,
    /// The ghost location comes somewhere among the others, so their numbers are kept.
    locations: Vec<LocId>,
}

impl Definition {
    pub(crate) fn new(model: Supported) -> Self {
        Self { model, graph: Execution::new([]), locations: Vec::new() }
    }

    fn value(&self, write: EventId) -> u8 {
        self.graph.event(write).value_written
    }

    fn event(&self, thread: usize, location: usize, effect: Effect, order: Order, found: u8) -> Event {
        let (thread, location, order) = (ThreadId::new(thread), self.locations[location], order);
        match effect {
            Effect::Read => Event::read(thread, EventKind::Read, location, found, order),
            Effect::Write(value) => Event::store(thread, location, value, order),
            Effect::Update(value) => Event::update(thread, location, found, value, order),
        }
    }

    /// An event that means nothing, to remember a moment in a thread.
    pub(crate) fn mark(&mut self, thread: usize) -> EventId {
        self.graph.push(Event::fence(ThreadId::new(thread), Order::RELAXED))
    }

    /// The newest event of a thread.
    pub(crate) fn newest(&self, thread: usize) -> Option<EventId> {
        self.graph.thread(ThreadId::new(thread)).last().copied()
    }

    /// The model's happens-before.
    pub(crate) fn happens_before(&self) -> Relation {
        self.model.model().happens_before(&self.graph)
    }
}

impl Twin for Definition {
    fn add_location(&mut self, value: u8) {
        self.locations.push(self.graph.add_location(value));
    }

    fn violates(&self, thread: usize, location: usize, question: Question, order: Order) -> bool {
        let (effect, fits): (Effect, Box<dyn Fn(u8) -> bool>) = match question {
            Question::Read => (Effect::Read, Box::new(|_| true)),
            Question::ReadOf(value) => (Effect::Read, Box::new(move |found| found == value)),
            Question::ReadOther(value) => (Effect::Read, Box::new(move |found| found != value)),
            Question::Write => (Effect::Write(0), Box::new(|_| true)),
            Question::Update => (Effect::Update(0), Box::new(|_| true)),
            Question::UpdateOf(value) => (Effect::Update(0), Box::new(move |found| found == value)),
        };
        // After the last write in modification order, everything is as under SC.
        let (_, stale) = self.graph.mo(self.locations[location]).split_last().expect("there is an initial write");
        stale.iter().any(|&write| {
            let found = self.value(write);
            fits(found) && {
                let mut extended = self.graph.clone();
                extended.add(self.event(thread, location, effect, order, found), write);
                !sc::consistent_with(&extended, GhostEdges::Ignored) && self.model.model().consistent(&extended)
            }
        })
    }

    fn access(&mut self, access: AtomicAccess) {
        let last = self.graph.last_write(self.locations[access.location]).expect("there is an initial write");
        let found = self.value(last);
        self.graph.add(self.event(access.thread, access.location, access.effect, access.order, found), last);
    }

    fn fence(&mut self, thread: usize, order: FenceOrder) {
        self.graph.add_fence(self.model.sc_fences(), Event::fence(ThreadId::new(thread), order));
    }
}
