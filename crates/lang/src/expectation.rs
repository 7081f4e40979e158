//! What a file says about its own verdicts.

use steadfast_span::Span;

/// The memory models that an expectation can name.
pub(crate) const MODELS: [&str; 5] = ["ra", "sra", "rc20", "rc11", "tso"];
/// The notions of robustness that it can name.
pub(crate) const NOTIONS: [&str; 2] = ["graph", "observational"];

/// A verdict that a program text promises; `steadfast test` holds the tool to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expectation {
    /// What should come out.
    pub verdict: ExpectedVerdict,
    /// Under which memory model: `ra`, `sra`, `rc20`, `rc11` or `tso`.
    pub model: String,
    /// For which notion of robustness: `graph` or `observational`.
    pub notion: String,
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
