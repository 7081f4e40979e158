//! The oracle: the machines of the paper, run by brute force. Slow and obvious; if it and [`crate::decide()`] disagree, this one is right.
//!
//! `causal` is section 2 of Beillahi, Bouajjani and Enea, event by event, for CM, CCv and CC; `snapshot` is snapshot isolation with
//! first-committer-wins. Both enumerate every execution of a small program and look for a cycle in the transactional happens-before of its
//! trace (definition 2.1). Loops are run a bounded number of times, so the oracle is for programs without them.

mod causal;
mod cycle;
mod snapshot;

use crate::model::ProgramModel;
use crate::program::Program;
use crate::run::RunError;
use rustc_hash::FxHashSet;
use std::hash::Hash;
use std::ops::ControlFlow;

/// What the oracle found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// Whether some trace has a cyclic transactional happens-before; with the cycle, as (process, number in the process) pairs.
    pub cycle: Option<Vec<(usize, usize)>>,
    /// Whether some execution has two concurrent transactions that write the same variable.
    pub race: bool,
    /// Whether some execution runs every process to its end.
    pub finishes: bool,
    /// How many states the machine has.
    pub states: usize,
}

/// Why the oracle gives no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unknown {
    /// More states than allowed.
    TooLarge,
    /// The program has no meaning somewhere.
    Error(RunError),
}

impl From<RunError> for Unknown {
    fn from(error: RunError) -> Self {
        Self::Error(error)
    }
}

/// How thorough to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// Stop at the first cycle.
    UntilCycle,
    /// Visit everything.
    Everything,
}

/// Runs the machine of a model: `cc`, `ccv`, `cm` or `si`.
pub fn explore(program: &Program, model: ProgramModel, effort: Effort, most_states: usize) -> Result<Found, Unknown> {
    match model {
        ProgramModel::Cc | ProgramModel::Ccv | ProgramModel::Cm => causal::explore(program, model, effort, most_states),
        ProgramModel::Si => snapshot::explore(program, effort, most_states),
    }
}

/// Visits all states that can be reached, each once. `visit` learns from a state, adds its successors to the list, and breaks off if that is enough.
fn visit_all<S: Clone + Eq + Hash>(
    start: S,
    most_states: usize,
    mut visit: impl FnMut(&S, &mut Found, &mut Vec<S>) -> Result<ControlFlow<()>, Unknown>,
) -> Result<Found, Unknown> {
    let mut pending = vec![start];
    let mut seen: FxHashSet<S> = FxHashSet::default();
    let mut found = Found::default();
    while let Some(state) = pending.pop() {
        if !seen.insert(state.clone()) {
            continue;
        }
        found.states += 1;
        if found.states > most_states {
            return Err(Unknown::TooLarge);
        }
        if visit(&state, &mut found, &mut pending)?.is_break() {
            break;
        }
    }
    Ok(found)
}
