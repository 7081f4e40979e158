//! Replays a run of the machine as an execution graph.

use super::{RunStep, Witness};
use crate::event::{Event as Access, EventKind as AccessKind, Transition};
use crate::machine::Machine;
use crate::options::{Options, Place};
use steadfast_graph::{Axioms, Event, EventId, EventKind, Execution, GhostEdges, Order};
use steadfast_ir::{LocId, Pc, Program, ThreadId, Value};
use steadfast_model::{Model, ViolationKind};
use steadfast_span::Index;

/// Builds a graph and the steps of a run.
pub(super) struct Replay<'m, 'p> {
    machine: &'m Machine<'p>,
    model: Model,
    ghosts: GhostEdges,
    /// The graph so far.
    pub(super) execution: Execution,
    /// The run so far.
    pub(super) run: Vec<RunStep>,
}

impl<'m, 'p> Replay<'m, 'p> {
    pub(super) fn new(machine: &'m Machine<'p>, options: &Options<'_>) -> Self {
        let model = options.model.model();
        let ghosts = if options.fences_by_the_letter { GhostEdges::Counted } else { GhostEdges::Ignored };
        Self { machine, model, ghosts, execution: Execution::of(machine.program), run: Vec::new() }
    }

    fn program(&self) -> &'p Program {
        self.machine.program
    }

    /// The place of an instruction.
    pub(super) fn place(&self, thread: usize, pc: Pc) -> Place {
        let thread = ThreadId::new(thread);
        Place { thread, pc, span: self.program().threads[thread].code[pc].span }
    }

    /// The newest write of a location.
    pub(super) fn newest(&self, loc: u16) -> Option<EventId> {
        self.execution.last_write(LocId::new(loc as usize))
    }

    /// One step and the fences behind it. It reads from the newest write unless `source` is given.
    pub(super) fn step(&mut self, thread: usize, transition: &Transition, source: Option<EventId>) -> Option<EventId> {
        let event = self.access(thread, transition, source);
        self.fences(thread, transition);
        event
    }

    fn fences(&mut self, thread: usize, transition: &Transition) {
        let automaton = &self.machine.automata[self.machine.class_of[thread]];
        for (pc, order) in automaton.fences_of(transition) {
            let place = self.place(thread, pc);
            let fence = Event::fence(place.thread, order).at(pc, place.span);
            self.execution.add_fence(self.model.sc_fences(), fence);
            self.run.push(RunStep { place, event: None, text: format!("fence({order})") });
        }
    }

    /// A read that takes `stale`, although the run continues as if it had read `expected`: the program has not noticed yet.
    pub(super) fn weak_step(
        &mut self,
        thread: usize,
        transition: &Transition,
        (stale, expected): (EventId, Value),
    ) -> Option<EventId> {
        let event = self.access(thread, transition, Some(stale));
        if let Some(step) = self.run.last_mut() {
            step.text += ", which is overwritten; nobody looks at it";
        }
        let transition = Transition { old: expected, ..transition.clone() };
        self.fences(thread, &transition);
        event
    }

    /// One access, which reads from `source` instead of the newest write, or is ordered right behind `source`.
    pub(super) fn access(
        &mut self,
        thread: usize,
        transition: &Transition,
        source: Option<EventId>,
    ) -> Option<EventId> {
        let automaton = &self.machine.automata[self.machine.class_of[thread]];
        let pc = automaton.state(transition.source).pc;
        let place = self.place(thread, pc);
        if transition.event.kind == AccessKind::ScFence {
            let fence = Event::fence(place.thread, steadfast_ir::FenceOrder::SeqCst).at(pc, place.span);
            self.execution.add_fence(self.model.sc_fences(), fence);
            self.run.push(RunStep { place, event: None, text: "fence(seq_cst)".into() });
            return None;
        }
        let event = graph_event(place.thread, transition).at(pc, place.span);
        let id = match source {
            Some(source) => self.execution.add(event, source),
            None => self.execution.add_sc(event),
        };
        let text = self.describe(transition.event, transition.old, transition.written);
        self.run.push(RunStep { place, event: Some(id), text });
        Some(id)
    }

    fn describe(&self, access: Access, old: Value, written: Option<Value>) -> String {
        let program = self.program();
        let name = &program.locations[LocId::new(access.loc as usize)].name;
        let (old, written) = (program.shown(old), written.map(|new| program.shown(new)));
        match (access.kind, written) {
            (AccessKind::Write | AccessKind::PlainWrite, Some(new)) => format!("{name} := {new}"),
            (AccessKind::Update, Some(new)) => format!("{name} read as {old}, replaced by {new}"),
            _ => format!("{name} read as {old}"),
        }
    }

    /// Ends the replay. One of the steps, `offender`, takes `stale`.
    pub(super) fn finish(
        mut self,
        kind: ViolationKind,
        offender: EventId,
        stale: EventId,
        newest: Option<EventId>,
    ) -> Witness {
        let at =
            self.run.iter().position(|step| step.event == Some(offender)).expect("the offending step was replayed");
        let step = self.run.remove(at);
        let cycle = self.execution.labelled_cycle_through(offender);
        let cycle = cycle.or_else(|| self.execution.labelled_cycle_with(self.ghosts)).unwrap_or_default();
        let confirmed = !cycle.is_empty() && self.model.consistent(&self.execution);
        Witness {
            kind,
            run: self.run,
            step,
            stale: Some(stale),
            newest,
            execution: self.execution,
            cycle,
            noticed: None,
            confirmed,
        }
    }

    /// Ends the replay with a race between `first` and the last step.
    pub(super) fn finish_race(mut self, first: Option<EventId>) -> Witness {
        let step = self.run.pop().expect("the second access was replayed");
        let hb = self.model.happens_before(&self.execution);
        let unordered = |(first, last)| !hb.contains(first, last) && !hb.contains(last, first);
        let confirmed = first.zip(step.event).is_some_and(unordered) && self.model.consistent(&self.execution);
        Witness {
            kind: ViolationKind::Race,
            run: self.run,
            step,
            stale: first,
            newest: None,
            execution: self.execution,
            cycle: Vec::new(),
            noticed: None,
            confirmed,
        }
    }

    /// Ends the replay with a triangular race: the last step is a load that comes before `overwriting`, while `buffered` is still in the buffer.
    pub(super) fn finish_triangular(mut self, buffered: Option<EventId>, overwriting: Option<EventId>) -> Witness {
        let step = self.run.pop().expect("the load was replayed");
        let confirmed = self.model.consistent(&self.execution);
        Witness {
            kind: ViolationKind::TriangularRace,
            run: self.run,
            step,
            stale: buffered,
            newest: overwriting,
            execution: self.execution,
            cycle: Vec::new(),
            noticed: None,
            confirmed,
        }
    }

    /// Ends the replay with an instruction that fails.
    pub(super) fn finish_failure(self, kind: ViolationKind, text: String, place: Place) -> Witness {
        Witness {
            kind,
            run: self.run,
            step: RunStep { place, event: None, text },
            stale: None,
            newest: None,
            execution: self.execution,
            cycle: Vec::new(),
            noticed: None,
            confirmed: true,
        }
    }
}

fn graph_event(thread: ThreadId, transition: &Transition) -> Event {
    let access = transition.event;
    let order = Order { acquire: access.acquire, release: access.release, seq_cst: access.seq_cst };
    let loc = LocId::new(access.loc as usize);
    let old = transition.old;
    let written = transition.written.unwrap_or(0);
    match access.kind {
        AccessKind::Read => Event::load(thread, loc, old, Order { release: false, ..order }),
        AccessKind::ObservingRead => {
            let kind = if access.locked { EventKind::FailedCas } else { EventKind::WaitRead };
            Event::read(thread, kind, loc, old, Order { release: false, ..order })
        }
        AccessKind::PlainRead => Event::read(thread, EventKind::PlainRead, loc, old, Order::RELAXED),
        AccessKind::Write => Event::store(thread, loc, written, Order { acquire: false, ..order }),
        AccessKind::PlainWrite => Event::plain_store(thread, loc, written),
        AccessKind::Update | AccessKind::ScFence => Event::update(thread, loc, old, written, order),
    }
}
