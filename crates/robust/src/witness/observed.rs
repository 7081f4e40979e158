//! From a trace of the joint search to a witness: which write each wrong read took, and which one the last step takes.

use super::replay::Replay;
use super::{ViolationKind, Witness};
use crate::event::{EventKind, Transition};
use crate::joint::{Cause, Trace};
use crate::machine::Machine;
use crate::models::MemoryModel;
use crate::options::Options;
use crate::tracker::{Quarry, Tracker};
use steadfast_graph::EventId;

const P: usize = 20;

/// One overwritten write of the run.
struct Overwritten {
    write: EventId,
    quarry: Quarry,
    bits: [u64; P],
}

/// A plain access of the run.
struct PlainAccess {
    event: EventId,
    quarry: Quarry,
    bits: [u64; P],
}

/// A read that went wrong: its step, thread, what it took, and its own event.
struct WrongRead {
    step: usize,
    thread: usize,
    stale: EventId,
    value: u8,
    event: EventId,
    newest: Option<EventId>,
}

/// Builds the witness. The machine has no symmetry, so labels name threads. None: no stale write explains the trace, which contradicts the search.
pub(crate) fn observed<M: MemoryModel>(
    machine: &Machine<'_>,
    tracker: &Tracker<'_, M>,
    options: &Options<'_>,
    initial: &[u32],
    trace: &Trace,
) -> Option<Witness> {
    let mut locals = initial.to_vec();
    let mut replay = Replay::new(machine, options);
    let (mut overwritten, mut wrong): (Vec<Overwritten>, Vec<WrongRead>) = (Vec::new(), Vec::new());
    let mut plain: Vec<PlainAccess> = Vec::new();
    let steps: Vec<(usize, Transition, bool)> = trace
        .steps
        .iter()
        .map(|&(label, wrong)| {
            let label = machine.label(label);
            (label.thread, machine.transition(label.transition), wrong)
        })
        .collect();
    for (number, (thread, transition, goes_wrong)) in steps.iter().enumerate() {
        let access = machine.automata[machine.class_of[*thread]].access(locals[*thread]);
        let newest = replay.newest(transition.event.loc);
        let taken = overwritten
            .iter()
            .rev()
            .find(|write| *goes_wrong && tracker.strikes(&write.bits, write.quarry, &access, *thread).0);
        let taken = taken.and_then(|write| Some((write.write, write.quarry.value?)));
        let event = replay.step(*thread, transition, None);
        if let (Some((stale, value)), Some(event)) = (taken, event) {
            wrong.push(WrongRead { step: number, thread: *thread, stale, value, event, newest });
        }
        let what = (*thread, transition.event, transition.fences);
        for write in &mut overwritten {
            tracker.step(&mut write.bits, write.quarry, what, *goes_wrong);
        }
        for access in &mut plain {
            tracker.step(&mut access.bits, access.quarry, what, *goes_wrong);
        }
        if let Some(event) = event.filter(|_| transition.event.is_plain()) {
            let quarry = Quarry { loc: transition.event.loc, value: None, race: true };
            let bits = tracker.start(quarry, *thread, transition.event, transition.fences);
            plain.push(PlainAccess { event, quarry, bits });
        }
        if let (EventKind::Write | EventKind::Update, Some(write)) = (transition.event.kind, newest) {
            let quarry = Quarry { loc: transition.event.loc, value: Some(transition.old), race: false };
            let bits = tracker.start(quarry, *thread, transition.event, transition.fences);
            overwritten.push(Overwritten { write, quarry, bits });
        }
        locals[*thread] = transition.next;
    }
    let mut replay = Replay::new(machine, options);
    for (number, (thread, transition, _)) in steps.iter().enumerate() {
        match wrong.iter().find(|read| read.step == number) {
            Some(read) => {
                let transition = Transition { old: read.value, ..transition.clone() };
                replay.weak_step(*thread, &transition, (read.stale, steps[number].1.old))
            }
            None => replay.step(*thread, transition, None),
        };
    }
    match trace.cause {
        Cause::Noticed(thread) => {
            let read = wrong.iter().rev().find(|read| read.thread == thread)?;
            let automaton = &machine.automata[machine.class_of[thread]];
            let noticed = replay.place(thread, automaton.access(locals[thread]).pc);
            replay.execution.mark_observed(read.event);
            let witness = replay.finish(ViolationKind::ObservedStaleRead, read.event, read.stale, read.newest);
            Some(Witness { noticed: Some(noticed), ..witness })
        }
        Cause::Race(thread) => {
            let automaton = &machine.automata[machine.class_of[thread]];
            let access = automaton.access(locals[thread]);
            let races = |first: &&PlainAccess| tracker.strikes(&first.bits, first.quarry, &access, thread).0;
            let first = plain.iter().rev().find(races)?;
            let value = replay.newest(first.quarry.loc).map(|write| replay.execution.event(write).value_written)?;
            replay.access(thread, automaton.last_steps(locals[thread], value).first()?, None);
            Some(replay.finish_race(Some(first.event)))
        }
        Cause::Strike(thread) => {
            let automaton = &machine.automata[machine.class_of[thread]];
            let access = automaton.access(locals[thread]);
            let (write, reads) = overwritten.iter().rev().find_map(|write| {
                match tracker.strikes(&write.bits, write.quarry, &access, thread) {
                    (false, false) => None,
                    (reads, _) => Some((write, reads)),
                }
            })?;
            let newest = replay.newest(write.quarry.loc);
            let fits = |transition: &&Transition| match transition.event.kind {
                EventKind::Read | EventKind::ObservingRead => reads,
                EventKind::Write | EventKind::Update => !reads,
                _ => false,
            };
            let steps = automaton.last_steps(locals[thread], write.quarry.value?);
            let offender = replay.access(thread, steps.iter().find(fits)?, Some(write.write))?;
            let kind = if reads { ViolationKind::StaleRead } else { ViolationKind::OvertakingWrite };
            Some(replay.finish(kind, offender, write.write, newest))
        }
    }
}
