//! Makes a witness of a trace of the joint search: finds out which write each wrong read takes, and which one the last step takes.

use super::Witness;
use super::replay::Replay;
use crate::automaton::{Automaton, NextAccess};
use crate::event::{EventKind, Transition};
use crate::joint::{Cause, Trace};
use crate::machine::Machine;
use crate::models::MemoryModel;
use crate::options::Options;
use crate::tracker::{StaleWrite, Tracker};
use steadfast_graph::EventId;
use steadfast_ir::Value;
use steadfast_model::ViolationKind;

const P: usize = 20;

/// An overwritten write of the run (or a plain access), with its monitor state.
struct Followed {
    event: EventId,
    stale_write: StaleWrite,
    bits: [u64; P],
}

/// A read that goes wrong: its step, thread and event, the write that it would read under SC, and the stale writes that it could take instead, newest first.
struct WrongRead {
    step: usize,
    thread: usize,
    event: EventId,
    newest: Option<EventId>,
    stale: Vec<(EventId, Value)>,
}

/// A trace, followed to its end.
struct FollowedTrace<'a, M> {
    machine: &'a Machine<'a>,
    tracker: &'a Tracker<'a, M>,
    options: &'a Options<'a>,
    cause: Cause,
    steps: Vec<(usize, Transition, bool)>,
    /// The local states of the threads at the end.
    locals: Vec<u32>,
    overwritten: Vec<Followed>,
    plain: Vec<Followed>,
    wrong: Vec<WrongRead>,
}

/// How many combinations of the stale writes that wrong reads take are tried.
const MOST_CHOICES: usize = 64;

/// Builds the witness. The machine has no symmetry, so labels name threads. Returns nothing if no stale write explains the trace; then the search has contradicted itself.
///
/// The search assumes only that a read goes wrong and learns nothing from it. It can matter which stale write the read takes: a release write synchronises after all. So several combinations are
/// tried until the axioms confirm one.
pub(crate) fn observed<M: MemoryModel>(
    machine: &Machine<'_>,
    tracker: &Tracker<'_, M>,
    options: &Options<'_>,
    initial: &[u32],
    trace: &Trace,
) -> Option<Witness> {
    let followed_trace = FollowedTrace::new(machine, tracker, options, initial, trace);
    let ways = followed_trace.wrong.iter().fold(1, |ways: usize, read| ways.saturating_mul(read.stale.len()));
    let mut first = None;
    for choice in 0..ways.min(MOST_CHOICES) {
        let witness = followed_trace.witness(choice)?;
        if witness.confirmed {
            return Some(witness);
        }
        first.get_or_insert(witness);
    }
    first
}

impl<'a, M: MemoryModel> FollowedTrace<'a, M> {
    fn new(
        machine: &'a Machine<'a>,
        tracker: &'a Tracker<'a, M>,
        options: &'a Options<'a>,
        initial: &[u32],
        trace: &Trace,
    ) -> Self {
        let step = |&(label, wrong): &(u32, bool)| {
            let label = machine.label(label);
            (label.thread, machine.transition(label.transition), wrong)
        };
        let mut all = Self {
            machine,
            tracker,
            options,
            cause: trace.cause,
            steps: trace.steps.iter().map(step).collect(),
            locals: initial.to_vec(),
            overwritten: Vec::new(),
            plain: Vec::new(),
            wrong: Vec::new(),
        };
        let mut replay = Replay::new(machine, options);
        for number in 0..all.steps.len() {
            all.follow(number, &mut replay);
        }
        all
    }

    /// Follows one step, as it is under SC.
    fn follow(&mut self, number: usize, replay: &mut Replay<'_, '_>) {
        let (thread, ref transition, goes_wrong) = self.steps[number];
        let access = self.machine.automata[self.machine.class_of[thread]].access(self.locals[thread]);
        let newest = replay.newest(transition.event.loc);
        let leaves_sc = |write: &&Followed| self.tracker.leaves_sc(&write.bits, write.stale_write, &access, thread).0;
        let taken = self.overwritten.iter().rev().filter(|_| goes_wrong).filter(leaves_sc);
        let stale: Vec<_> = taken.filter_map(|write| Some((write.event, write.stale_write.value?))).collect();
        let event = replay.step(thread, transition, None);
        if let Some(event) = event.filter(|_| !stale.is_empty()) {
            self.wrong.push(WrongRead { step: number, thread, event, newest, stale });
        }
        let what = (thread, transition.event, transition.fences);
        for followed in self.overwritten.iter_mut().chain(&mut self.plain) {
            self.tracker.step(&mut followed.bits, followed.stale_write, what, goes_wrong);
        }
        let begin = |event, stale_write| {
            let bits = self.tracker.start(stale_write, thread, transition.event, transition.fences);
            Followed { event, stale_write, bits }
        };
        let loc = transition.event.loc;
        if let Some(event) = event.filter(|_| transition.event.is_plain()) {
            self.plain.push(begin(event, StaleWrite { loc, value: None, race: true }));
        }
        if let (EventKind::Write | EventKind::Update, Some(write)) = (transition.event.kind, newest) {
            self.overwritten.push(begin(write, StaleWrite { loc, value: Some(transition.old), race: false }));
        }
        self.locals[thread] = transition.next;
    }

    /// The write that each wrong read takes in combination number `choice`. In the first combination, all take the newest stale write.
    fn taken(&self, mut choice: usize) -> Vec<(EventId, Value)> {
        let taken = self.wrong.iter().map(|read| {
            let at = choice % read.stale.len();
            choice /= read.stale.len();
            read.stale[at]
        });
        taken.collect()
    }

    fn witness(&self, choice: usize) -> Option<Witness> {
        let taken = self.taken(choice);
        let mut replay = Replay::new(self.machine, self.options);
        for (number, (thread, transition, _)) in self.steps.iter().enumerate() {
            match self.wrong.iter().position(|read| read.step == number) {
                Some(at) => {
                    let (stale, value) = taken[at];
                    let weak = Transition { old: value, ..transition.clone() };
                    replay.weak_step(*thread, &weak, (stale, transition.old))
                }
                None => replay.step(*thread, transition, None),
            };
        }
        match self.cause {
            Cause::Noticed(thread) => {
                let at = self.wrong.iter().rposition(|read| read.thread == thread)?;
                let read = &self.wrong[at];
                let noticed = replay.place(thread, self.next_access(thread).pc);
                replay.execution.mark_observed(read.event);
                let witness = replay.finish(ViolationKind::ObservedStaleRead, read.event, taken[at].0, read.newest);
                Some(Witness { noticed: Some(noticed), ..witness })
            }
            Cause::Race(thread) => self.race(replay, thread),
            Cause::StaleAccess(thread) => self.stale_access(replay, thread),
        }
    }

    fn automaton(&self, thread: usize) -> &'a Automaton<'a> {
        &self.machine.automata[self.machine.class_of[thread]]
    }

    fn next_access(&self, thread: usize) -> NextAccess {
        self.automaton(thread).access(self.locals[thread])
    }

    /// Ends with the next access of a thread, which races with an earlier access.
    fn race(&self, mut replay: Replay<'_, '_>, thread: usize) -> Option<Witness> {
        let access = self.next_access(thread);
        let races = |first: &&Followed| self.tracker.leaves_sc(&first.bits, first.stale_write, &access, thread).0;
        let first = self.plain.iter().rev().find(races)?;
        let value = replay.newest(first.stale_write.loc).map(|write| replay.execution.event(write).value_written)?;
        replay.access(thread, self.automaton(thread).last_steps(self.locals[thread], value).first()?, None);
        Some(replay.finish_race(Some(first.event)))
    }

    /// Ends with the next access of a thread, which takes a stale write.
    fn stale_access(&self, mut replay: Replay<'_, '_>, thread: usize) -> Option<Witness> {
        let access = self.next_access(thread);
        let (write, reads) = self.overwritten.iter().rev().find_map(|write| {
            match self.tracker.leaves_sc(&write.bits, write.stale_write, &access, thread) {
                (false, false) => None,
                (reads, _) => Some((write, reads)),
            }
        })?;
        let newest = replay.newest(write.stale_write.loc);
        let fits = |transition: &&Transition| match transition.event.kind {
            EventKind::Read | EventKind::ObservingRead => reads,
            EventKind::Write | EventKind::Update => !reads,
            _ => false,
        };
        let steps = self.automaton(thread).last_steps(self.locals[thread], write.stale_write.value?);
        let offender = replay.access(thread, steps.iter().find(fits)?, Some(write.event))?;
        let kind = if reads { ViolationKind::StaleRead } else { ViolationKind::OvertakingWrite };
        Some(replay.finish(kind, offender, write.event, newest))
    }
}
