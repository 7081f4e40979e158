//! What has to be shown of the writes and reads of a template, and how strong a claim it gives.
//!
//! A write may stay in its buffer without anybody noticing if it is a *left mover*: it could as well have happened earlier than any step of another thread on the same cell that came
//! before it. Or if every read that can overtake it is a *right mover*: it could as well have happened later. (ALGORITHMS §9 has the table and what each row is worth.)

use crate::encode::{self, Who};
use crate::invariant::{Invariant, Question, both, happening};
use crate::model::{Action, Model, Step};
use crate::term::{Naming, Term, conjunction};
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};

/// What is claimed, from strong to weak. Each claim implies the ones below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Claim {
    /// Every TSO run has the trace of an SC run; what `check --model tso` decides.
    TraceRobust,
    /// The same, but only the order of accesses that conflict by their values counts.
    ValueTraceRobust,
    /// Every state that TSO reaches with empty buffers is reached under SC: places in the code, variables, memory. Only what a failed round of a spin loop
    /// has read, and nobody reads again, does not count.
    StateRobust,
    /// Every such state is reached under SC by an abstraction of the program, in which some reads yield more values. What holds of that under SC holds of the program under TSO.
    SafeByAbstraction,
}

impl Claim {
    /// The claims about the program itself, the strongest first.
    pub const EXACT: [Self; 3] = [Self::TraceRobust, Self::ValueTraceRobust, Self::StateRobust];

    /// Whether only states are compared, and not what was read on the way.
    pub(crate) fn compares_states(self) -> bool {
        self >= Self::StateRobust
    }
}

/// Which way something must be able to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// A write before what others did.
    Left,
    /// A read behind what others will do.
    Right,
}

/// Steps that change nothing at all. Where only states are compared they might as well not happen.
pub(crate) type Idle = FxHashSet<(usize, usize)>;

/// A step of one thread that must move over a step of another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Mover {
    /// Which way.
    pub(crate) direction: Direction,
    /// The role and the number of the step that moves.
    pub(crate) moving: (usize, usize),
    /// The role and the number of the step that it moves over.
    pub(crate) over: (usize, usize),
}

/// The steps of others that a step must be able to move over.
pub(crate) fn obstacles(model: &Model, direction: Direction, moving: (usize, usize), idle: &Idle) -> Vec<Mover> {
    let cell = model.roles[moving.0].steps[moving.1].action.cell().map(|cell| cell.global);
    let roles = (0..model.roles.len()).filter(move |&role| model.coexist(moving.0, role));
    let others = roles.flat_map(move |role| (0..model.roles[role].steps.len()).map(move |step| (role, step)));
    others
        .filter(move |&(role, number)| {
            let step = &model.roles[role].steps[number];
            let same = step.action.cell().is_some_and(|other| Some(other.global) == cell);
            let counts = direction == Direction::Left || step.action.written().is_some();
            same && counts && !idle.contains(&(role, number))
        })
        .map(move |over| Mover { direction, moving, over })
        .collect()
}

impl Mover {
    /// What must not be possible.
    pub(crate) fn question(self, model: &Model, invariant: &Invariant, claim: Claim) -> Option<Question> {
        let (one, other) = (Who { letter: 'A', role: self.moving.0 }, Who { letter: 'B', role: self.over.0 });
        let (moving, over) = (step(model, self.moving), step(model, self.over));
        if invariant.is_apart((one.role, moving.from), (other.role, over.from)) {
            return None;
        }
        let (got, other_got) = (one.got(), other.got());
        let (names, other_names) = (one.names(&got), other.names(&other_got));
        let (cell, other_cell) = (moving.action.cell()?, over.action.cell()?);
        let mut given = invariant.at_both(model, (one, moving.from), (other, over.from));
        given.extend(encode::same_cell((cell, names), (other_cell, other_names)));
        given.extend(encode::content_typed(model, cell, names));
        given.extend(enabled(model, one, moving, claim));
        given.extend(enabled(model, other, over, claim));
        let wanted = match (claim, self.direction) {
            // The two are never next at the same time; an order that does not matter would count, too.
            (Claim::TraceRobust, _) => Vec::new(),
            (_, Direction::Left) => {
                let value = names.integer(moving.action.written()?);
                let mut wanted = vec![unchanged(model, (other, over), &value, claim)];
                if let Some(written) = over.action.written() {
                    let got = if claim.compares_states() { &value } else { &other_got };
                    wanted.push(format!("(= {} {value})", other.names(got).integer(written)));
                }
                wanted
            }
            (_, Direction::Right) => {
                let value = other_names.integer(over.action.written()?);
                vec![unchanged(model, (one, moving), &value, claim)]
            }
        };
        Some(Question { declarations: both(model, one, other), given, wanted })
    }
}

fn step(model: &Model, (role, number): (usize, usize)) -> &Step {
    &model.roles[role].steps[number]
}

/// That a step can happen. Only where states are compared, the way that its thread goes on matters.
fn enabled(model: &Model, who: Who, step: &Step, claim: Claim) -> Vec<String> {
    if claim.compares_states() {
        return happening(model, who, step);
    }
    let (got, cell) = (who.got(), step.action.cell());
    let names = who.names(&got);
    cell.map(|cell| encode::allowed(&step.action, names, &encode::content(cell, names))).into_iter().collect()
}

/// That a step would have had the same local result if its cell had held `value`.
fn unchanged(model: &Model, (who, step): (Who, &Step), value: &str, claim: Claim) -> String {
    let got = who.got();
    let names = who.names(&got);
    if !claim.compares_states() || matches!(step.action, Action::Guess(..)) {
        return match &step.action {
            // A failing compare-and-swap whose result is only "it failed" could have found anything else; but what it found may be used.
            Action::Write(..) => "true".into(),
            action => encode::allowed(action, names, value),
        };
    }
    if let Action::Write(..) = step.action {
        return "true".into();
    }
    let with = who.names(value);
    let mut parts = vec![encode::allowed(&step.action, with, value)];
    parts.extend(step.guard.iter().map(|term| with.truth(term)));
    let same_truth = |term: &Term| format!("(= {} {})", names.truth(term), with.truth(term));
    parts.extend(step.asserts.iter().map(|asserted| same_truth(&asserted.cond)));
    let role = &model.roles[who.role];
    for (_, term) in step.updates.iter().filter(|(reg, _)| role.remembers(*reg, step.to)) {
        parts.push(format!("(= {} {})", names.integer(term), with.integer(term)));
    }
    conjunction(&parts)
}
