//! What must be shown of the writes and reads of a template, and how strong a claim follows.
//!
//! No thread notices that a write stays in its buffer if the write is a *left mover*: it could as well have happened before every step of other threads on the same cell that came before it. The
//! same is true if every read that can overtake the write is a *right mover*: it could as well have happened later. (ALGORITHMS §9 has the table, with the claim for each row.)

use crate::encode::{self, SymbolicThread};
use crate::invariant::{Invariant, Question, both, happening};
use crate::system::{Action, Step, System};
use crate::term::{Naming, Term, conjunction};
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};

/// The claims, from strong to weak. Each claim implies those after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Claim {
    /// Every TSO run has the trace of an SC run. This is what `check --model tso` decides.
    TraceRobust,
    /// The same, but only the order of accesses whose values conflict counts.
    ValueTraceRobust,
    /// Every state that TSO reaches with empty buffers is reached under SC: positions in the code, variables, memory. Registers that only a failed iteration of a spin loop
    /// has read, and that are not read again, do not count.
    StateRobust,
    /// Every such state is reached under SC by an abstraction of the program, in which some reads yield more values. What holds of the abstraction under SC holds of the program under TSO.
    SafeByAbstraction,
}

impl Claim {
    /// The claims about the program itself, strongest first.
    pub const EXACT: [Self; 3] = [Self::TraceRobust, Self::ValueTraceRobust, Self::StateRobust];

    /// Whether the claim compares only states, and not the values that were read.
    pub(crate) fn compares_states(self) -> bool {
        self >= Self::StateRobust
    }
}

/// The direction in which a step must be able to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// A write moves before steps of other threads.
    Left,
    /// A read moves behind steps of other threads.
    Right,
}

/// Steps that change nothing, by role and number. They can be left out where only states are compared.
pub(crate) type Idle = FxHashSet<(usize, usize)>;

/// A step of one thread that must move over a step of another thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Mover {
    /// The direction.
    pub(crate) direction: Direction,
    /// The role and number of the step that moves.
    pub(crate) moving: (usize, usize),
    /// The role and number of the step that it moves over.
    pub(crate) over: (usize, usize),
}

/// The steps of other threads that a step must be able to move over.
pub(crate) fn obstacles(system: &System, direction: Direction, moving: (usize, usize), idle: &Idle) -> Vec<Mover> {
    let cell = system.roles[moving.0].steps[moving.1].action.cell().map(|cell| cell.global);
    let roles = (0..system.roles.len()).filter(move |&role| system.coexist(moving.0, role));
    let others = roles.flat_map(move |role| (0..system.roles[role].steps.len()).map(move |step| (role, step)));
    others
        .filter(move |&(role, number)| {
            let step = &system.roles[role].steps[number];
            let same = step.action.cell().is_some_and(|other| Some(other.global) == cell);
            let counts = direction == Direction::Left || step.action.written().is_some();
            same && counts && !idle.contains(&(role, number))
        })
        .map(move |over| Mover { direction, moving, over })
        .collect()
}

impl Mover {
    /// The question whether the step can move.
    pub(crate) fn question(self, system: &System, invariant: &Invariant, claim: Claim) -> Option<Question> {
        let (one, other) =
            (SymbolicThread { letter: 'A', role: self.moving.0 }, SymbolicThread { letter: 'B', role: self.over.0 });
        let (moving, over) = (step(system, self.moving), step(system, self.over));
        if invariant.is_apart((one.role, moving.from), (other.role, over.from)) {
            return None;
        }
        let (got, other_got) = (one.got(), other.got());
        let (names, other_names) = (one.names(&got), other.names(&other_got));
        let (cell, other_cell) = (moving.action.cell()?, over.action.cell()?);
        let mut given = invariant.at_both(system, (one, moving.from), (other, over.from));
        given.extend(encode::same_cell((cell, names), (other_cell, other_names)));
        given.extend(encode::content_typed(system, cell, names));
        given.extend(enabled(system, one, moving, claim));
        given.extend(enabled(system, other, over, claim));
        let wanted = match (claim, self.direction) {
            // The two steps must never be next at the same time; here even an order without an effect counts.
            (Claim::TraceRobust, _) => Vec::new(),
            (_, Direction::Left) => {
                let value = names.integer(moving.action.written()?);
                let mut wanted = vec![unchanged(system, (other, over), &value, claim)];
                if let Some(written) = over.action.written() {
                    let got = if claim.compares_states() { &value } else { &other_got };
                    wanted.push(format!("(= {} {value})", other.names(got).integer(written)));
                }
                wanted
            }
            (_, Direction::Right) => {
                let value = other_names.integer(over.action.written()?);
                vec![unchanged(system, (one, moving), &value, claim)]
            }
        };
        Some(Question { declarations: both(system, one, other), given, wanted })
    }
}

fn step(system: &System, (role, number): (usize, usize)) -> &Step {
    &system.roles[role].steps[number]
}

/// Formulas: a step can happen. The way that its thread takes afterwards matters only if states are compared.
fn enabled(system: &System, thread: SymbolicThread, step: &Step, claim: Claim) -> Vec<String> {
    if claim.compares_states() {
        return happening(system, thread, step);
    }
    let (got, cell) = (thread.got(), step.action.cell());
    let names = thread.names(&got);
    cell.map(|cell| encode::allowed(&step.action, names, &encode::content(cell, names))).into_iter().collect()
}

/// A formula: a step would have had the same local result if its cell had held `value`.
fn unchanged(system: &System, (thread, step): (SymbolicThread, &Step), value: &str, claim: Claim) -> String {
    let got = thread.got();
    let names = thread.names(&got);
    if !claim.compares_states() || matches!(step.action, Action::Guess(..)) {
        return match &step.action {
            // A failing compare-and-swap whose result is only "it failed" could have found any other value; but the program may use the value that it found.
            Action::Write(..) => "true".into(),
            action => encode::allowed(action, names, value),
        };
    }
    if let Action::Write(..) = step.action {
        return "true".into();
    }
    let with = thread.names(value);
    let mut parts = vec![encode::allowed(&step.action, with, value)];
    parts.extend(step.guard.iter().map(|term| with.truth(term)));
    let same_truth = |term: &Term| format!("(= {} {})", names.truth(term), with.truth(term));
    parts.extend(step.asserts.iter().map(|asserted| same_truth(&asserted.cond)));
    let role = &system.roles[thread.role];
    for (_, term) in step.updates.iter().filter(|(reg, _)| role.remembers(*reg, step.to)) {
        parts.push(format!("(= {} {})", names.integer(term), with.integer(term)));
    }
    conjunction(&parts)
}
