//! Templates: programs with any number of threads, unbounded integers and arrays without end, for `steadfast prove`.
//!
//! A template is lowered like any other program, with one thread for all that run the same code, whose `id` is a register that holds an unknown
//! number. Or it is lowered to a finite *instance* with few threads, few values and few cells, which `check` can explore.

use super::codes;
use super::types::Ty;
use steadfast_diag::Diagnostic;
use steadfast_ir::LocId;
use steadfast_span::Span;

/// What a text without bounds is read as.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Reading {
    /// A finite program; words without a bound are errors.
    #[default]
    Finite,
    /// A template.
    Template,
    /// A finite program in which words without a bound stand for so many.
    Instance(Instance),
}

/// The size of a finite instance of a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instance {
    /// How many threads run the code of `threads`.
    pub copies: u16,
    /// An `int` is 0 to one less than this; at most 256.
    pub values: u16,
    /// How many cells an array without end has.
    pub cells: u32,
}

/// What a program does not say about the template that it was made from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Template {
    /// For each thread of the program, whether any number of threads run its code. The register `id` of such a thread holds its number.
    pub many: Vec<bool>,
    /// The arrays. No other place is indexed.
    pub arrays: Vec<Array>,
    /// Reading this location is no access; it gives any value.
    pub anything: Option<LocId>,
    /// Loads that may yield more than what is there, by their place in the text.
    pub guesses: Vec<(Span, Guess)>,
    /// The places of `invariant(…)`. The plain loads there are no accesses but stand for what a location holds, and the assertion is the invariant.
    pub invariants: Vec<Span>,
}

/// What an abstraction of a load may yield besides what is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Guess {
    /// Anything less.
    AtMost,
    /// Anything more.
    AtLeast,
    /// This number.
    Or(i32),
}

/// An array of a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Array {
    /// Its first location.
    pub base: LocId,
    /// How many locations it has. An array without end has one, which stands for every cell.
    pub count: u32,
    /// Whether it has no end.
    pub endless: bool,
}

impl Reading {
    /// The type of what does not name its type.
    pub(super) fn usual(self) -> Ty {
        match self {
            Self::Finite => Ty::U8,
            Self::Template => Ty::INT,
            Self::Instance(instance) => Ty::integers_below(instance.values),
        }
    }

    /// How many cells an array without end has.
    pub(super) fn endless(self) -> Option<u32> {
        match self {
            Self::Finite => None,
            Self::Template => Some(u32::MAX),
            Self::Instance(instance) => Some(instance.cells),
        }
    }

    /// How many threads of the program run the code of `threads`.
    pub(super) fn copies(self) -> Option<u16> {
        match self {
            Self::Finite => None,
            Self::Template => Some(1),
            Self::Instance(instance) => Some(instance.copies),
        }
    }
}

/// What is said of a run of an instance in which an integer leaves its range.
pub const LEAVES_INSTANCE: &str = "an integer leaves the range of the instance";

/// The error for something without a bound in a finite program.
pub(super) fn not_finite(what: &str, span: Span) -> Diagnostic {
    Diagnostic::error(codes::NOT_FINITE, format!("{what}, and `check` explores finite programs"))
        .at(span, "no bound is given")
        .help("`steadfast prove` reasons about any number; for `check`, write a number: `thread worker[3]`, `cells[4]`")
}
