//! A template as a transition system: roles, points and steps.
//!
//! A *role* is code that one thread runs, or any number of threads. A *point* is a position in that code right before an access of shared memory (or the start, or the head of a local
//! loop). A *step* is one access, together with the local instructions behind it up to the next point: no other thread can see a state in between.

use crate::term::Term;
use serde::{Deserialize, Serialize};
use steadfast_ir::{Pc, RegId, RegSet, Register};
use steadfast_span::{Index, Span};

/// A template with any number of threads.
#[derive(Clone, Debug)]
pub(crate) struct System {
    /// The shared locations and arrays.
    pub(crate) globals: Vec<Global>,
    /// The roles.
    pub(crate) roles: Vec<Role>,
}

/// A shared location or array.
#[derive(Clone, Debug)]
pub(crate) struct Global {
    /// Its name in the program text.
    pub(crate) name: String,
    /// Its initial value. For an array: those of its first cells; the other cells have the value of the first one.
    pub(crate) init: Vec<u8>,
    /// Whether it is an array.
    pub(crate) array: bool,
    /// Its values are smaller than this.
    pub(crate) modulus: u16,
}

/// Code that one or any number of threads run.
#[derive(Clone, Debug)]
pub(crate) struct Role {
    /// Its name.
    pub(crate) name: String,
    /// Whether any number of threads run it.
    pub(crate) many: bool,
    /// Its registers.
    pub(crate) registers: Vec<Register>,
    /// The register that holds the number of the thread.
    pub(crate) id: Option<RegId>,
    /// The ways from the start of the code to the first points. They run before any step.
    pub(crate) starts: Vec<Step>,
    /// Its points.
    pub(crate) points: Vec<Point>,
    /// Its steps.
    pub(crate) steps: Vec<Step>,
    /// The invariants in the program text.
    pub(crate) stated: Vec<Stated>,
}

/// An invariant in the program text.
#[derive(Clone, Debug)]
pub(crate) struct Stated {
    /// The point where it holds. None: at all points where it can be shown to hold.
    pub(crate) point: Option<usize>,
    /// The invariant.
    pub(crate) term: Term,
    /// Its place in the text.
    pub(crate) span: Span,
}

/// An assertion on the way of a step.
#[derive(Clone, Debug)]
pub(crate) struct Asserted {
    /// The condition under which the way leads to it.
    pub(crate) guard: Vec<Term>,
    /// What must hold.
    pub(crate) cond: Term,
    /// Its place in the text.
    pub(crate) span: Span,
}

/// A position in the code of a role.
#[derive(Clone, Debug)]
pub(crate) struct Point {
    /// The position.
    pub(crate) pc: Pc,
    /// The text of its instruction.
    pub(crate) span: Span,
    /// The live registers.
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
    /// The condition under which the local instructions take this way.
    pub(crate) guard: Vec<Term>,
    /// The registers that change, and their new values.
    pub(crate) updates: Vec<(RegId, Term)>,
    /// The assertions on this way.
    pub(crate) asserts: Vec<Asserted>,
    /// The text of the access.
    pub(crate) span: Span,
}

/// A cell of shared memory.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Cell {
    /// The location or array.
    pub(crate) global: usize,
    /// The index in an array.
    pub(crate) index: Option<Term>,
}

/// What a step does to shared memory.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Action {
    /// Nothing.
    Local,
    /// Nothing, and it yields any integer.
    Any,
    /// Waits until the store buffer is empty.
    Fence,
    /// Reads a cell.
    Read(Cell),
    /// An abstraction of a read: yields the content of the cell or a guess.
    Guess(Cell, Guess),
    /// Reads a cell, after waiting until it holds one of these values.
    Await(Cell, Vec<Term>),
    /// Writes a cell.
    Write(Cell, Term),
    /// A successful compare-and-swap: the cell holds the first value and gets the second.
    CasSuccess(Cell, Term, Term),
    /// A failing compare-and-swap: the cell holds another value or, if the flag is set, any value.
    CasFailure(Cell, Term, bool),
    /// A read-modify-write: the new value may depend on the old one.
    Update(Cell, Term),
}

/// The values that an abstracted read may yield besides the content of the cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Guess {
    /// Any smaller value.
    AtMost,
    /// Any larger value.
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
    /// The cell that it accesses.
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

    /// The value that it writes.
    pub(crate) fn written(&self) -> Option<&Term> {
        match self {
            Self::Write(_, value) | Self::CasSuccess(_, _, value) | Self::Update(_, value) => Some(value),
            _ => None,
        }
    }

    /// Whether it waits until the store buffer of its thread is empty.
    pub(crate) fn drains(&self) -> bool {
        matches!(self, Self::Fence | Self::CasSuccess(..) | Self::CasFailure(..) | Self::Update(..))
    }
}

impl Role {
    /// Whether the content of a register at a point is part of the state: variables are, and so are temporaries that will be read.
    pub(crate) fn remembers(&self, reg: RegId, point: usize) -> bool {
        self.points[point].live.contains(reg) || !self.registers[reg.index()].temporary
    }
}

impl Step {
    /// Whether it changes a register.
    pub(crate) fn changes(&self, reg: RegId) -> bool {
        self.updates.iter().any(|(changed, term)| *changed == reg && *term != Term::Reg(reg))
    }

    /// Whether it leaves its thread unchanged, and nothing can fail on its way: a failed iteration of a spin loop.
    pub(crate) fn is_idle(&self, role: &Role) -> bool {
        let live = &role.points[self.to].live;
        let same = |(reg, term): &(RegId, Term)| !live.contains(*reg) || *term == Term::Reg(*reg);
        self.from == self.to && self.asserts.is_empty() && self.action.cell().is_some() && self.updates.iter().all(same)
    }
}

/// A feature that proofs do not support.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Unsupported {
    /// What is not supported.
    pub message: String,
    /// Where.
    pub span: Span,
}

impl System {
    /// Whether there are assertions.
    pub(crate) fn has_assertions(&self) -> bool {
        let mut steps = self.roles.iter().flat_map(|role| role.starts.iter().chain(&role.steps));
        steps.any(|step| !step.asserts.is_empty())
    }

    /// Whether there are invariants in the program text.
    pub(crate) fn has_stated(&self) -> bool {
        self.roles.iter().any(|role| !role.stated.is_empty())
    }

    /// Whether a thread of one role and another thread of the other role can exist at the same time.
    pub(crate) fn coexist(&self, one: usize, other: usize) -> bool {
        one != other || self.roles[one].many
    }

    /// The numbers in the program, and 0 and 1. Facts and guesses use them.
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
    /// The cells whose initial value is not that of the first cell.
    pub(crate) fn exceptions(&self) -> impl Iterator<Item = (usize, u8)> + '_ {
        let first = self.init.first().copied().unwrap_or_default();
        self.init.iter().copied().enumerate().filter(move |&(_, value)| value != first)
    }
}
