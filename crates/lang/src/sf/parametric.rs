//! Templates: programs with any number of threads, unbounded integers and unbounded arrays, for `steadfast prove`.
//!
//! A template is lowered like any other program. Threads that run the same code become one thread, whose `id` is a register with an unknown
//! number. A template can also be lowered to a finite *instance* with few threads, few values and few cells, which `check` can explore.

use super::codes;
use super::types::Ty;
use steadfast_diag::Diagnostic;
use steadfast_ir::LocId;
use steadfast_span::Span;

/// How a text without bounds is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Reading {
    /// As a finite program; words without a bound are errors.
    #[default]
    Finite,
    /// A template.
    Template,
    /// As a finite program in which words without a bound have these bounds.
    Instance(Instance),
}

/// The size of a finite instance of a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instance {
    /// The number of threads that run the code of `threads`.
    pub copies: u16,
    /// The number of values of an `int`, from 0 on; at most 256.
    pub values: u16,
    /// The number of cells of an unbounded array.
    pub cells: u32,
}

/// What a program does not contain of the template that it was made from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Template {
    /// For each thread of the program, whether any number of threads run its code. The register `id` of such a thread holds its number.
    pub many: Vec<bool>,
    /// The arrays. No other place is indexed.
    pub arrays: Vec<Array>,
    /// A read of this location is not an access; it gives any value.
    pub anything: Option<LocId>,
    /// The loads that may yield other values, by their places in the text.
    pub guesses: Vec<(Span, Guess)>,
    /// The places of `invariant(…)`. The plain loads there are not accesses; they stand for the contents of locations, and the assertion is the invariant.
    pub invariants: Vec<Span>,
}

/// The values that an abstracted load may yield besides the content of the location.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Guess {
    /// Any smaller value.
    AtMost,
    /// Any larger value.
    AtLeast,
    /// This number.
    Or(i32),
}

/// An array of a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Array {
    /// Its first location.
    pub base: LocId,
    /// The number of its locations. An unbounded array has one, which stands for every cell.
    pub count: u32,
    /// Whether it is unbounded.
    pub endless: bool,
}

impl Reading {
    /// The type of an object without a type.
    pub(super) fn usual(self) -> Ty {
        match self {
            Self::Finite => Ty::U8,
            Self::Template => Ty::INT,
            Self::Instance(instance) => Ty::integers_below(instance.values),
        }
    }

    /// The number of cells of an unbounded array.
    pub(super) fn endless(self) -> Option<u32> {
        match self {
            Self::Finite => None,
            Self::Template => Some(u32::MAX),
            Self::Instance(instance) => Some(instance.cells),
        }
    }

    /// The number of threads that run the code of `threads`.
    pub(super) fn copies(self) -> Option<u16> {
        match self {
            Self::Finite => None,
            Self::Template => Some(1),
            Self::Instance(instance) => Some(instance.copies),
        }
    }
}

/// The message for a run of an instance in which an integer leaves its range.
pub const LEAVES_INSTANCE: &str = "an integer leaves the range of the instance";

/// The error for something without a bound in a finite program.
pub(super) fn not_finite(what: &str, span: Span) -> Diagnostic {
    Diagnostic::error(codes::NOT_FINITE, format!("{what}, and `check` explores finite programs"))
        .at(span, "no bound is given")
        .help("`steadfast prove` reasons about any number; for `check`, write a number: `thread worker[3]`, `cells[4]`")
}
