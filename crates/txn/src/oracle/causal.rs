//! Causal memory, causal convergence and weak causal consistency, as section 2 of the paper defines them.
//!
//! An event is the issue of a whole transaction (executions satisfy transaction isolation, so its reads and writes come in one piece) or its
//! delivery to one process. Relations are computed from scratch in every state, from the orders of deliveries alone. Readings that the paper
//! leaves open, and that make its theorems true: only ended transactions are events; a read of the initial value comes before every write of the variable;
//! a read means an external read; under CCv, WW is the order of timestamps of all writers of a variable. And one thing is added: a transaction is delivered to its own process when it is issued. By the letter of figure 3 others may
//! be delivered there in between, and then figure 1a would be possible under causal memory.
//!
//! The one liberty that is taken: a delivery to a process matters only to that process, so deliveries to it come right before its next issue, or
//! after all issues. The latter are enumerated per process, in every order, because the processes no longer depend on each other then.

use super::cycle::{Relation, cycle};
use super::{Effort, Found, Unknown, visit_all};
use crate::model::ProgramModel;
use crate::program::{Program, Value};
use crate::run::{Local, Runner};
use crate::varset::VarSet;
use rustc_hash::FxHashSet;
use std::ops::ControlFlow;

/// More transactions of one process than this are not run.
const SLOTS: usize = 4;

/// An issued transaction.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Issued {
    reads: Vec<(usize, Option<usize>)>,
    writes: Vec<(usize, Value)>,
    serializable: bool,
    /// What had been delivered to its process before.
    past: u32,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    locals: Vec<Local>,
    /// By process and number in it.
    issued: Vec<Option<Issued>>,
    counts: Vec<usize>,
    /// Per process, the transactions in the order in which they were delivered to it.
    delivered: Vec<Vec<usize>>,
    /// CCv: the writing transactions in the order of their timestamps.
    stamps: Vec<usize>,
    /// The process to which something was just delivered, and which issues next.
    turn: Option<usize>,
}

impl Issued {
    fn writes(&self, variable: usize) -> bool {
        self.writes.iter().any(|&(written, _)| written == variable)
    }
}

impl State {
    fn transaction(&self, id: usize) -> &Issued {
        self.issued[id].as_ref().expect("only issued transactions are delivered and read")
    }

    fn stamp(&self, id: usize) -> usize {
        self.stamps.iter().position(|&other| other == id).unwrap_or(usize::MAX)
    }

    fn has(&self, process: usize, id: usize) -> bool {
        self.delivered[process].contains(&id)
    }

    /// Whether some transaction that ran serializably has not been delivered to the process: then it cannot run one itself.
    fn misses_serializable(&self, process: usize) -> bool {
        let ran = |id: &usize| self.issued[*id].as_ref().is_some_and(|issued| issued.serializable);
        (0..self.issued.len()).filter(ran).any(|id| !self.has(process, id))
    }

    /// The transactions that write the variable at the process, in the order of their deliveries. Under CCv a write with a smaller timestamp
    /// than one that was delivered before is discarded.
    fn applied(&self, model: ProgramModel, process: usize, variable: usize) -> Vec<usize> {
        let mut applied: Vec<usize> = Vec::new();
        for &id in &self.delivered[process] {
            let discarded =
                model == ProgramModel::Ccv && applied.iter().any(|&other| self.stamp(other) > self.stamp(id));
            if self.transaction(id).writes(variable) && !discarded {
                applied.push(id);
            }
        }
        applied
    }

    /// The part of the transactional happens-before that does not depend on orders of deliveries: PO and WR.
    fn program_order_and_reads(&self) -> Relation {
        let mut relation: Relation = vec![0; self.issued.len()];
        for (process, &count) in self.counts.iter().enumerate() {
            for later in 0..count {
                for earlier in 0..later {
                    relation[process * SLOTS + earlier] |= 1 << (process * SLOTS + later);
                }
            }
        }
        for (reader, issued) in self.issued.iter().enumerate() {
            let sources = issued.iter().flat_map(|issued| &issued.reads).filter_map(|read| read.1);
            sources.for_each(|source| relation[source] |= 1 << reader);
        }
        relation
    }

    /// The order of the writes to a variable from which WW is made.
    fn write_order(&self, model: ProgramModel, process: usize, variable: usize) -> Vec<usize> {
        if model == ProgramModel::Ccv {
            return self.stamps.iter().copied().filter(|&id| self.transaction(id).writes(variable)).collect();
        }
        self.applied(model, process, variable)
    }

    /// The part that the order of deliveries at one process adds: WW there, and RW that follows from it (definition 2.1).
    fn at_process(&self, model: ProgramModel, process: usize, variables: usize) -> Relation {
        let mut relation: Relation = vec![0; self.issued.len()];
        for variable in 0..variables {
            let order = self.write_order(model, process, variable);
            for (at, &earlier) in order.iter().enumerate() {
                order[at + 1..].iter().for_each(|&later| relation[earlier] |= 1 << later);
            }
            for (reader, issued) in self.issued.iter().enumerate() {
                let source = issued.as_ref().and_then(|issued| issued.reads.iter().find(|read| read.0 == variable));
                let overwriting: &[usize] = match source {
                    Some((_, None)) => &order,
                    Some((_, Some(source))) if reader / SLOTS == process || model == ProgramModel::Ccv => {
                        let at = order.iter().position(|id| id == source).map_or(order.len(), |at| at + 1);
                        &order[at..]
                    }
                    _ => &[],
                };
                overwriting.iter().filter(|&&id| id != reader).for_each(|&id| relation[reader] |= 1 << id);
            }
        }
        relation
    }

    /// A cycle in the transactional happens-before, after every transaction has been delivered everywhere in some order.
    fn cycle(&self, model: ProgramModel, variables: usize) -> Option<Vec<usize>> {
        let mut relations = FxHashSet::from_iter([self.program_order_and_reads()]);
        // Timestamps are the same everywhere, so under CCv one process tells all.
        let processes = if model == ProgramModel::Ccv { 1 } else { self.delivered.len() };
        for process in 0..processes {
            let added = self.completions(model, process, variables);
            let join = |one: &Relation, other: &Relation| one.iter().zip(other).map(|(a, b)| a | b).collect();
            let joined = relations.iter().flat_map(|one| added.iter().map(move |other| join(one, other)));
            relations = joined.collect();
        }
        let mut found: Vec<Vec<usize>> = relations.iter().filter_map(cycle).collect();
        found.sort();
        found.into_iter().next()
    }

    /// What the orders in which everything else can be delivered to a process add.
    fn completions(&self, model: ProgramModel, process: usize, variables: usize) -> FxHashSet<Relation> {
        if model == ProgramModel::Ccv {
            return FxHashSet::from_iter([self.at_process(model, process, variables)]);
        }
        let mut found = FxHashSet::default();
        let mut pending = vec![self.clone()];
        while let Some(state) = pending.pop() {
            let before = pending.len();
            state.deliver(process, &mut pending);
            if pending.len() == before {
                found.insert(state.at_process(model, process, variables));
            }
        }
        found
    }

    /// Causal delivery: everything that had been delivered at the issuing process comes first.
    fn deliver(&self, process: usize, pending: &mut Vec<Self>) {
        for id in 0..self.issued.len() {
            let Some(issued) = &self.issued[id] else { continue };
            let ready = (0..32).all(|other| issued.past >> other & 1 == 0 || self.has(process, other));
            if ready && !self.has(process, id) {
                let mut next = self.clone();
                next.delivered[process].push(id);
                next.turn = Some(process);
                pending.push(next);
            }
        }
    }

    /// Whether two concurrent transactions write the same variable. Concurrent: neither is causally before the other.
    fn has_race(&self) -> bool {
        let mut causal: Relation = vec![0; self.issued.len()];
        for (id, issued) in self.issued.iter().enumerate() {
            let Some(issued) = issued else { continue };
            (id / SLOTS * SLOTS..id).for_each(|earlier| causal[earlier] |= 1 << id);
            issued.reads.iter().filter_map(|read| read.1).for_each(|source| causal[source] |= 1 << id);
        }
        for via in 0..causal.len() {
            for from in 0..causal.len() {
                if causal[from] >> via & 1 == 1 {
                    causal[from] |= causal[via];
                }
            }
        }
        let clash = |one: &Issued, other: &Issued| one.writes.iter().any(|&(variable, _)| other.writes(variable));
        let ordered = |one: usize, other: usize| causal[one] >> other & 1 == 1 || causal[other] >> one & 1 == 1;
        (0..causal.len()).any(|one| {
            (0..one).any(|other| match (&self.issued[one], &self.issued[other]) {
                (Some(a), Some(b)) => one / SLOTS != other / SLOTS && clash(a, b) && !ordered(one, other),
                _ => false,
            })
        })
    }
}

struct Machine<'a> {
    runner: Runner<'a>,
    model: ProgramModel,
    variables: usize,
}

/// Visits every execution.
pub(super) fn explore(
    program: &Program,
    model: ProgramModel,
    effort: Effort,
    most_states: usize,
) -> Result<Found, Unknown> {
    let machine = Machine { runner: Runner::new(program), model, variables: program.variables.len() };
    let processes = program.processes.len();
    if processes * SLOTS > 32 {
        return Err(Unknown::TooLarge);
    }
    let start = State {
        locals: (0..processes).map(|process| machine.runner.start(process)).collect(),
        issued: vec![None; processes * SLOTS],
        counts: vec![0; processes],
        delivered: vec![Vec::new(); processes],
        stamps: Vec::new(),
        turn: None,
    };
    visit_all(start, most_states, |state, found, pending| {
        if state.turn.is_none() {
            machine.look(state, effort, found);
            if found.cycle.is_some() && effort == Effort::UntilCycle {
                return Ok(ControlFlow::Break(()));
            }
        }
        for process in 0..processes {
            if state.turn.is_none_or(|turn| turn == process) {
                state.deliver(process, pending);
                machine.issues(state, process, pending)?;
            }
        }
        Ok(ControlFlow::Continue(()))
    })
}

impl Machine<'_> {
    /// Learns what there is to learn from a state.
    fn look(&self, state: &State, effort: Effort, found: &mut Found) {
        if found.cycle.is_none() {
            let name = |id: &usize| (id / SLOTS, id % SLOTS);
            found.cycle = state.cycle(self.model, self.variables).map(|ids| ids.iter().map(name).collect());
        }
        if effort == Effort::Everything {
            found.race |= state.has_race();
            found.finishes |= self.finished(state);
        }
    }

    fn finished(&self, state: &State) -> bool {
        let program = self.runner.program();
        state.locals.iter().enumerate().all(|(process, local)| {
            let mut pc = local.pc;
            while let crate::program::Instr::Jump(target) = program.processes[process].code[pc] {
                pc = target;
            }
            matches!(program.processes[process].code[pc], crate::program::Instr::Halt)
        })
    }

    /// The next transaction of a process.
    fn issues(&self, state: &State, process: usize, pending: &mut Vec<State>) -> Result<(), Unknown> {
        let count = state.counts[process];
        for view in self.views(state, process) {
            let mut store = self.runner.program().initial_store();
            for (variable, source) in view.iter().enumerate() {
                let Some(source) = source else { continue };
                let writes = &state.transaction(*source).writes;
                store[variable] = writes.iter().rev().find(|write| write.0 == variable).map_or(0, |write| write.1);
            }
            let outcomes = self.runner.outcomes(process, &state.locals[process], &store)?;
            for outcome in &outcomes {
                let serializable = self.runner.program().transactions[outcome.transaction].serializable;
                if serializable && state.misses_serializable(process) {
                    continue;
                }
                if count == SLOTS {
                    return Err(Unknown::TooLarge);
                }
                let id = process * SLOTS + count;
                let mut next = state.clone();
                next.turn = None;
                next.delivered[process].push(id);
                next.locals[process] = outcome.local.clone();
                next.counts[process] += 1;
                let written = outcome.accesses.iter().filter(|access| access.write);
                next.issued[id] = Some(Issued {
                    reads: outcome.reads.iter().map(|variable| (variable, view[variable])).collect(),
                    writes: written.map(|access| (access.variable, access.value)).collect(),
                    serializable,
                    past: state.delivered[process].iter().map(|id| 1 << id).sum(),
                });
                self.stamped(next, process, id, outcome.writes, pending);
            }
        }
        Ok(())
    }

    /// CCv: the new transaction takes any timestamp that is larger than those its process has seen.
    fn stamped(&self, state: State, process: usize, id: usize, writes: VarSet, pending: &mut Vec<State>) {
        if self.model != ProgramModel::Ccv || writes.is_empty() {
            pending.push(state);
            return;
        }
        let seen = state.stamps.iter().rposition(|&other| state.has(process, other)).map_or(0, |last| last + 1);
        for place in seen..=state.stamps.len() {
            let mut next = state.clone();
            next.stamps.insert(place, id);
            pending.push(next);
        }
    }

    /// The snapshots that a transaction of the process may read from: for each variable, who wrote it last.
    fn views(&self, state: &State, process: usize) -> Vec<Vec<Option<usize>>> {
        if self.model == ProgramModel::Cc {
            return self.linearizations(state, process);
        }
        let newest = |variable| state.applied(self.model, process, variable).last().copied();
        vec![(0..self.variables).map(newest).collect()]
    }

    /// CC: the last writers in any order of the delivered transactions that respects causal delivery.
    fn linearizations(&self, state: &State, process: usize) -> Vec<Vec<Option<usize>>> {
        let all: Vec<usize> = state.delivered[process].clone();
        let mut pending = vec![(0_u32, vec![None; self.variables])];
        let (mut seen, mut views) = (FxHashSet::default(), Vec::new());
        while let Some((done, view)) = pending.pop() {
            if !seen.insert((done, view.clone())) {
                continue;
            }
            if all.iter().all(|id| done >> id & 1 == 1) {
                views.push(view);
                continue;
            }
            for &id in all.iter().filter(|&&id| done >> id & 1 == 0) {
                let past = state.transaction(id).past;
                if all.iter().all(|other| past >> other & 1 == 0 || done >> other & 1 == 1) {
                    let mut next = view.clone();
                    state.transaction(id).writes.iter().for_each(|&(variable, _)| next[variable] = Some(id));
                    pending.push((done | 1 << id, next));
                }
            }
        }
        views
    }
}
