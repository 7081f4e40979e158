//! The canonical witness: a shortest run to a violation, the same for any number of jobs and any reductions.
//!
//! This is a search of its own: breadth first, on the fly, and over a machine without symmetry, so that threads keep their names. It ends at the nearest violation. Usually it runs when a
//! violation is known to exist; a bounded search also runs early ([`crate::early_search`]).

use super::Witness;
use super::locals::Locals;
use super::origin::{Origin, ROOT, way_to};
use super::replay::Replay;
use crate::automaton::{FailureKind, NextAccess};
use crate::event::{Event, EventKind, Transition};
use crate::machine::Machine;
use crate::models::MemoryModel;
use crate::monitor_layout::WIDEST;
use crate::options::Options;
use crate::tracker::{StaleWrite, Tracker};
use std::ops::Range;
use steadfast_explore::{Budget, Shard, System};
use steadfast_ir::Value;
use steadfast_model::ViolationKind;

/// Most monitor states fit into this many words, and are then not copied and hashed at full width.
const NARROW: usize = 2;

/// After this many nodes, the search asks the budget whether it should end.
const CHECK_EVERY: usize = 1024;

/// Most searches that end early find about this many states, or a small multiple. Memory that is reserved costs nothing until it is used.
const FEW: usize = 1024;

/// A stale write, and its monitor state.
type Tracked<const P: usize> = (StaleWrite, [u64; P]);

/// A state of the machine, and the stale write that is tracked, if one is.
#[derive(Clone)]
struct Node<const W: usize, const P: usize> {
    /// The number of the state.
    number: u32,
    state: [u64; W],
    tracked: Option<Tracked<P>>,
}

/// The nodes that were found, in the order in which they were found. Many nodes share a state of the machine or a monitor state, so these are stored separately.
struct Nodes<const W: usize, const P: usize> {
    states: Shard<W>,
    /// By state, its steps, if they were needed. Many nodes have the same state.
    steps: Vec<Option<Range<u32>>>,
    /// The steps: labels, and the numbers of the states that they lead to.
    successors: Vec<(u32, u32)>,
    /// The monitor states.
    monitors: Shard<P>,
    /// By node: the number of the state, above it the stale write ([`packed`]); then the number of the monitor state.
    pairs: Shard<2>,
    origins: Vec<Origin>,
}

/// A stale write as a number other than 0.
fn packed(stale_write: StaleWrite) -> u64 {
    let value = stale_write.value.map_or(0, |value| u64::from(value) + 1);
    u64::from(stale_write.loc) << 11 | value << 2 | u64::from(stale_write.race) << 1 | 1
}

fn unpacked(number: u64) -> Option<StaleWrite> {
    let value = (number >> 2 & 0x1ff).checked_sub(1).map(|value| value as Value);
    (number != 0).then_some(StaleWrite { loc: (number >> 11) as u16, value, race: number >> 1 & 1 == 1 })
}

impl<const W: usize, const P: usize> Nodes<W, P> {
    fn new() -> Self {
        Self {
            states: Shard::default(),
            steps: Vec::with_capacity(FEW),
            successors: Vec::with_capacity(4 * FEW),
            monitors: Shard::default(),
            pairs: Shard::default(),
            origins: Vec::with_capacity(4 * FEW),
        }
    }

    fn len(&self) -> usize {
        self.pairs.len()
    }

    /// How many nodes are states in which nothing is tracked.
    fn program_states(&self) -> usize {
        (0..self.len()).filter(|&at| self.pairs.get(at)[0] >> 32 == 0).count()
    }

    fn bytes(&self) -> usize {
        let steps = self.steps.capacity() * size_of::<Option<Range<u32>>>() + self.successors.capacity() * 8;
        let sets = self.states.bytes() + self.monitors.bytes() + self.pairs.bytes();
        sets + steps + self.origins.capacity() * size_of::<Origin>()
    }

    fn get(&self, at: usize) -> Node<W, P> {
        let [what, monitor] = *self.pairs.get(at);
        let tracked = unpacked(what >> 32).map(|stale_write| (stale_write, *self.monitors.get(monitor as usize)));
        let number = what as u32;
        Node { number, state: *self.states.get(number as usize), tracked }
    }

    /// Finds a state or adds it, and returns its number.
    fn number(&mut self, state: &[u64; W]) -> u32 {
        let (number, new) = self.states.insert(state);
        if new {
            self.steps.push(None);
        }
        number as u32
    }

    /// The steps from a state. `expand` computes them when they are first needed.
    fn steps(&mut self, state: u32, expand: impl FnOnce(&[u64; W]) -> Vec<(u32, [u64; W])>) -> Range<u32> {
        if let Some(known) = &self.steps[state as usize] {
            return known.clone();
        }
        let first = self.successors.len() as u32;
        let from = *self.states.get(state as usize);
        for (label, next) in expand(&from) {
            let next = self.number(&next);
            self.successors.push((label, next));
        }
        let found = first..self.successors.len() as u32;
        self.steps[state as usize] = Some(found.clone());
        found
    }

    /// Adds a node. Returns its number if it is new.
    fn add(&mut self, state: u32, tracked: Option<Tracked<P>>, origin: Origin) -> Option<u32> {
        let (stale_write, monitor) =
            tracked.map_or((0, 0), |(stale_write, monitor)| (packed(stale_write), self.monitors.insert(&monitor).0));
        let (number, new) = self.pairs.insert(&[stale_write << 32 | u64::from(state), monitor as u64]);
        if !new {
            return None;
        }
        self.origins.push(origin);
        Some(number as u32)
    }
}

/// What to search for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Goal {
    /// A stale read or an overtaking write.
    Stale,
    /// A data race.
    Race,
    /// An assertion that fails, or an expression without a value.
    Failure,
}

/// The result of a search.
pub(crate) struct Found {
    /// The witness. Nothing if a bound was hit, or if there is no violation.
    pub(crate) witness: Option<Witness>,
    /// How many states of the program were visited.
    pub(crate) states: u64,
    /// How many nodes with a tracked stale write were visited.
    pub(crate) monitor_states: u64,
}

/// Searches with the rules of a model, through at most `most` nodes.
pub(crate) fn search<M: MemoryModel, const W: usize>(
    machine: &Machine<'_>,
    tracker: &Tracker<'_, M>,
    (options, budget): (&Options<'_>, &Budget<'_>),
    goal: Goal,
    most: usize,
) -> Found {
    if tracker.layout.words <= NARROW {
        WitnessSearch::<M, W, NARROW>::new(machine, tracker, options, goal).find(budget, most)
    } else {
        WitnessSearch::<M, W, WIDEST>::new(machine, tracker, options, goal).find(budget, most)
    }
}

struct WitnessSearch<'a, 'p, M, const W: usize, const P: usize> {
    machine: &'a Machine<'p>,
    tracker: &'a Tracker<'a, M>,
    options: &'a Options<'a>,
    goal: Goal,
    found: Nodes<W, P>,
    locals: Locals,
    /// A copy of the machine's transitions, which answers without a lock.
    transitions: Vec<Transition>,
}

impl<'a, 'p, M: MemoryModel, const W: usize, const P: usize> WitnessSearch<'a, 'p, M, W, P> {
    fn new(machine: &'a Machine<'p>, tracker: &'a Tracker<'a, M>, options: &'a Options<'a>, goal: Goal) -> Self {
        Self {
            machine,
            tracker,
            options,
            goal,
            found: Nodes::new(),
            locals: Locals::new(machine),
            transitions: Vec::new(),
        }
    }

    fn find(mut self, budget: &Budget<'_>, most: usize) -> Found {
        let mut booked = 0;
        let witness = self.run(budget, most, &mut booked);
        budget.release(booked);
        let states = self.found.program_states();
        Found { witness, states: states as u64, monitor_states: (self.found.len() - states) as u64 }
    }

    fn run(&mut self, budget: &Budget<'_>, most: usize, booked: &mut u64) -> Option<Witness> {
        let mut worker = System::<W>::worker(self.machine);
        if self.goal == Goal::Failure
            && let Some((thread, failure)) = self.machine.initial_failure()
        {
            return Some(self.failure(None, thread, failure));
        }
        for state in System::<W>::initial(self.machine) {
            let state = self.found.number(&state);
            let found = self.add(state, None, Origin { parent: ROOT, label: 0, begins: false });
            if found.is_some() {
                return found;
            }
        }
        let mut at = 0;
        while at < self.found.len() && self.found.len() <= most {
            if at % CHECK_EVERY == 0 {
                let bytes = self.found.bytes() as u64;
                budget.add(0, bytes - *booked);
                *booked = bytes;
                budget.check().ok()?;
            }
            let node = self.found.get(at);
            let steps = self.found.steps(node.number, |state| {
                let mut successors = Vec::new();
                self.machine.expand(&mut worker, state, &mut successors);
                successors
            });
            if self.machine.overflowed() {
                return None;
            }
            // Failures are known only after the steps were computed.
            if self.goal == Goal::Failure
                && let Some((thread, failure)) = self.machine.failure(&node.state)
            {
                return Some(self.failure(Some((at as u32, &node)), thread, failure));
            }
            for step in steps {
                let (label, state) = self.found.successors[step as usize];
                let found = self.follow(at as u32, &node, label, state);
                if found.is_some() {
                    return found;
                }
            }
            at += 1;
        }
        None
    }

    /// Adds the nodes that a step leads to: one that tracks the same stale write; or, if nothing is tracked, one that tracks nothing, and one that tracks what the step overwrites.
    fn follow(&mut self, parent: u32, node: &Node<W, P>, label: u32, state: u32) -> Option<Witness> {
        let step = self.machine.label(label);
        let &Transition { event, fences, old, .. } = self.transition(step.transition);
        let origin = Origin { parent, label, begins: false };
        if let Some((stale_write, mut bits)) = node.tracked {
            self.tracker.step(&mut bits, stale_write, (step.thread, event, fences), false);
            return self.track(state, (stale_write, bits), origin);
        }
        self.add(state, None, origin).or_else(|| {
            let stale_write = self.stale_write(event, old)?;
            let bits = self.tracker.start(stale_write, step.thread, event, fences);
            self.track(state, (stale_write, bits), Origin { begins: true, ..origin })
        })
    }

    /// Adds a node with a tracked stale write, unless no violation can follow.
    fn track(&mut self, state: u32, (stale_write, mut bits): Tracked<P>, origin: Origin) -> Option<Witness> {
        let place = self.found.states.get(state as usize);
        let may_violate = |thread: usize| {
            self.tracker.is_open(&mut bits, stale_write, thread)
                && self.locals.get(self.machine, place, thread).reachable >> stale_write.loc & 1 == 1
        };
        if !(0..self.machine.threads()).any(may_violate) {
            return None;
        }
        self.add(state, Some((stale_write, bits)), origin)
    }

    /// Adds a node, and checks it if it is new. Nodes are expanded in the order in which they are added, so checking early finds the same violation as checking when a node is expanded.
    fn add(&mut self, state: u32, tracked: Option<Tracked<P>>, origin: Origin) -> Option<Witness> {
        let at = self.found.add(state, tracked, origin)?;
        match self.goal {
            Goal::Failure => None,
            Goal::Race => self.racy(at).or_else(|| self.find_violation(at, state, tracked?)),
            Goal::Stale => self.find_violation(at, state, tracked?),
        }
    }

    fn transition(&mut self, number: u32) -> &Transition {
        if self.transitions.len() <= number as usize {
            self.machine.copy_transitions(&mut self.transitions);
        }
        &self.transitions[number as usize]
    }

    /// What can be tracked from a step on.
    fn stale_write(&self, event: Event, old: Value) -> Option<StaleWrite> {
        match (self.goal, event.kind) {
            (Goal::Stale, EventKind::Write | EventKind::Update) => {
                Some(StaleWrite { loc: event.loc, value: Some(old), race: false })
            }
            (Goal::Race, EventKind::PlainRead | EventKind::PlainWrite) => {
                Some(StaleWrite { loc: event.loc, value: None, race: true })
            }
            _ => None,
        }
    }

    fn access(&self, node: &Node<W, P>, thread: usize) -> (u32, NextAccess) {
        let local = self.machine.local(&node.state, thread);
        (local, self.machine.automata[self.machine.class_of[thread]].access(local))
    }

    /// A witness, if the next access of some thread takes the tracked write.
    fn find_violation(&mut self, at: u32, state: u32, (stale_write, bits): Tracked<P>) -> Option<Witness> {
        let place = self.found.states.get(state as usize);
        let candidates = self.tracker.candidates(&bits, stale_write);
        let (thread, reads) = (0..self.machine.threads()).find_map(|thread| {
            if candidates >> thread & 1 == 0 {
                return None;
            }
            let access = &self.locals.get(self.machine, place, thread).access;
            let (reads, writes) = self.tracker.leaves_sc(&bits, stale_write, access, thread);
            (reads || writes).then_some((thread, reads))
        })?;
        let local = self.machine.local(place, thread);
        if stale_write.race {
            self.race(at, thread, local)
        } else {
            Some(self.stale(at, stale_write, thread, local, reads))
        }
    }

    /// Replays the steps to a node. Also returns the write (or plain access) that is tracked.
    fn replay(&self, at: u32) -> (Replay<'_, '_>, Option<steadfast_graph::EventId>) {
        let mut replay = Replay::new(self.machine, self.options);
        let mut stale_write = None;
        for origin in way_to(&self.found.origins, at) {
            let label = self.machine.label(origin.label);
            let transition = self.machine.transition(label.transition);
            let newest = replay.newest(transition.event.loc);
            let event = replay.step(label.thread, &transition, None);
            if origin.begins {
                stale_write = if self.goal == Goal::Race { event } else { newest };
            }
        }
        (replay, stale_write)
    }

    fn stale(&self, at: u32, stale_write: StaleWrite, thread: usize, local: u32, reads: bool) -> Witness {
        let (mut replay, stale) = self.replay(at);
        let stale = stale.expect("a tracked write was overwritten");
        let newest = replay.newest(stale_write.loc);
        let automaton = &self.machine.automata[self.machine.class_of[thread]];
        let fits = |transition: &&Transition| match transition.event.kind {
            EventKind::Read | EventKind::ObservingRead => reads,
            EventKind::Write | EventKind::Update => !reads,
            _ => false,
        };
        let value = stale_write.value.expect("a stale write has a value");
        let steps = automaton.last_steps(local, value);
        let transition = steps.iter().find(fits).expect("an access that leaves SC can be carried out");
        let offender = replay.access(thread, transition, Some(stale)).expect("an access has an event");
        let kind = if reads { ViolationKind::StaleRead } else { ViolationKind::OvertakingWrite };
        replay.finish(kind, offender, stale, newest)
    }

    fn race(&self, at: u32, thread: usize, local: u32) -> Option<Witness> {
        let (mut replay, first) = self.replay(at);
        let node = self.found.get(at as usize);
        let automaton = &self.machine.automata[self.machine.class_of[thread]];
        let loc = automaton.access(local).loc?;
        let steps = automaton.last_steps(local, self.machine.value(&node.state, loc as usize));
        replay.access(thread, steps.first()?, None);
        Some(replay.finish_race(first))
    }

    /// A witness, if two threads can both access a plain location next, and one of them writes it.
    fn racy(&self, at: u32) -> Option<Witness> {
        let threads = self.machine.threads();
        let node = self.found.get(at as usize);
        let plain = |thread: usize| {
            let (local, access) = self.access(&node, thread);
            Some((local, access.loc?, access.plain?))
        };
        for one in 0..threads {
            let Some((local, loc, writes)) = plain(one) else { continue };
            for other in one + 1..threads {
                let Some((other_local, other_loc, other_writes)) = plain(other) else { continue };
                if loc != other_loc || !(writes || other_writes) {
                    continue;
                }
                let (mut replay, _) = self.replay(at);
                let value = self.machine.value(&node.state, loc as usize);
                let step = |thread: usize, local, value| {
                    self.machine.automata[self.machine.class_of[thread]].last_steps(local, value).into_iter().next()
                };
                let first = step(one, local, value)?;
                let event = replay.access(one, &first, None);
                replay.access(other, &step(other, other_local, first.written.unwrap_or(value))?, None);
                return Some(replay.finish_race(event));
            }
        }
        None
    }

    fn failure(&self, at: Option<(u32, &Node<W, P>)>, thread: usize, failure: crate::automaton::Failure) -> Witness {
        let (kind, text) = match failure.kind {
            FailureKind::Assertion => (ViolationKind::Assertion, "assertion fails".to_owned()),
            FailureKind::Evaluation(error) => (ViolationKind::Evaluation, error.to_string()),
        };
        let mut replay = at.map_or_else(|| Replay::new(self.machine, self.options), |(at, _)| self.replay(at).0);
        if let Some((_, node)) = at {
            let (local, access) = self.access(node, thread);
            let old = access.loc.map_or(0, |loc| self.machine.value(&node.state, loc as usize));
            let automaton = &self.machine.automata[self.machine.class_of[thread]];
            if let Some(transition) = automaton.last_steps(local, old).first() {
                replay.access(thread, transition, None);
            }
        }
        let place = replay.place(thread, failure.pc);
        replay.finish_failure(kind, text, place)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Options, Supported, Verdict, check};
    use steadfast_lang::Dialect;
    use steadfast_model::Notion;
    use steadfast_span::SourceFile;

    /// There are infinitely many ways through a loop with a fence; the replay takes one.
    #[test]
    fn a_loop_with_a_fence_has_a_witness() {
        let text = "
            atomic<u1> x;
            atomic<u1> y;
            thread first {
                x.store(1, release);
                let go = 1;
                while (go == 1) { fence(acquire); choose { go = 0; } or { skip; } }
                let a = y.load(acquire);
            }
            thread second { y.store(1, release); let b = x.load(acquire); }";
        let file = SourceFile::new("loop.sf", text.to_owned());
        let program = steadfast_lang::parse(&file, Dialect::Steadfast).program.expect("it is a program");
        for &model in Supported::ALL {
            let verdict = check(&program, &Options::new(model, Notion::Graph)).verdict;
            assert!(matches!(verdict, Verdict::NotRobust(_)), "{model:?}: {verdict:?}");
        }
    }
}
