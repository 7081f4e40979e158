//! The canonical witness: a shortest run to a violation, the same for any number of jobs and any reductions.
//!
//! A search of its own, breadth first and on the fly, over a machine without symmetry so that threads keep their names. It goes no deeper than the
//! nearest violation. Mostly it is made when one is known to exist; a short one is also made in passing ([`crate::glance`]).

use super::locals::Locals;
use super::origin::{Origin, ROOT, way_to};
use super::replay::Replay;
use super::{ViolationKind, Witness};
use crate::automaton::{Access, FailureKind};
use crate::column::WIDEST;
use crate::event::{Event, EventKind, Transition};
use crate::machine::Machine;
use crate::models::MemoryModel;
use crate::options::Options;
use crate::tracker::{Quarry, Tracker};
use std::ops::Range;
use steadfast_explore::{Budget, Shard, System};
use steadfast_ir::Value;

/// Most columns fit into so many words, and then are not copied and hashed at full width.
const NARROW: usize = 2;

/// After so many situations, the search looks whether it should end.
const LOOK_AROUND: usize = 1024;

/// So many states are found by most searches that end early, or a multiple of that: room for them costs nothing until it is used.
const FEW: usize = 1024;

/// A write that is hunted, and what threads know of it.
type Hunted<const P: usize> = (Quarry, [u64; P]);

/// A state of the machine, and what is hunted, if anything is.
#[derive(Clone)]
struct Situation<const W: usize, const P: usize> {
    /// Its number among the states.
    number: u32,
    state: [u64; W],
    hunted: Option<Hunted<P>>,
}

/// The situations that were found, numbered in the order in which they were. States and columns are shared by many, so they are kept apart.
struct Situations<const W: usize, const P: usize> {
    states: Shard<W>,
    /// By state, where its steps are; nothing yet: not asked for. Many situations have the same state.
    steps: Vec<Option<Range<u32>>>,
    /// Labels, and the numbers of the states that they lead to.
    successors: Vec<(u32, u32)>,
    /// What threads know of hunted writes.
    columns: Shard<P>,
    /// The number of the state, above it the quarry ([`packed`]); the number of the column.
    pairs: Shard<2>,
    origins: Vec<Origin>,
}

/// A quarry as a number, not 0.
fn packed(quarry: Quarry) -> u64 {
    let value = quarry.value.map_or(0, |value| u64::from(value) + 1);
    u64::from(quarry.loc) << 11 | value << 2 | u64::from(quarry.race) << 1 | 1
}

fn unpacked(number: u64) -> Option<Quarry> {
    let value = (number >> 2 & 0x1ff).checked_sub(1).map(|value| value as Value);
    (number != 0).then_some(Quarry { loc: (number >> 11) as u16, value, race: number >> 1 & 1 == 1 })
}

impl<const W: usize, const P: usize> Situations<W, P> {
    fn new() -> Self {
        Self {
            states: Shard::default(),
            steps: Vec::with_capacity(FEW),
            successors: Vec::with_capacity(4 * FEW),
            columns: Shard::default(),
            pairs: Shard::default(),
            origins: Vec::with_capacity(4 * FEW),
        }
    }

    fn len(&self) -> usize {
        self.pairs.len()
    }

    /// How many of them are states in which nothing is hunted.
    fn unhunted(&self) -> usize {
        (0..self.len()).filter(|&at| self.pairs.get(at)[0] >> 32 == 0).count()
    }

    fn bytes(&self) -> usize {
        let steps = self.steps.capacity() * size_of::<Option<Range<u32>>>() + self.successors.capacity() * 8;
        let sets = self.states.bytes() + self.columns.bytes() + self.pairs.bytes();
        sets + steps + self.origins.capacity() * size_of::<Origin>()
    }

    fn get(&self, at: usize) -> Situation<W, P> {
        let [what, column] = *self.pairs.get(at);
        let hunted = unpacked(what >> 32).map(|quarry| (quarry, *self.columns.get(column as usize)));
        let number = what as u32;
        Situation { number, state: *self.states.get(number as usize), hunted }
    }

    /// The number of a state.
    fn number(&mut self, state: &[u64; W]) -> u32 {
        let (number, new) = self.states.insert(state);
        if new {
            self.steps.push(None);
        }
        number as u32
    }

    /// The steps from a state, which `expand` finds out if nobody has asked before.
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

    /// Says the number of the situation, if it is new.
    fn add(&mut self, state: u32, hunted: Option<Hunted<P>>, origin: Origin) -> Option<u32> {
        let (quarry, column) =
            hunted.map_or((0, 0), |(quarry, column)| (packed(quarry), self.columns.insert(&column).0));
        let (number, new) = self.pairs.insert(&[quarry << 32 | u64::from(state), column as u64]);
        if !new {
            return None;
        }
        self.origins.push(origin);
        Some(number as u32)
    }
}

/// What the search is after.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Goal {
    /// A stale read or an overtaking write.
    Stale,
    /// A race on a plain location.
    Race,
    /// An assertion that fails, or an expression without a value.
    Failure,
}

/// What a search found.
pub(crate) struct Found {
    /// The witness. Nothing if a bound was hit, or if there is no violation.
    pub(crate) witness: Option<Witness>,
    /// How many states of the program it saw.
    pub(crate) states: u64,
    /// How many situations beyond them.
    pub(crate) hunts: u64,
}

/// Searches with the rules of a model, through at most so many situations.
pub(crate) fn search<M: MemoryModel, const W: usize>(
    machine: &Machine<'_>,
    tracker: &Tracker<'_, M>,
    (options, budget): (&Options<'_>, &Budget<'_>),
    goal: Goal,
    most: usize,
) -> Found {
    if tracker.layout.words <= NARROW {
        Search::<M, W, NARROW>::new(machine, tracker, options, goal).find(budget, most)
    } else {
        Search::<M, W, WIDEST>::new(machine, tracker, options, goal).find(budget, most)
    }
}

struct Search<'a, 'p, M, const W: usize, const P: usize> {
    machine: &'a Machine<'p>,
    tracker: &'a Tracker<'a, M>,
    options: &'a Options<'a>,
    goal: Goal,
    found: Situations<W, P>,
    locals: Locals,
    /// The machine's, as far as they were needed: it answers with a lock and a copy.
    transitions: Vec<Transition>,
}

impl<'a, 'p, M: MemoryModel, const W: usize, const P: usize> Search<'a, 'p, M, W, P> {
    fn new(machine: &'a Machine<'p>, tracker: &'a Tracker<'a, M>, options: &'a Options<'a>, goal: Goal) -> Self {
        Self {
            machine,
            tracker,
            options,
            goal,
            found: Situations::new(),
            locals: Locals::new(machine),
            transitions: Vec::new(),
        }
    }

    fn find(mut self, budget: &Budget<'_>, most: usize) -> Found {
        let mut booked = 0;
        let witness = self.run(budget, most, &mut booked);
        budget.release(booked);
        let states = self.found.unhunted();
        Found { witness, states: states as u64, hunts: (self.found.len() - states) as u64 }
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
            if at % LOOK_AROUND == 0 {
                let bytes = self.found.bytes() as u64;
                budget.add(0, bytes - *booked);
                *booked = bytes;
                budget.check().ok()?;
            }
            let situation = self.found.get(at);
            let steps = self.found.steps(situation.number, |state| {
                let mut successors = Vec::new();
                self.machine.expand(&mut worker, state, &mut successors);
                successors
            });
            if self.machine.overflowed() {
                return None;
            }
            // What fails is only known after the steps were looked for.
            if self.goal == Goal::Failure
                && let Some((thread, failure)) = self.machine.failure(&situation.state)
            {
                return Some(self.failure(Some((at as u32, &situation)), thread, failure));
            }
            for step in steps {
                let (label, state) = self.found.successors[step as usize];
                let found = self.follow(at as u32, &situation, label, state);
                if found.is_some() {
                    return found;
                }
            }
            at += 1;
        }
        None
    }

    /// Adds what a step leads to: with what is hunted already, or with the hunt that it may begin.
    fn follow(&mut self, parent: u32, situation: &Situation<W, P>, label: u32, state: u32) -> Option<Witness> {
        let step = self.machine.label(label);
        let &Transition { event, fences, old, .. } = self.transition(step.transition);
        let origin = Origin { parent, label, begins: false };
        if let Some((quarry, mut bits)) = situation.hunted {
            self.tracker.step(&mut bits, quarry, (step.thread, event, fences), false);
            return self.hunt(state, (quarry, bits), origin);
        }
        self.add(state, None, origin).or_else(|| {
            let quarry = self.quarry(event, old)?;
            let bits = self.tracker.start(quarry, step.thread, event, fences);
            self.hunt(state, (quarry, bits), Origin { begins: true, ..origin })
        })
    }

    /// Adds a hunt, unless it is without hope.
    fn hunt(&mut self, state: u32, (quarry, mut bits): Hunted<P>, origin: Origin) -> Option<Witness> {
        let place = self.found.states.get(state as usize);
        let may_strike = |thread: usize| {
            self.tracker.is_open(&mut bits, quarry, thread)
                && self.locals.get(self.machine, place, thread).reachable >> quarry.loc & 1 == 1
        };
        if !(0..self.machine.threads()).any(may_strike) {
            return None;
        }
        self.add(state, Some((quarry, bits)), origin)
    }

    /// Adds a situation, and looks for the goal in it if it is new. Those that are added first are also expanded first, so nothing is gained by looking at it later.
    fn add(&mut self, state: u32, hunted: Option<Hunted<P>>, origin: Origin) -> Option<Witness> {
        let at = self.found.add(state, hunted, origin)?;
        match self.goal {
            Goal::Failure => None,
            Goal::Race => self.racy(at).or_else(|| self.strike(at, state, hunted?)),
            Goal::Stale => self.strike(at, state, hunted?),
        }
    }

    fn transition(&mut self, number: u32) -> &Transition {
        if self.transitions.len() <= number as usize {
            self.machine.copy_transitions(&mut self.transitions);
        }
        &self.transitions[number as usize]
    }

    /// What a step lets us hunt.
    fn quarry(&self, event: Event, old: Value) -> Option<Quarry> {
        match (self.goal, event.kind) {
            (Goal::Stale, EventKind::Write | EventKind::Update) => {
                Some(Quarry { loc: event.loc, value: Some(old), race: false })
            }
            (Goal::Race, EventKind::PlainRead | EventKind::PlainWrite) => {
                Some(Quarry { loc: event.loc, value: None, race: true })
            }
            _ => None,
        }
    }

    fn access(&self, situation: &Situation<W, P>, thread: usize) -> (u32, Access) {
        let local = self.machine.local(&situation.state, thread);
        (local, self.machine.automata[self.machine.class_of[thread]].access(local))
    }

    /// Looks for a thread whose next access takes what is hunted.
    fn strike(&mut self, at: u32, state: u32, (quarry, bits): Hunted<P>) -> Option<Witness> {
        let place = self.found.states.get(state as usize);
        let candidates = self.tracker.candidates(&bits, quarry);
        let (thread, reads) = (0..self.machine.threads()).find_map(|thread| {
            if candidates >> thread & 1 == 0 {
                return None;
            }
            let access = &self.locals.get(self.machine, place, thread).access;
            let (reads, writes) = self.tracker.strikes(&bits, quarry, access, thread);
            (reads || writes).then_some((thread, reads))
        })?;
        let local = self.machine.local(place, thread);
        if quarry.race { self.race(at, thread, local) } else { Some(self.stale(at, quarry, thread, local, reads)) }
    }

    /// Replays the steps to a situation. The second component is the write that was overwritten (or the access that began) when the hunt began.
    fn replay(&self, at: u32) -> (Replay<'_, '_>, Option<steadfast_graph::EventId>) {
        let mut replay = Replay::new(self.machine, self.options);
        let mut quarry = None;
        for origin in way_to(&self.found.origins, at) {
            let label = self.machine.label(origin.label);
            let transition = self.machine.transition(label.transition);
            let newest = replay.newest(transition.event.loc);
            let event = replay.step(label.thread, &transition, None);
            if origin.begins {
                quarry = if self.goal == Goal::Race { event } else { newest };
            }
        }
        (replay, quarry)
    }

    fn stale(&self, at: u32, quarry: Quarry, thread: usize, local: u32, reads: bool) -> Witness {
        let (mut replay, stale) = self.replay(at);
        let stale = stale.expect("the hunt began with an overwritten write");
        let newest = replay.newest(quarry.loc);
        let automaton = &self.machine.automata[self.machine.class_of[thread]];
        let fits = |transition: &&Transition| match transition.event.kind {
            EventKind::Read | EventKind::ObservingRead => reads,
            EventKind::Write | EventKind::Update => !reads,
            _ => false,
        };
        let value = quarry.value.expect("a stale write has a value");
        let steps = automaton.last_steps(local, value);
        let transition = steps.iter().find(fits).expect("an access that strikes can be carried out");
        let offender = replay.access(thread, transition, Some(stale)).expect("an access has an event");
        let kind = if reads { ViolationKind::StaleRead } else { ViolationKind::OvertakingWrite };
        replay.finish(kind, offender, stale, newest)
    }

    fn race(&self, at: u32, thread: usize, local: u32) -> Option<Witness> {
        let (mut replay, first) = self.replay(at);
        let situation = self.found.get(at as usize);
        let automaton = &self.machine.automata[self.machine.class_of[thread]];
        let loc = automaton.access(local).loc?;
        let steps = automaton.last_steps(local, self.machine.value(&situation.state, loc as usize));
        replay.access(thread, steps.first()?, None);
        Some(replay.finish_race(first))
    }

    /// Two threads that are both about to access a plain location, one of them to write it.
    fn racy(&self, at: u32) -> Option<Witness> {
        let threads = self.machine.threads();
        let situation = self.found.get(at as usize);
        let plain = |thread: usize| {
            let (local, access) = self.access(&situation, thread);
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
                let value = self.machine.value(&situation.state, loc as usize);
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

    fn failure(
        &self,
        at: Option<(u32, &Situation<W, P>)>,
        thread: usize,
        failure: crate::automaton::Failure,
    ) -> Witness {
        let kind = match failure.kind {
            FailureKind::Assertion => ViolationKind::Assertion,
            FailureKind::Evaluation(error) => ViolationKind::Evaluation(error),
        };
        let mut replay = at.map_or_else(|| Replay::new(self.machine, self.options), |(at, _)| self.replay(at).0);
        if let Some((_, situation)) = at {
            let (local, access) = self.access(situation, thread);
            let old = access.loc.map_or(0, |loc| self.machine.value(&situation.state, loc as usize));
            let automaton = &self.machine.automata[self.machine.class_of[thread]];
            if let Some(transition) = automaton.last_steps(local, old).first() {
                replay.access(thread, transition, None);
            }
        }
        replay.finish_failure(kind, thread, failure.pc)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Model, Notion, Options, Verdict, check};
    use steadfast_lang::Dialect;
    use steadfast_span::SourceFile;

    /// There is no end of ways through a loop with a fence in it; the replay takes one.
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
        for model in Model::ALL {
            let verdict = check(&program, &Options::new(model, Notion::Graph)).verdict;
            assert!(matches!(verdict, Verdict::NotRobust(_)), "{model:?}: {verdict:?}");
        }
    }
}
