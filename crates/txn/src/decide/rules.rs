//! The possible next steps of a run: the reduction for CM and CCv, and the one for snapshot isolation.
//!
//! Follows Beillahi, Bouajjani and Enea, *Robustness against transactional causal consistency* (theorems 6.2 and 7.1) and, for snapshot
//! isolation, their CAV 2019 paper. A violation under the weak model shows as a serial run in which a few transactions are not delivered
//! to the others. Some transaction *t* is not delivered. Processes that have seen it (in program order, or because they read what it or
//! another delayed transaction wrote) are delayed with it, and work on a store of their own. From one of them a path of dependencies leads back,
//! over transactions that know nothing of the delayed ones, to one that reads what *t* has overwritten.
//!
//! Deviations from the paper, numbered:
//! 1. Both patterns are one search, and nothing is guessed: sets of variables stand for all guesses at once.
//! 2. Figures 15 to 17 do not hold as printed. The path may start at a read (for CCv also at a write) of any delayed transaction, including *t*,
//!    and must end at an external read of a variable that has not been overwritten since *t*.
//! 3. Serializable transactions are our extension: each sees all earlier ones. So a process that is not delayed runs none while a delayed process has run one, unless it becomes delayed;
//!    and under snapshot isolation, none runs while a transaction is split.
//! 4. Weak causal consistency has no search of its own: a program is robust against it iff it is robust against causal memory (lemma 8.1).
//!
//! Sound and complete. This form of the reduction is not proved; property tests compare it with the machines of the paper's section 2.

use super::state::{Bits, Phase, State};
use crate::model::ProgramModel;
use crate::run::{RunError, Runner, TransactionRun};
use crate::varset::VarSet;

/// The role of a transaction in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// It ran while nothing was delayed.
    Serial,
    /// It is the first delayed transaction, or the split one.
    First,
    /// It is delayed, too, because it has seen a delayed one.
    Delayed,
    /// It ran while others were delayed, without knowing of them.
    Unaware,
    /// It is on the path back to the first delayed transaction.
    Path,
}

/// The contradiction at the end of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Closing {
    /// The last transaction reads what the first delayed one has overwritten.
    StaleRead,
    /// The last transaction and a delayed one write the same variable without knowing of each other.
    WriteRace,
}

/// The process, the number of its possible run, and the role of that run.
pub(super) type Label = (usize, usize, Role);

/// A step of the search.
pub(super) struct SearchStep {
    /// The label, or none for the silent step to the last phase.
    pub(super) label: Option<Label>,
    pub(super) target: Result<State, Closing>,
}

/// The rules for one model.
pub(super) struct Rules<'a> {
    pub(super) runner: &'a Runner<'a>,
    pub(super) model: ProgramModel,
    /// Whether to search only for pairs of writes that do not know of each other.
    pub(super) races_only: bool,
}

impl Rules<'_> {
    pub(super) fn initial(&self) -> State {
        let program = self.runner.program();
        State {
            phase: Phase::Serial,
            locals: (0..program.processes.len()).map(|process| self.runner.start(process)).collect(),
            store: program.initial_store(),
            delayed_store: Vec::new(),
            delayed: VarSet::EMPTY,
            held: false,
            locked: VarSet::EMPTY,
            bits: Bits::default(),
        }
    }

    /// Clears the values that are never used.
    pub(super) fn forget(&self, state: &mut State) {
        let used = self.runner.used_variables();
        for store in [&mut state.store, &mut state.delayed_store] {
            store
                .iter_mut()
                .enumerate()
                .filter(|(variable, _)| !used.contains(*variable))
                .for_each(|(_, value)| *value = 0);
        }
    }

    /// Appends all possible next steps.
    pub(super) fn expand(&self, state: &State, steps: &mut Vec<SearchStep>) -> Result<(), RunError> {
        if state.phase == Phase::Delayed && self.model != ProgramModel::Si {
            steps.push(SearchStep { label: None, target: Ok(self.switched(state)) });
        }
        for process in 0..state.locals.len() {
            let delayed = state.delayed.contains(process);
            if !delayed {
                let outcomes = self.runner.outcomes(process, &state.locals[process], &state.store)?;
                for (number, outcome) in outcomes.iter().enumerate() {
                    self.ordinary(state, process, number, outcome, steps);
                }
            }
            if state.phase == Phase::Delayed && self.model != ProgramModel::Si {
                let outcomes = self.runner.outcomes(process, &state.locals[process], &state.delayed_store)?;
                for (number, outcome) in outcomes.iter().enumerate() {
                    if delayed || outcome.reads.meets(state.bits.dirty) || self.must_see(state, outcome) {
                        let mut next = delay(state, process, outcome);
                        next.held |= self.is_serializable(outcome);
                        let target = Ok(next);
                        steps.push(SearchStep { label: Some((process, number, Role::Delayed)), target });
                    }
                }
            }
        }
        Ok(())
    }

    /// A process that is not delayed runs a transaction on the common store.
    fn ordinary(
        &self,
        state: &State,
        process: usize,
        number: usize,
        outcome: &TransactionRun,
        steps: &mut Vec<SearchStep>,
    ) {
        if self.must_see(state, outcome) {
            return;
        }
        let mut push = |role, target| steps.push(SearchStep { label: Some((process, number, role)), target });
        match (state.phase, self.model) {
            // A step that changes nothing is not needed.
            (Phase::Serial, _) | (Phase::Delayed, ProgramModel::Cm | ProgramModel::Ccv | ProgramModel::Cc)
                if outcome.writes.is_empty() && outcome.local == state.locals[process] => {}
            (Phase::Serial, _) => {
                push(Role::Serial, Ok(moved(state, process, outcome)));
                if let Some(attacked) = self.attacked(state, process, outcome) {
                    push(Role::First, Ok(attacked));
                }
            }
            (Phase::Delayed, ProgramModel::Si) => {
                if !outcome.writes.meets(state.locked)
                    && let Some(target) = self.joined(state, process, outcome)
                {
                    push(Role::Path, target);
                }
            }
            (Phase::Delayed, _) => push(Role::Unaware, self.unaware(state, process, outcome)),
            (Phase::Path, _) => {
                if self.races(state, outcome) {
                    push(Role::Path, Err(Closing::WriteRace));
                } else if let Some(target) = self.joined(state, process, outcome) {
                    push(Role::Path, target);
                }
            }
        }
    }

    /// The first transaction that is not delivered or, under snapshot isolation, that is split between its reads and its writes.
    fn attacked(&self, state: &State, process: usize, outcome: &TransactionRun) -> Option<State> {
        if outcome.writes.is_empty() || (self.model == ProgramModel::Si && outcome.reads.is_empty()) {
            return None;
        }
        let mut next = state.clone();
        next.phase = Phase::Delayed;
        next.delayed = VarSet::one(process);
        next.locals[process] = outcome.local.clone();
        next.held = self.is_serializable(outcome);
        if self.model == ProgramModel::Si {
            stop(&mut next);
            next.locked = outcome.writes;
            next.bits.path_reads = outcome.reads;
            return Some(next);
        }
        next.delayed_store.clone_from(&state.store);
        outcome.apply(&mut next.delayed_store);
        let writes = outcome.writes;
        next.bits = Bits {
            dirty: writes,
            delayed_reads: outcome.reads,
            delayed_writes: writes,
            first_writes: writes,
            linked: VarSet::one(process),
            linked_dirty: writes,
            ..Bits::default()
        };
        Some(next)
    }

    /// A transaction that knows nothing of the delayed ones, but whose writes may become known to them.
    fn unaware(&self, state: &State, process: usize, outcome: &TransactionRun) -> Result<State, Closing> {
        if self.races(state, outcome) {
            return Err(Closing::WriteRace);
        }
        let mut next = moved(state, process, outcome);
        outcome.apply(&mut next.delayed_store);
        next.bits.first_writes = next.bits.first_writes.without(outcome.writes);
        next.bits.dirty = next.bits.dirty.without(outcome.writes);
        next.bits.linked_dirty = next.bits.linked_dirty.without(outcome.writes);
        Ok(next)
    }

    /// From here on no further process is delayed, and the path begins.
    fn switched(&self, state: &State) -> State {
        let mut next = state.clone();
        let bits = state.bits;
        let causal_memory = self.model == ProgramModel::Cm;
        next.phase = Phase::Path;
        next.delayed_store.clear();
        next.bits = Bits {
            path_reads: if causal_memory { bits.delayed_reads } else { bits.delayed_reads.union(bits.delayed_writes) },
            delayed_writes: if causal_memory { bits.delayed_writes } else { VarSet::EMPTY },
            first_writes: bits.first_writes,
            ..Bits::default()
        };
        stop(&mut next);
        next
    }

    /// A transaction on the path; nothing if it is not on the path.
    fn joined(&self, state: &State, process: usize, outcome: &TransactionRun) -> Option<Result<State, Closing>> {
        let bits = state.bits;
        let overwrites = outcome.writes.meets(bits.path_reads.union(bits.path_writes));
        if !bits.joined.contains(process) && !outcome.reads.meets(bits.path_writes) && !overwrites {
            return None;
        }
        let overwritten = if self.model == ProgramModel::Si { state.locked } else { bits.first_writes };
        if outcome.reads.meets(overwritten) && !self.races_only {
            return Some(Err(Closing::StaleRead));
        }
        let mut next = moved(state, process, outcome);
        next.bits.joined.insert(process);
        next.bits.path_reads = bits.path_reads.union(outcome.reads);
        next.bits.path_writes = bits.path_writes.union(outcome.writes);
        next.bits.first_writes = bits.first_writes.without(outcome.writes);
        Some(Ok(next))
    }

    fn is_serializable(&self, outcome: &TransactionRun) -> bool {
        self.runner.program().transactions[outcome.transaction].serializable
    }

    /// Whether the transaction would have to see a delayed one, because both run serializably.
    fn must_see(&self, state: &State, outcome: &TransactionRun) -> bool {
        state.held && self.is_serializable(outcome)
    }

    fn races(&self, state: &State, outcome: &TransactionRun) -> bool {
        self.model == ProgramModel::Cm && outcome.writes.meets(state.bits.delayed_writes)
    }
}

fn moved(state: &State, process: usize, outcome: &TransactionRun) -> State {
    let mut next = state.clone();
    next.locals[process] = outcome.local.clone();
    outcome.apply(&mut next.store);
    next
}

/// A transaction that has seen a delayed one is delayed, too. Usually it also depends on it; but it may have seen it only because both run serializably.
fn delay(state: &State, process: usize, outcome: &TransactionRun) -> State {
    let mut next = state.clone();
    next.locals[process] = outcome.local.clone();
    outcome.apply(&mut next.delayed_store);
    next.delayed.insert(process);
    let bits = &mut next.bits;
    bits.dirty = bits.dirty.union(outcome.writes);
    let overwrites = outcome.writes.meets(bits.delayed_reads.union(bits.delayed_writes));
    if !bits.linked.contains(process) && !outcome.reads.meets(bits.linked_dirty) && !overwrites {
        bits.linked_dirty = bits.linked_dirty.without(outcome.writes);
        return next;
    }
    bits.linked.insert(process);
    bits.linked_dirty = bits.linked_dirty.union(outcome.writes);
    bits.delayed_reads = bits.delayed_reads.union(outcome.reads);
    bits.delayed_writes = bits.delayed_writes.union(outcome.writes);
    next
}

/// Delayed processes take no more steps, so their positions do not matter.
fn stop(state: &mut State) {
    for process in state.delayed.iter() {
        state.locals[process].pc = 0;
        state.locals[process].registers.fill(0);
    }
}
