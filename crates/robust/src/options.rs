//! What can be asked, and what is answered.

use crate::models::Supported;
use crate::witness::Witness;
use std::sync::atomic::AtomicBool;
use steadfast_explore::{Bound, Limits, Observer};
use steadfast_ir::{LocId, Pc, ThreadId};
use steadfast_model::Notion;
use steadfast_span::Span;

/// The reductions, each of which can be switched off without changing a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "they are independent switches")]
pub struct Reductions {
    /// Threads with the same code are interchangeable.
    pub symmetry: bool,
    /// Values that no access can tell apart are one; and at first no values are told apart at all, which is enough if nothing is found.
    pub classes: bool,
    /// Monitor bits that can no longer matter are cleared.
    pub relevance: bool,
    /// A monitor with more bits covers one with fewer.
    pub covering: bool,
    /// Counters that only matter relative to each other are followed relative to one of them, when the program is large otherwise.
    pub translation: bool,
}

impl Reductions {
    /// All on.
    pub const ALL: Self = Self { symmetry: true, classes: true, relevance: true, covering: true, translation: true };
    /// All off.
    pub const NONE: Self =
        Self { symmetry: false, classes: false, relevance: false, covering: false, translation: false };
}

/// A question.
#[derive(Clone)]
pub struct Options<'a> {
    /// The memory model.
    pub model: Supported,
    /// What must agree with SC.
    pub notion: Notion,
    /// Whether spin loops are treated as blocking.
    pub spin: bool,
    /// Whether the order of `seq_cst` fences among themselves counts as observable, as by the letter of the paper.
    pub fences_by_the_letter: bool,
    /// The reductions to use.
    pub reductions: Reductions,
    /// What the search may use.
    pub limits: Limits,
    /// Follow all writes together also where one at a time would do. Slower; the two must agree.
    pub joint: bool,
    /// How many threads may work.
    pub jobs: usize,
    /// A program with fewer states than this is left to one worker.
    pub parallel_from: usize,
    /// A program with fewer states than this is never decided by translation: exploring it exactly is just as fast, and says more.
    pub translate_from: u64,
    /// How wide the number of a thread's local state is at first, up to 31 bits. When that does not suffice, wider ones are tried.
    pub local_bits: u32,
    /// Ends the search early when it becomes true.
    pub interrupt: Option<&'a AtomicBool>,
    /// Is told now and then how the search is getting on.
    pub observer: Option<Observer<'a>>,
}

impl Options<'_> {
    /// The default question about a model and a notion.
    pub fn new(model: Supported, notion: Notion) -> Self {
        Self {
            model,
            notion,
            spin: true,
            fences_by_the_letter: false,
            reductions: Reductions::ALL,
            limits: Limits::default(),
            joint: false,
            jobs: 1,
            parallel_from: 4000,
            translate_from: 20_000,
            local_bits: 8,
            interrupt: None,
            observer: None,
        }
    }
}

/// An answer.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The verdict.
    pub verdict: Verdict,
    /// What it took.
    pub statistics: Statistics,
    /// Loads and compare-and-swaps that were treated as blocking, because failing and trying again has no effect.
    pub spins: Vec<Place>,
    /// Some run under SC ends with these threads blocked for good, each at the given instruction. Empty: none does.
    pub deadlock: Vec<Place>,
    /// The counters that were followed relative to the first of them; the verdict was then reached without the exact program states, and nothing is said about
    /// deadlocks. Empty: translation was not used.
    pub translated: Vec<LocId>,
}

/// An instruction of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The thread.
    pub thread: ThreadId,
    /// The instruction.
    pub pc: Pc,
    /// Where it was written.
    pub span: Span,
}

/// A verdict about a program.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// Every behaviour is sequentially consistent; the search was exhaustive.
    Robust,
    /// Some behaviour is not.
    NotRobust(Box<Witness>),
    /// Two accesses of a plain location race; or, if that was asked, there is a triangular race.
    Race(Box<Witness>),
    /// An assertion fails, or an expression has no value, already under SC.
    Failed(Box<Witness>),
    /// A bound was hit before the search was over.
    Inconclusive(Bound),
    /// The program is larger than the tool can handle; the text says which size.
    Unsupported(String),
}

impl Verdict {
    /// The witness of a violation.
    pub fn witness(&self) -> Option<&Witness> {
        match self {
            Self::NotRobust(witness) | Self::Race(witness) | Self::Failed(witness) => Some(witness),
            Self::Robust | Self::Inconclusive(_) | Self::Unsupported(_) => None,
        }
    }

    /// Whether the search was exhaustive or a violation was found.
    pub fn is_conclusive(&self) -> bool {
        !matches!(self, Self::Inconclusive(_) | Self::Unsupported(_))
    }
}

/// What a check took.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Statistics {
    /// States of the program alone under SC.
    pub program_states: u64,
    /// Steps of the program alone.
    pub program_transitions: u64,
    /// States of the program together with a monitor.
    pub monitor_states: u64,
    /// Steps of the program together with a monitor.
    pub monitor_transitions: u64,
    /// Local states of all threads.
    pub local_states: u64,
    /// Bytes at the peak, as accounted by the search.
    pub peak_bytes: u64,
    /// Seconds for the program alone.
    pub program_seconds: f64,
    /// Seconds in all.
    pub seconds: f64,
}
