//! Snapshot isolation: a transaction reads what was committed when it began, and commits unless somebody else has meanwhile committed a write to
//! something that it writes.

use super::cycle::{Relation, cycle};
use super::{Effort, Found, Unknown, visit_all};
use crate::program::{Program, Value};
use crate::run::{Local, Runner};
use std::ops::ControlFlow;

/// A committed transaction.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Committed {
    process: usize,
    /// Its number in its process.
    number: usize,
    reads: Vec<(usize, Option<usize>)>,
    writes: Vec<(usize, Value)>,
    serializable: bool,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    locals: Vec<Local>,
    /// Per process, how many transactions had committed when its open transaction began.
    open: Vec<Option<usize>>,
    /// In the order of their commits.
    committed: Vec<Committed>,
}

impl Committed {
    fn writes(&self, variable: usize) -> bool {
        self.writes.iter().any(|&(written, _)| written == variable)
    }
}

impl State {
    /// The last of the first `count` transactions that writes the variable.
    fn writer(&self, count: usize, variable: usize) -> Option<usize> {
        self.committed[..count].iter().rposition(|transaction| transaction.writes(variable))
    }

    fn happens_before(&self) -> Relation {
        let mut relation: Relation = vec![0; self.committed.len()];
        for (later, transaction) in self.committed.iter().enumerate() {
            for (earlier, other) in self.committed[..later].iter().enumerate() {
                let both_write = other.writes.iter().any(|&(variable, _)| transaction.writes(variable));
                if other.process == transaction.process || both_write {
                    relation[earlier] |= 1 << later;
                }
            }
            for &(variable, source) in &transaction.reads {
                if let Some(source) = source {
                    relation[source] |= 1 << later;
                }
                let newer = source.map_or(0, |source| source + 1);
                for (writer, other) in self.committed.iter().enumerate().skip(newer) {
                    if writer != later && other.writes(variable) {
                        relation[later] |= 1 << writer;
                    }
                }
            }
        }
        relation
    }
}

/// Visits every execution.
pub(super) fn explore(program: &Program, effort: Effort, most_states: usize) -> Result<Found, Unknown> {
    let runner = Runner::new(program);
    let processes = program.processes.len();
    let locals = (0..processes).map(|process| runner.start(process)).collect();
    let start = State { locals, open: vec![None; processes], committed: Vec::new() };
    visit_all(start, most_states, |state, found, pending| {
        if state.committed.len() >= 32 {
            return Err(Unknown::TooLarge);
        }
        if let Some(on_cycle) = cycle(&state.happens_before()) {
            let name = |at: &usize| (state.committed[*at].process, state.committed[*at].number);
            found.cycle.get_or_insert_with(|| on_cycle.iter().map(name).collect());
            if effort == Effort::UntilCycle {
                return Ok(ControlFlow::Break(()));
            }
        }
        for process in 0..processes {
            match state.open[process] {
                None => {
                    let mut next = state.clone();
                    next.open[process] = Some(state.committed.len());
                    pending.push(next);
                }
                Some(began) => commits(&runner, state, process, began, pending)?,
            }
        }
        Ok(ControlFlow::Continue(()))
    })
}

fn commits(
    runner: &Runner<'_>,
    state: &State,
    process: usize,
    began: usize,
    pending: &mut Vec<State>,
) -> Result<(), Unknown> {
    let mut store = runner.program().initial_store();
    for transaction in &state.committed[..began] {
        transaction.writes.iter().for_each(|&(variable, value)| store[variable] = value);
    }
    for outcome in runner.outcomes(process, &state.locals[process], &store)? {
        if state.committed[began..].iter().any(|other| outcome.writes.iter().any(|variable| other.writes(variable))) {
            continue;
        }
        let serializable = runner.program().transactions[outcome.transaction].serializable;
        if serializable && state.committed[began..].iter().any(|other| other.serializable) {
            continue;
        }
        let mut next = state.clone();
        next.open[process] = None;
        next.locals[process] = outcome.local.clone();
        let written = outcome.accesses.iter().filter(|access| access.write);
        next.committed.push(Committed {
            process,
            number: state.committed.iter().filter(|other| other.process == process).count(),
            reads: outcome.reads.iter().map(|variable| (variable, state.writer(began, variable))).collect(),
            writes: written.map(|access| (access.variable, access.value)).collect(),
            serializable,
        });
        pending.push(next);
    }
    Ok(())
}
