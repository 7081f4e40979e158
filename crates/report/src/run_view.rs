//! The view of a run: a witness as a picture with steps.

use crate::picture::{Edge, EdgeKind, Ending, Node, Part, Picture};
use crate::readable::{ReadableWrites, readable_writes};
use crate::subject::Subject;
use steadfast_graph::{Axioms, EdgeKind as Relation, Event, EventId, EventKind, Order, RunStep, Witness};
use steadfast_ir::{LocId, Pc, Value};
use steadfast_model::Orderings;
use steadfast_span::Index;

/// A step of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepView {
    /// The thread that takes it.
    pub actor: String,
    /// The number of the file, and the line in it.
    pub place: Option<(usize, u32)>,
    /// The source text of the step.
    pub code: String,
    /// Its effect.
    pub effect: String,
    /// Its effect under SC, if that differs.
    pub strong_effect: Option<String>,
    /// Its box in the picture.
    pub node: Option<usize>,
}

/// A run to look at, step by step.
#[derive(Clone, Debug, Default)]
pub struct RunView {
    /// The picture.
    pub picture: Picture,
    /// The steps, in order.
    pub steps: Vec<StepView>,
    /// The step that leaves SC, from 1, if one does.
    pub offending: Option<usize>,
    /// The writes in memory, and which threads can read them.
    pub readable: Option<ReadableWrites>,
}

impl RunView {
    /// The view of a witness.
    pub fn of<P>(subject: &Subject<'_, P>) -> Self {
        let mut builder = RunViewBuilder {
            subject,
            run: Run::of(subject),
            nodes: Vec::new(),
            boxes: vec![None; subject.witness.execution.len()],
        };
        builder.place_initial();
        builder.place_steps();
        let edges = builder.edges();
        let offending = subject.witness.kind.is_weak().then_some(builder.run.offending);
        let readable = subject.whole.map(|(program, model)| {
            let (events, offending) = (&builder.run.events, Some(builder.run.offending));
            readable_writes(&subject.witness.execution, program, model, events, offending)
        });
        let steps = (0..builder.run.steps.len()).map(|at| builder.step(at)).collect();
        let summary = builder.summary();
        let mut picture = Picture { columns: builder.columns(), nodes: builder.nodes, edges, summary };
        picture.drop_empty_columns();
        Self { picture, steps, offending: offending.map(|at| at + 1), readable }
    }
}

/// The run, with the offending step at its place, and the events of each step.
struct Run<'a, P> {
    steps: Vec<&'a RunStep<P>>,
    events: Vec<Vec<EventId>>,
    offending: usize,
}

impl<'a, P> Run<'a, P> {
    fn of(subject: &Subject<'a, P>) -> Self {
        let witness = subject.witness;
        let mut steps: Vec<&RunStep<P>> = witness.run.iter().collect();
        let later = |step: &&RunStep<P>| witness.step.event.is_some() && step.event > witness.step.event;
        let offending = steps.iter().position(later).unwrap_or(steps.len());
        steps.insert(offending, &witness.step);
        // The events of each thread, in order. A step has those up to its own event, and a fence has those of its instruction.
        let mut next = vec![0; witness.execution.threads().len()];
        let events = steps.iter().map(|step| {
            let (thread, pc) = (subject.places.thread(&step.place), subject.places.instruction(&step.place));
            let own = witness.execution.thread(thread);
            let Some(next) = next.get_mut(thread.index()) else { return Vec::new() };
            let rest = &own[(*next).min(own.len())..];
            let count = match step.event {
                Some(event) => rest.iter().position(|&id| id == event).map_or(0, |at| at + 1),
                None => rest.iter().take_while(|&&id| is_fence(witness.execution.event(id), pc)).count(),
            };
            *next += count;
            rest[..count].to_vec()
        });
        let events = events.collect();
        Self { steps, events, offending }
    }
}

fn is_fence(event: &Event, pc: Option<Pc>) -> bool {
    (event.kind == EventKind::Fence || event.ghost) && event.pc == pc
}

struct RunViewBuilder<'a, P> {
    subject: &'a Subject<'a, P>,
    run: Run<'a, P>,
    nodes: Vec<Node>,
    /// By event, its box.
    boxes: Vec<Option<usize>>,
}

impl<P> RunViewBuilder<'_, P> {
    fn witness(&self) -> &Witness<P> {
        self.subject.witness
    }

    fn event(&self, id: EventId) -> &Event {
        self.witness().execution.event(id)
    }

    fn location(&self, location: Option<LocId>) -> String {
        location.map_or_else(|| "?".to_owned(), |location| self.subject.names.location(location))
    }

    fn value(&self, value: Value) -> String {
        self.subject.names.value(value)
    }

    fn on_cycle(&self, id: EventId) -> bool {
        self.witness().cycle.iter().any(|&(event, _)| event == id)
    }

    fn part(&self, id: EventId) -> Part {
        let witness = self.witness();
        match Some(id) {
            id if id == witness.step.event => Part::Offending,
            id if id == witness.stale => Part::Stale,
            id if id == witness.newest => Part::Newest,
            _ => Part::Ordinary,
        }
    }

    /// The number of an event, such as `(3) `, or nothing.
    fn mark(&self, id: EventId) -> String {
        let at = self.subject.numbered.iter().position(|&other| other == id);
        at.map_or_else(String::new, |at| format!("({}) ", at + 1))
    }

    /// Adds boxes for the initial values that matter, in a column of their own.
    fn place_initial(&mut self) {
        let initial = self.witness().execution.events().filter(|(_, event)| event.thread.is_none() && !event.ghost);
        let matters = |&id: &EventId| self.on_cycle(id) || self.part(id) != Part::Ordinary;
        let initial: Vec<EventId> = initial.map(|(id, _)| id).filter(matters).collect();
        for id in initial {
            self.boxes[id.index()] = Some(self.nodes.len());
            let event = self.event(id);
            let title =
                format!("{}{} = {}", self.mark(id), self.location(event.location), self.value(event.value_written));
            let begins = event.location.is_none_or(|location| self.subject.names.begins(location));
            let detail = if begins { "initial value" } else { "an older write" };
            let (on_cycle, part) = (self.on_cycle(id), self.part(id));
            self.nodes.push(Node { title, details: vec![detail.to_owned()], on_cycle, part, ..Node::default() });
        }
    }

    fn has_initial(&self) -> bool {
        self.nodes.first().is_some_and(|node| node.step == 0)
    }

    fn columns(&self) -> Vec<String> {
        let threads = 0..self.witness().execution.threads().len();
        let threads = threads.map(|thread| self.subject.names.thread(Index::new(thread)));
        let initial = self.has_initial().then(|| "at first".to_owned());
        initial.into_iter().chain(threads).collect()
    }

    fn place_steps(&mut self) {
        let shift = usize::from(self.has_initial());
        for at in 0..self.run.steps.len() {
            let step = self.run.steps[at];
            for &id in &self.run.events[at] {
                self.boxes[id.index()] = Some(self.nodes.len());
            }
            let places = self.subject.places;
            let thread = places.thread(&step.place).index();
            let mut node = Node { column: thread + shift, step: at + 1, ..Node::default() };
            node.on_cycle = self.run.events[at].iter().any(|&id| self.on_cycle(id));
            if let Some(id) = step.event {
                let event = *self.event(id);
                node.title = self.mark(id) + &self.described(&event);
                node.strong_title = self.described_under_sc(at).map(|described| self.mark(id) + &described);
                node.details = places.details(&step.place, Some(ordering(&event)));
                node.part = self.part(id);
            } else {
                node.title.clone_from(&step.text);
                node.details = places.details(&step.place, None);
                node.part = if at == self.run.offending { Part::Offending } else { Part::Ordinary };
            }
            self.nodes.push(node);
        }
    }

    /// The effect of an event.
    fn described(&self, event: &Event) -> String {
        let name = self.location(event.location);
        let (read, written) = (self.value(event.value_read), self.value(event.value_written));
        match event.kind {
            EventKind::Fence => "fence".to_owned(),
            EventKind::Update => format!("update {name}: {read} → {written}"),
            EventKind::Write | EventKind::PlainWrite => format!("write {name} := {written}"),
            EventKind::Read | EventKind::WaitRead | EventKind::FailedCas | EventKind::PlainRead => {
                format!("read {name} = {read}")
            }
        }
    }

    /// The effect of the offending step under SC, if that differs.
    fn described_under_sc(&self, at: usize) -> Option<String> {
        let newest = self.event(self.newest(at)?);
        let event = self.event(self.run.steps[at].event?);
        let (name, value) = (self.location(event.location), self.value(newest.value_written));
        match event.kind {
            EventKind::Update => Some(format!("update {name}: {value} → …")),
            kind if kind.reads() => Some(format!("read {name} = {value}")),
            _ => None,
        }
    }

    /// The write that the offending step takes under SC; none for other steps.
    fn newest(&self, at: usize) -> Option<EventId> {
        let witness = self.witness();
        let id = self.run.steps[at].event.filter(|_| at == self.run.offending && witness.kind.is_weak())?;
        let location = self.event(id).location?;
        witness.execution.mo(location).iter().copied().filter(|&write| write < id).max()
    }

    fn step(&self, at: usize) -> StepView {
        let RunStep { place, event, text } = self.run.steps[at];
        let places = self.subject.places;
        let described = event.filter(|_| at == self.run.offending).map(|id| self.described(self.event(id)));
        StepView {
            actor: self.subject.names.thread(places.thread(place)),
            place: places.line(place),
            code: places.code(place),
            effect: described.unwrap_or_else(|| text.clone()),
            strong_effect: self.described_under_sc(at),
            node: self.nodes.iter().position(|node| node.step == at + 1),
        }
    }

    fn summary(&self) -> String {
        let witness = self.witness();
        let (threads, steps) = (witness.execution.threads().len(), self.run.steps.len());
        let what = if witness.execution.is_partial() { "Part of an execution graph" } else { "Execution graph" };
        let cycle: Vec<String> = witness
            .cycle
            .iter()
            .filter_map(|&(id, edge)| {
                Some(format!("{} {}", self.nodes.get(self.boxes[id.index()]?)?.title, edge.name()))
            })
            .collect();
        let cycle = if cycle.is_empty() { String::new() } else { format!(" The cycle: {}.", cycle.join(", then ")) };
        format!("{what} with {threads} threads and {steps} steps.{cycle}")
    }

    /// The arrows: those that determine the relations, and the cycle.
    fn edges(&self) -> Vec<Edge> {
        let mut edges = Edges { builder: self, found: Vec::new(), hb: None };
        if let Some((_, model)) = self.subject.whole.filter(|(_, model)| model.orderings() != Orderings::Buffered) {
            edges.hb = Some(model.happens_before(&self.witness().execution));
        }
        edges.cycle();
        edges.program_order();
        edges.reads();
        edges.writes();
        edges.strong();
        edges.race();
        edges.found
    }
}

/// The ordering of an access, in words.
fn ordering(event: &Event) -> &'static str {
    match (event.kind, event.order) {
        (EventKind::PlainRead | EventKind::PlainWrite, _) => "plain",
        (_, Order { seq_cst: true, .. }) => "seq_cst",
        (_, Order { acquire: true, release: true, .. }) => "acq_rel",
        (_, Order { acquire: true, .. }) => "acquire",
        (_, Order { release: true, .. }) => "release",
        _ => "relaxed",
    }
}

struct Edges<'a, P> {
    builder: &'a RunViewBuilder<'a, P>,
    found: Vec<Edge>,
    hb: Option<steadfast_graph::Relation>,
}

impl<P> Edges<'_, P> {
    /// Adds an arrow, unless it exists already or one of its ends is not shown.
    fn add(&mut self, from: EventId, to: EventId, kind: EdgeKind, on_cycle: bool, ending: Ending) {
        let (Some(from), Some(to)) = (self.builder.boxes[from.index()], self.builder.boxes[to.index()]) else { return };
        let there = |edge: &Edge| {
            (edge.from, edge.to) == (from, to)
                && (edge.kind == kind || edge.label.starts_with(kind.class()))
                && edge.ending == ending
        };
        if from == to || self.found.iter().any(there) {
            return;
        }
        self.found.push(Edge { from, to, kind, label: kind.name().to_owned(), on_cycle, ending });
    }

    /// The ending of an arrow: arrows of the offending step exist only under the weak model.
    fn ending(&self, from: EventId, to: EventId) -> Ending {
        let witness = self.builder.witness();
        let offender = witness.step.event.filter(|_| witness.kind.is_weak());
        if offender.is_some() && (offender == Some(from) || offender == Some(to)) { Ending::Weak } else { Ending::Both }
    }

    fn reading(&self, from: EventId, to: EventId) -> EdgeKind {
        let written = self.builder.event(from).thread.is_some();
        let synchronises = written && self.hb.as_ref().is_some_and(|hb| hb.contains(from, to));
        if synchronises { EdgeKind::Synchronises } else { EdgeKind::Reads }
    }

    fn cycle(&mut self) {
        let cycle = &self.builder.witness().cycle;
        let next = cycle.iter().cycle().skip(1);
        for (&(from, relation), &(to, _)) in cycle.iter().zip(next) {
            let kind = match relation {
                Relation::Po => EdgeKind::Order,
                Relation::Rf => self.reading(from, to),
                Relation::Mo => EdgeKind::Overwrites,
                Relation::Fr => EdgeKind::ReadsBefore,
                Relation::Before => EdgeKind::Before,
            };
            // Arrows of program order lead from each box to the next one.
            if kind == EdgeKind::Order && !self.apart(from, to) {
                continue;
            }
            let always = matches!(kind, EdgeKind::Order | EdgeKind::Before);
            let ending = if always { Ending::Both } else { self.ending(from, to) };
            self.add(from, to, kind, true, ending);
        }
    }

    /// The parts of program order that are on the cycle: first and last box.
    fn stretches(&self) -> Vec<(usize, usize)> {
        let cycle = &self.builder.witness().cycle;
        let pairs =
            cycle.iter().zip(cycle.iter().cycle().skip(1)).filter(|((_, relation), _)| *relation == Relation::Po);
        let boxes = &self.builder.boxes;
        pairs.filter_map(|(&(from, _), &(to, _))| boxes[from.index()].zip(boxes[to.index()])).collect()
    }

    fn program_order(&mut self) {
        let nodes = &self.builder.nodes;
        let stretches = self.stretches();
        for to in 0..nodes.len() {
            let before = (0..to).rev().find(|&from| nodes[from].column == nodes[to].column && nodes[from].step > 0);
            let Some(from) = before.filter(|_| nodes[to].step > 0) else { continue };
            let inside = |&(first, last): &(usize, usize)| {
                nodes[first].column == nodes[from].column && first <= from && to <= last
            };
            let on_cycle = stretches.iter().any(inside);
            self.found.push(Edge {
                from,
                to,
                kind: EdgeKind::Order,
                label: "po".to_owned(),
                on_cycle,
                ending: Ending::Both,
            });
        }
    }

    /// Whether two events are in different threads. Within a thread, program order is enough.
    fn apart(&self, from: EventId, to: EventId) -> bool {
        self.builder.event(from).thread != self.builder.event(to).thread
    }

    fn reads(&mut self) {
        let execution = &self.builder.witness().execution;
        for (read, event) in execution.events().filter(|(_, event)| !event.ghost) {
            let Some((source, location)) = execution.rf(read).zip(event.location) else { continue };
            // A read of an initial value needs no arrow, except in the offending step.
            let initial =
                self.builder.event(source).thread.is_none() && Some(read) != self.builder.witness().step.event;
            if self.apart(source, read) && !initial {
                self.add(source, read, self.reading(source, read), false, self.ending(source, read));
            }
            let overwriting = execution.mo(location).iter().skip_while(|&&write| write != source).nth(1);
            if let Some(&write) =
                overwriting.filter(|&&write| event.kind != EventKind::Update && self.apart(read, write))
            {
                self.add(read, write, EdgeKind::ReadsBefore, false, self.ending(read, write));
            }
        }
    }

    fn writes(&mut self) {
        let execution = &self.builder.witness().execution;
        let locations = (0..execution.location_count()).map(LocId::new);
        for location in locations.filter(|&location| !execution.is_ghost(location)) {
            for pair in execution.mo(location).windows(2) {
                // An update that reads from the previous write has an arrow already.
                let update = execution.rf(pair[1]) == Some(pair[0]);
                if self.apart(pair[0], pair[1]) && !update {
                    self.add(pair[0], pair[1], EdgeKind::Overwrites, false, self.ending(pair[0], pair[1]));
                }
            }
        }
    }

    /// Adds the arrows of the offending step under SC.
    fn strong(&mut self) {
        let at = self.builder.run.offending;
        let (Some(newest), Some(offender)) = (self.builder.newest(at), self.builder.run.steps[at].event) else {
            return;
        };
        let kind = self.builder.event(offender).kind;
        let relation = if kind.reads() { EdgeKind::Reads } else { EdgeKind::Overwrites };
        self.add(newest, offender, relation, false, Ending::Strong);
        if let (true, Some(stale)) = (kind.writes(), self.builder.witness().stale) {
            let execution = &self.builder.witness().execution;
            let location = self.builder.event(offender).location;
            let after = location
                .and_then(|location| execution.mo(location).iter().skip_while(|&&write| write != offender).nth(1));
            if let Some(&after) = after.filter(|&&after| self.apart(stale, after)) {
                self.add(stale, after, EdgeKind::Overwrites, false, Ending::Strong);
            }
        }
    }

    /// Adds the arrow between the two accesses of a race.
    fn race(&mut self) {
        if let Some((first, second)) = self.builder.witness().race() {
            self.add(first, second, EdgeKind::Races, true, Ending::Both);
        }
    }
}
