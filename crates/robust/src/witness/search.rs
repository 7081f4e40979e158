//! The canonical witness: a shortest run to a violation, the same for any number of jobs and any reductions.
//!
//! A search of its own, breadth first and on the fly, over a machine without symmetry so that threads keep their names. It is only made when a
//! violation is known to exist, and goes no deeper than the nearest one.

use super::origin::{Origin, ROOT, way_to};
use super::replay::Replay;
use super::{ViolationKind, Witness};
use crate::automaton::{Access, FailureKind};
use crate::column::WIDEST;
use crate::event::{EventKind, Transition};
use crate::machine::Machine;
use crate::models::MemoryModel;
use crate::options::Options;
use crate::tracker::{Quarry, Tracker};
use rustc_hash::FxHashSet;
use steadfast_explore::{Budget, System};

/// Any column fits.
const P: usize = WIDEST;

/// After so many situations, the search looks whether it should end.
const LOOK_AROUND: usize = 1024;

/// A state of the machine, and what is hunted, if anything is.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Situation<const W: usize> {
    state: [u64; W],
    hunted: Option<(Quarry, [u64; P])>,
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

/// Searches with the rules of a model. `None`: a bound was hit, or nothing was found, which contradicts the main search.
pub(crate) fn search<M: MemoryModel, const W: usize>(
    machine: &Machine<'_>,
    tracker: &Tracker<'_, M>,
    (options, budget): (&Options<'_>, &Budget<'_>),
    goal: Goal,
) -> Option<Witness> {
    let mut search = Search::<M, W> { machine, tracker, options, goal, found: Vec::new(), origins: Vec::new() };
    search.run(budget)
}

struct Search<'a, 'p, M, const W: usize> {
    machine: &'a Machine<'p>,
    tracker: &'a Tracker<'a, M>,
    options: &'a Options<'a>,
    goal: Goal,
    found: Vec<Situation<W>>,
    origins: Vec<Origin>,
}

impl<M: MemoryModel, const W: usize> Search<'_, '_, M, W> {
    fn run(&mut self, budget: &Budget<'_>) -> Option<Witness> {
        let mut worker = System::<W>::worker(self.machine);
        let mut seen: FxHashSet<Situation<W>> = FxHashSet::default();
        for state in System::<W>::initial(self.machine) {
            self.add(&mut seen, Situation { state, hunted: None }, Origin { parent: ROOT, label: 0, begins: false });
        }
        if self.goal == Goal::Failure
            && let Some((thread, failure)) = self.machine.initial_failure()
        {
            return Some(self.failure(None, thread, failure));
        }
        let mut successors = Vec::new();
        let mut at = 0;
        while at < self.found.len() {
            if at % LOOK_AROUND == 0 {
                budget.check().ok()?;
            }
            let situation = self.found[at].clone();
            successors.clear();
            self.machine.expand(&mut worker, &situation.state, &mut successors);
            if let Some(witness) = self.look(at as u32, &situation) {
                return Some(witness);
            }
            for (label, state) in &successors {
                let parent = at as u32;
                let step = self.machine.label(*label);
                let transition = self.machine.transition(step.transition);
                let hunted = situation.hunted.map(|(quarry, mut bits)| {
                    let what = (step.thread, transition.event, transition.fences);
                    self.tracker.step(&mut bits, quarry, what, false);
                    (quarry, bits)
                });
                let origin = Origin { parent, label: *label, begins: false };
                self.add(&mut seen, Situation { state: *state, hunted }, origin);
                if situation.hunted.is_none()
                    && let Some(quarry) = self.quarry(&transition)
                {
                    let bits = self.tracker.start(quarry, step.thread, transition.event, transition.fences);
                    let hunted = Some((quarry, bits));
                    self.add(&mut seen, Situation { state: *state, hunted }, Origin { begins: true, ..origin });
                }
            }
            at += 1;
        }
        None
    }

    fn add(&mut self, seen: &mut FxHashSet<Situation<W>>, situation: Situation<W>, origin: Origin) {
        if seen.insert(situation.clone()) {
            self.found.push(situation);
            self.origins.push(origin);
        }
    }

    /// What a step lets us hunt.
    fn quarry(&self, transition: &Transition) -> Option<Quarry> {
        let loc = transition.event.loc;
        match (self.goal, transition.event.kind) {
            (Goal::Stale, EventKind::Write | EventKind::Update) => {
                Some(Quarry { loc, value: Some(transition.old), race: false })
            }
            (Goal::Race, EventKind::PlainRead | EventKind::PlainWrite) => Some(Quarry { loc, value: None, race: true }),
            _ => None,
        }
    }

    fn access(&self, situation: &Situation<W>, thread: usize) -> (u32, Access) {
        let local = self.machine.local(&situation.state, thread);
        (local, self.machine.automata[self.machine.class_of[thread]].access(local))
    }

    /// Looks for the goal in a situation whose successors are known.
    fn look(&self, at: u32, situation: &Situation<W>) -> Option<Witness> {
        if self.goal == Goal::Failure {
            let (thread, failure) = self.machine.failure(&situation.state)?;
            return Some(self.failure(Some((at, situation)), thread, failure));
        }
        if self.goal == Goal::Race
            && let Some(witness) = self.racy(at, situation)
        {
            return Some(witness);
        }
        let (quarry, bits) = situation.hunted.as_ref()?;
        (0..self.machine.threads()).find_map(|thread| {
            let (local, access) = self.access(situation, thread);
            match self.tracker.strikes(bits, *quarry, &access, thread) {
                (false, false) => None,
                (reads, _) if !quarry.race => Some(self.stale(at, *quarry, thread, local, reads)),
                _ => self.race(at, situation, thread, local),
            }
        })
    }

    /// Replays the steps to a situation. The second component is the write that was overwritten (or the access that began) when the hunt began.
    fn replay(&self, at: u32) -> (Replay<'_, '_>, Option<steadfast_graph::EventId>) {
        let mut replay = Replay::new(self.machine, self.options);
        let mut quarry = None;
        for origin in way_to(&self.origins, at) {
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

    fn race(&self, at: u32, situation: &Situation<W>, thread: usize, local: u32) -> Option<Witness> {
        let (mut replay, first) = self.replay(at);
        let automaton = &self.machine.automata[self.machine.class_of[thread]];
        let loc = automaton.access(local).loc?;
        let steps = automaton.last_steps(local, self.machine.value(&situation.state, loc as usize));
        replay.access(thread, steps.first()?, None);
        Some(replay.finish_race(first))
    }

    /// Two threads that are both about to access a plain location, one of them to write it.
    fn racy(&self, at: u32, situation: &Situation<W>) -> Option<Witness> {
        let threads = self.machine.threads();
        let plain = |thread: usize| {
            let (local, access) = self.access(situation, thread);
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

    fn failure(&self, at: Option<(u32, &Situation<W>)>, thread: usize, failure: crate::automaton::Failure) -> Witness {
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
