//! Execution graphs: events with program order, reads-from and modification order.
//!
//! Every graph starts with one initial write per location; these come first, in the order of the locations, so the initial write
//! of location `i` is event `i` unless a location was added later. Of a run of a real program only a part may be known: then a location can begin with any
//! of its writes, a read can be without its source, and [`Execution::before`] relates events that others, which are not there, connect.

use crate::{Event, EventId};
use std::fmt;
use steadfast_ir::{LocId, Program, ThreadId, Value};
use steadfast_span::{Index, IndexVec};

/// An execution graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Execution {
    events: IndexVec<EventId, Event>,
    threads: Vec<Vec<EventId>>,
    reads_from: IndexVec<EventId, Option<EventId>>,
    modification_order: IndexVec<LocId, Vec<EventId>>,
    /// Whether something that can be noticed depends on what the event read.
    observed: IndexVec<EventId, bool>,
    /// Pairs that are related by hbSC through events that are not in the graph.
    before: Vec<(EventId, EventId)>,
}

/// Why a graph that was built by hand is not an execution graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IllFormed {
    /// A read without a source.
    NoSource(EventId),
    /// A read whose source is not a write of that value to that location.
    WrongSource(EventId),
    /// A write that is not in the modification order.
    NotInModificationOrder(EventId),
}

impl fmt::Display for IllFormed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (event, problem) = match self {
            Self::NoSource(e) => (e, "reads from nowhere"),
            Self::WrongSource(e) => (e, "reads a value that its source does not write there"),
            Self::NotInModificationOrder(e) => (e, "is not in the modification order"),
        };
        write!(f, "event {} {problem}", event.index())
    }
}

impl std::error::Error for IllFormed {}

impl Execution {
    /// The graph before any thread has moved, for locations with these initial values.
    pub fn new(initial: impl IntoIterator<Item = Value>) -> Self {
        let mut graph = Self {
            events: IndexVec::new(),
            threads: Vec::new(),
            reads_from: IndexVec::new(),
            modification_order: IndexVec::new(),
            observed: IndexVec::new(),
            before: Vec::new(),
        };
        initial.into_iter().for_each(|value| {
            graph.add_location(value);
        });
        graph
    }

    /// The graph before any thread of the program has moved.
    pub fn of(program: &Program) -> Self {
        let mut graph = Self::new(program.locations.iter().map(|location| location.init));
        graph.threads.resize(program.threads.len(), Vec::new());
        graph
    }

    /// Adds a location with its initial write.
    pub fn add_location(&mut self, value: Value) -> LocId {
        let location = LocId::new(self.modification_order.len());
        let id = self.append(Event::initial(location, value));
        self.modification_order.push(vec![id])
    }

    /// Adds a location of which it is not known how it began.
    pub fn add_location_in_between(&mut self) -> LocId {
        self.modification_order.push(Vec::new())
    }

    /// Adds a location that stands for the order of SC fences.
    pub fn add_ghost_location(&mut self) -> LocId {
        let location = self.add_location(0);
        let id = self.initial_write(location);
        self.events[id] = self.events[id].as_ghost();
        location
    }

    fn append(&mut self, event: Event) -> EventId {
        self.reads_from.push(None);
        self.observed.push(false);
        self.events.push(event)
    }

    /// Adds an event at the end of its thread, with neither source nor place in the modification order.
    ///
    /// Follow it with [`set_rf`](Self::set_rf) for a read and [`insert_mo_after`](Self::insert_mo_after) for a write, or use
    /// [`add`](Self::add), which does all three.
    pub fn push(&mut self, mut event: Event) -> EventId {
        let Some(thread) = event.thread else { return self.append(event) };
        if thread.index() >= self.threads.len() {
            self.threads.resize(thread.index() + 1, Vec::new());
        }
        event.serial = self.threads[thread.index()].len() as u32;
        let id = self.append(event);
        self.threads[thread.index()].push(id);
        id
    }

    /// Lets `read` read from `write`.
    pub fn set_rf(&mut self, read: EventId, write: EventId) {
        self.reads_from[read] = Some(write);
    }

    /// Places `write` immediately after `predecessor` in the modification order of its location, removing it from where it was.
    ///
    /// Nothing happens if the two do not access the same location or `predecessor` is not in the order.
    pub fn insert_mo_after(&mut self, write: EventId, predecessor: EventId) {
        let Some(location) = self.events[write].location else { return };
        let order = &mut self.modification_order[location];
        order.retain(|&other| other != write);
        if let Some(at) = order.iter().position(|&other| other == predecessor) {
            order.insert(at + 1, write);
        }
    }

    /// Adds an event as the papers' `add(G, τ, l, w)` does: `source` is what a read reads from and what a write comes directly
    /// after; for a read-modify-write it is both. Fences ignore it.
    pub fn add(&mut self, event: Event, source: EventId) -> EventId {
        let id = self.push(event);
        if event.kind.reads() {
            self.set_rf(id, source);
        }
        if event.kind.writes() {
            self.insert_mo_after(id, source);
        }
        id
    }

    /// Adds an event as sequential consistency would: it reads from, or comes after, the last write to its location.
    pub fn add_sc(&mut self, event: Event) -> EventId {
        match event.location.and_then(|location| self.last_write(location)) {
            Some(write) => self.add(event, write),
            None => self.push(event),
        }
    }

    /// Adds a write as the newest one of its location, without a source if it is an update.
    pub fn add_newest(&mut self, write: Event) -> EventId {
        let id = self.push(write);
        if let Some(location) = write.location {
            self.modification_order[location].push(id);
        }
        id
    }

    /// Says that the first comes before the second in every interleaving that this graph is a part of, because of events that are not in it.
    pub fn add_before(&mut self, first: EventId, second: EventId) {
        self.before.push((first, second));
    }

    /// The pairs that events connect which are not in the graph.
    pub fn before(&self) -> &[(EventId, EventId)] {
        &self.before
    }

    /// Whether something is missing: what the axioms say about such a graph says nothing about the whole.
    pub fn is_partial(&self) -> bool {
        let begins = |order: &Vec<EventId>| order.first().is_some_and(|&write| self.events[write].thread.is_none());
        !self.before.is_empty() || !self.modification_order.iter().all(begins)
    }

    /// Says that something noticeable depends on what this event read.
    pub fn mark_observed(&mut self, event: EventId) {
        self.observed[event] = true;
    }

    /// Whether something noticeable depends on what this event read.
    pub fn is_observed(&self, event: EventId) -> bool {
        self.observed[event]
    }

    /// How many events there are, initial writes included.
    pub fn len(&self) -> usize {
        self.events.len()
    }

    /// Whether there is no event at all, not even an initial write.
    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    /// An event.
    pub fn event(&self, id: EventId) -> &Event {
        &self.events[id]
    }

    /// All events with their ids, in the order in which they were added.
    pub fn events(&self) -> impl DoubleEndedIterator<Item = (EventId, &Event)> + ExactSizeIterator {
        self.events.enumerated()
    }

    /// The events of each thread, in program order.
    pub fn threads(&self) -> &[Vec<EventId>] {
        &self.threads
    }

    /// The events of one thread, in program order.
    pub fn thread(&self, thread: ThreadId) -> &[EventId] {
        self.threads.get(thread.index()).map_or(&[], Vec::as_slice)
    }

    /// What an event reads from.
    pub fn rf(&self, read: EventId) -> Option<EventId> {
        self.reads_from[read]
    }

    /// The writes to a location, in modification order.
    pub fn mo(&self, location: LocId) -> &[EventId] {
        self.modification_order.get(location).map_or(&[], Vec::as_slice)
    }

    /// How many locations there are.
    pub fn location_count(&self) -> usize {
        self.modification_order.len()
    }

    /// The initial write of a location, or the first one that is known.
    pub fn initial_write(&self, location: LocId) -> EventId {
        self.modification_order[location][0]
    }

    /// The last write to a location in modification order.
    pub fn last_write(&self, location: LocId) -> Option<EventId> {
        self.mo(location).last().copied()
    }

    /// Checks what every execution graph must satisfy, whatever the model.
    pub fn well_formed(&self) -> Result<(), IllFormed> {
        for (id, event) in self.events() {
            if event.kind.writes() && !event.location.is_some_and(|location| self.mo(location).contains(&id)) {
                return Err(IllFormed::NotInModificationOrder(id));
            }
            if event.kind.reads() {
                let source = self.event(self.rf(id).ok_or(IllFormed::NoSource(id))?);
                let fits = source.kind.writes() && source.same_location(event);
                if !fits || source.value_written != event.value_read {
                    return Err(IllFormed::WrongSource(id));
                }
            }
        }
        Ok(())
    }

    /// A description that does not depend on the order in which events were added: two graphs with the same one are equal up to
    /// the numbering of their events.
    pub fn canonical(&self) -> Vec<u32> {
        let mut key = Vec::with_capacity(self.len() * 6);
        for thread in &self.threads {
            key.push(u32::MAX);
            for &id in thread {
                let event = &self.events[id];
                let order = event.order;
                let flags = [order.acquire, order.release, order.seq_cst, event.ghost, self.observed[id]];
                let flags = flags.iter().fold(0, |bits, &flag| bits << 1 | u32::from(flag));
                key.push((event.kind as u32) << 8 | flags);
                key.push(event.location.map_or(u32::MAX, |location| location.index() as u32));
                key.push(u32::from(event.value_read) << 8 | u32::from(event.value_written));
                key.push(self.rf(id).map_or(u32::MAX, |write| self.name_of(write)));
            }
        }
        for order in &self.modification_order {
            key.push(u32::MAX);
            key.extend(order.iter().map(|&write| self.name_of(write)));
        }
        key
    }

    /// Thread and serial number as one number; initial writes are named by their location.
    fn name_of(&self, id: EventId) -> u32 {
        let event = &self.events[id];
        match event.thread {
            Some(thread) => (thread.index() as u32 + 1) << 20 | event.serial,
            None => event.location.map_or(0, |location| location.index() as u32),
        }
    }
}
