//! What a file says about its own verdicts.

use steadfast_model::{Model, Notion};
use steadfast_span::Span;

/// A verdict that a program text promises; `steadfast test` holds the tool to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expectation {
    /// What should come out.
    pub verdict: ExpectedVerdict,
    /// Under which memory model.
    pub model: Model,
    /// For which notion of robustness.
    pub notion: Notion,
    /// Where it is written. Implied expectations point to what implies them.
    pub span: Span,
}

/// What should come out of an analysis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ExpectedVerdict {
    /// The program is robust.
    Robust,
    /// The program has a behaviour that no sequentially consistent memory has.
    NotRobust,
    /// Plain accesses race.
    Race,
    /// An assertion fails.
    AssertionFailed,
}
