//! What a template is made of: roles, points and steps.
//!
//! A *role* is code that one thread runs, or any number of threads. A *point* is a place in that code right before an access of shared memory (or the start, or the
//! head of a local loop). A *step* is one access together with the local instructions behind it, up to the next point: nobody can see a thread in between.

use crate::term::Term;
use serde::{Deserialize, Serialize};
use steadfast_ir::{Pc, RegId, RegSet, Register};
use steadfast_span::{Index, Span};

/// A whole template.
#[derive(Clone, Debug)]
pub(crate) struct Model {
    /// The shared locations and arrays.
    pub(crate) globals: Vec<Global>,
    /// The roles.
    pub(crate) roles: Vec<Role>,
}

/// A shared location or array.
#[derive(Clone, Debug)]
pub(crate) struct Global {
    /// Its name in the text.
    pub(crate) name: String,
    /// What it holds at the start: one value, or those of the cells that are not 0 or not like the first.
    pub(crate) init: Vec<u8>,
    /// Whether it is an array.
    pub(crate) array: bool,
    /// Its values are below this.
    pub(crate) modulus: u16,
}

/// Code that threads run.
#[derive(Clone, Debug)]
pub(crate) struct Role {
    /// What it is called.
    pub(crate) name: String,
    /// Whether any number of threads run it.
    pub(crate) many: bool,
    /// Its registers.
    pub(crate) registers: Vec<Register>,
    /// The register that holds the number of the thread.
    pub(crate) id: Option<RegId>,
    /// The ways from the start of the code to the first points. They run before anything else does.
    pub(crate) starts: Vec<Step>,
    /// Its points.
    pub(crate) points: Vec<Point>,
    /// Its steps.
    pub(crate) steps: Vec<Step>,
    /// What the text says about it.
    pub(crate) stated: Vec<Stated>,
}

/// An invariant in the text.
#[derive(Clone, Debug)]
pub(crate) struct Stated {
    /// Where it is to hold; nothing: wherever it does.
    pub(crate) point: Option<usize>,
    /// What.
    pub(crate) term: Term,
    /// Its text.
    pub(crate) span: Span,
}

/// An assertion on the way of a step.
#[derive(Clone, Debug)]
pub(crate) struct Asserted {
    /// The way up to it.
    pub(crate) guard: Vec<Term>,
    /// What must hold.
    pub(crate) cond: Term,
    /// Its text.
    pub(crate) span: Span,
}

/// A place in the code of a role.
#[derive(Clone, Debug)]
pub(crate) struct Point {
    /// Where.
    pub(crate) pc: Pc,
    /// The text that is about to run.
    pub(crate) span: Span,
    /// The registers that matter here.
    pub(crate) live: RegSet,
}

/// One access and the local instructions behind it.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    /// The point before.
    pub(crate) from: usize,
    /// The point after.
    pub(crate) to: usize,
    /// The access.
    pub(crate) action: Action,
    /// What must hold for the local instructions to go this way.
    pub(crate) guard: Vec<Term>,
    /// The registers that change, with their new values.
    pub(crate) updates: Vec<(RegId, Term)>,
    /// The assertions on the way.
    pub(crate) asserts: Vec<Asserted>,
    /// The text of the access.
    pub(crate) span: Span,
}

/// A cell of shared memory.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Cell {
    /// Which location or array.
    pub(crate) global: usize,
    /// Which cell of an array.
    pub(crate) index: Option<Term>,
}

/// What a step does to shared memory.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Action {
    /// Nothing.
    Local,
    /// Nothing, but it yields any integer.
    Any,
    /// Empties the buffer.
    Fence,
    /// Reads a cell.
    Read(Cell),
    /// An abstraction of a read: yields what the cell holds or something else.
    Guess(Cell, Guess),
    /// Reads a cell as soon as it holds one of these values.
    Await(Cell, Vec<Term>),
    /// Writes a cell.
    Write(Cell, Term),
    /// Finds the expected value in a cell and replaces it.
    CasSuccess(Cell, Term, Term),
    /// Finds another value, or, if this is set, fails whatever it finds.
    CasFailure(Cell, Term, bool),
    /// Replaces the value of a cell by one that may depend on it.
    Update(Cell, Term),
}

/// What an abstraction of a read may yield besides what is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Guess {
    /// Anything less.
    AtMost,
    /// Anything more.
    AtLeast,
    /// This number.
    Or(i64),
}

impl From<steadfast_lang::Guess> for Guess {
    fn from(guess: steadfast_lang::Guess) -> Self {
        match guess {
            steadfast_lang::Guess::AtMost => Self::AtMost,
            steadfast_lang::Guess::AtLeast => Self::AtLeast,
            steadfast_lang::Guess::Or(other) => Self::Or(other.into()),
        }
    }
}

impl Action {
    /// What it accesses.
    pub(crate) fn cell(&self) -> Option<&Cell> {
        match self {
            Self::Local | Self::Any | Self::Fence => None,
            Self::Read(cell)
            | Self::Guess(cell, _)
            | Self::Await(cell, _)
            | Self::Write(cell, _)
            | Self::CasSuccess(cell, ..)
            | Self::CasFailure(cell, ..)
            | Self::Update(cell, _) => Some(cell),
        }
    }

    /// What it leaves in the cell, if it writes.
    pub(crate) fn written(&self) -> Option<&Term> {
        match self {
            Self::Write(_, value) | Self::CasSuccess(_, _, value) | Self::Update(_, value) => Some(value),
            _ => None,
        }
    }

    /// Whether it waits until the buffer of its thread is empty.
    pub(crate) fn drains(&self) -> bool {
        matches!(self, Self::Fence | Self::CasSuccess(..) | Self::CasFailure(..) | Self::Update(..))
    }
}

impl Role {
    /// Whether the content of a register at a point is part of the state: variables are, and temporaries that will be read.
    pub(crate) fn remembers(&self, reg: RegId, point: usize) -> bool {
        self.points[point].live.contains(reg) || !self.registers[reg.index()].temporary
    }
}

impl Step {
    /// Whether a register holds something else after it.
    pub(crate) fn changes(&self, reg: RegId) -> bool {
        self.updates.iter().any(|(changed, term)| *changed == reg && *term != Term::Reg(reg))
    }

    /// Whether it leaves its thread as it is, and nothing can fail on the way: a failed round of a spin loop.
    pub(crate) fn is_idle(&self, role: &Role) -> bool {
        let live = &role.points[self.to].live;
        let same = |(reg, term): &(RegId, Term)| !live.contains(*reg) || *term == Term::Reg(*reg);
        self.from == self.to && self.asserts.is_empty() && self.action.cell().is_some() && self.updates.iter().all(same)
    }
}

/// Why a program is not understood.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Unsupported {
    /// What is the matter.
    pub message: String,
    /// Where.
    pub span: Span,
}

impl Model {
    /// Whether something is asserted.
    pub(crate) fn has_assertions(&self) -> bool {
        let mut steps = self.roles.iter().flat_map(|role| role.starts.iter().chain(&role.steps));
        steps.any(|step| !step.asserts.is_empty())
    }

    /// Whether the text says what holds somewhere.
    pub(crate) fn has_stated(&self) -> bool {
        self.roles.iter().any(|role| !role.stated.is_empty())
    }

    /// Whether a thread of one role and another thread of the other can exist together.
    pub(crate) fn coexist(&self, one: usize, other: usize) -> bool {
        one != other || self.roles[one].many
    }

    /// The numbers that the program mentions, and 0 and 1: what facts and guesses compare with.
    pub(crate) fn numbers(&self) -> Vec<i64> {
        let mut numbers = vec![0, 1];
        for global in &self.globals {
            numbers.extend(global.init.iter().map(|&value| i64::from(value)));
        }
        for step in self.roles.iter().flat_map(|role| &role.steps) {
            let mut see = |value: i64| numbers.push(value);
            step.guard.iter().for_each(|term| term.constants(&mut see));
            step.updates.iter().for_each(|(_, term)| term.constants(&mut see));
            match &step.action {
                Action::Write(_, a) | Action::Update(_, a) | Action::CasFailure(_, a, _) => a.constants(&mut see),
                Action::CasSuccess(_, a, b) => {
                    a.constants(&mut see);
                    b.constants(&mut see);
                }
                Action::Await(_, values) => values.iter().for_each(|value| value.constants(&mut see)),
                _ => {}
            }
        }
        numbers.sort_unstable();
        numbers.dedup();
        numbers
    }
}

impl Global {
    /// The cells with another initial value than the first.
    pub(crate) fn exceptions(&self) -> impl Iterator<Item = (usize, u8)> + '_ {
        let first = self.init.first().copied().unwrap_or_default();
        self.init.iter().copied().enumerate().filter(move |&(_, value)| value != first)
    }
}
