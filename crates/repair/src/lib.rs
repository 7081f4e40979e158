//! Finds the cheapest changes that make a program robust ([`fix`]), and the weakenings that keep a robust program robust ([`relax`]). Beside a verdict there is less time: [`quick_fix`]
//! repairs only what is repaired quickly, and [`advice`] only says what kind of order one cycle lacks.
//!
//! A change replaces the form at a site of the text by a stronger one: nothing by a fence, an ordering by a stronger one, a store by an exchange.
//! Robustness is **monotone** in such changes: every execution of the stronger program is one of the weaker program, with the same order under SC. So the search is an
//! implicit hitting set problem (Reiter's diagnosis, 1987; Liffiton's MARCO): a set of changes that does not repair is extended until nothing can be added; then every
//! repair must contain a change that is not in the set, which is a *demand*. The cheapest choice that meets all demands is checked; if it repairs, nothing cheaper does.
//!
//! Guarantee: the repaired text itself is parsed and checked; no cheaper set of the considered changes repairs; and each single
//! change is necessary, which is checked again. The considered changes are those of [`steadfast_lang::sites`], reduced as `slots` explains: fences between statements, but not
//! inside expressions.

mod advice;
mod checker;
mod cost;
mod fix;
mod hitting;
mod quick;
mod relax;
mod slots;

pub use advice::{Advice, Gap, advice};
pub use checker::{CheckedText, Stop, Watcher};
pub use cost::Target;
pub use fix::{Fixed, fix};
pub use quick::{QuickFix, quick_fix};
pub use relax::{Relaxed, relax};
pub use slots::{Choice, Slot};

use checker::Checker;
use std::str::FromStr;
use steadfast_lang::{Dialect, Edit, Form};
use steadfast_model::Orderings;
use steadfast_robust::{Options, Supported};
use steadfast_span::{SourceFile, Span};

/// The allowed kinds of changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allowed {
    /// Fences may be added, strengthened, weakened or removed.
    pub fences: bool,
    /// Orderings may be changed.
    pub orderings: bool,
    /// Stores may become exchanges, and exchanges stores.
    pub rmw: bool,
}

impl Allowed {
    /// Nothing.
    pub const NOTHING: Self = Self { fences: false, orderings: false, rmw: false };
    /// Everything.
    pub const ALL: Self = Self { fences: true, orderings: true, rmw: true };
    /// Only fences.
    pub const FENCES: Self = Self { fences: true, orderings: false, rmw: false };

    /// What one of the two allows.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self {
            fences: self.fences || other.fences,
            orderings: self.orderings || other.orderings,
            rmw: self.rmw || other.rmw,
        }
    }

    /// The names of the allowed kinds.
    pub fn names(self) -> Vec<&'static str> {
        let all = [("fences", self.fences), ("orderings", self.orderings), ("rmw", self.rmw)];
        all.into_iter().filter(|(_, allowed)| *allowed).map(|(name, _)| name).collect()
    }
}

impl FromStr for Allowed {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "fences" => Ok(Self::FENCES),
            "orderings" => Ok(Self { orderings: true, ..Self::NOTHING }),
            "rmw" => Ok(Self { rmw: true, ..Self::NOTHING }),
            _ => Err(format!("unknown kind of change `{text}`; there are fences, orderings and rmw")),
        }
    }
}

/// A text to repair or to relax.
#[derive(Clone, Copy)]
pub struct Task<'a> {
    /// The text. It must contain a program without errors.
    pub file: &'a SourceFile,
    /// Its language.
    pub dialect: Dialect,
    /// The question for every candidate. The time limit is for all candidates together; the other limits are for each. Its fences must not count by the
    /// letter, because that is not monotone.
    pub options: &'a Options<'a>,
    /// The machine whose costs count.
    pub target: Target,
    /// The allowed kinds of changes.
    pub allowed: Allowed,
    /// Called before each check.
    pub watcher: Option<Watcher<'a>>,
}

/// One change.
#[derive(Clone, Debug)]
pub struct Change {
    /// Its place; empty for a place between two statements.
    pub span: Span,
    /// The present form.
    pub from: Form,
    /// The new form.
    pub to: Form,
    /// Its cost, or its saving.
    pub cost: u32,
    /// How to write it.
    pub edits: Vec<Edit>,
}

impl<'a> Task<'a> {
    fn context(&self) -> slots::Context<'a> {
        slots::Context {
            file: self.file,
            dialect: self.dialect,
            model: self.options.model,
            target: self.target,
            allowed: self.allowed,
        }
    }

    fn checker(&self) -> Checker<'a> {
        Checker::new(self.context(), self.options, self.watcher)
    }
}

/// The usual machine of a model.
pub fn usual_target(model: Supported) -> Target {
    match model.orderings() {
        Orderings::Buffered => Target::X86,
        Orderings::Uniform | Orderings::AsWritten => Target::Armv8,
    }
}

/// The cost of the fences and accesses of a text on a machine. Each counts once; plain accesses and locks do not count.
pub fn static_cost(file: &SourceFile, dialect: Dialect, target: Target) -> u32 {
    steadfast_lang::sites(file, dialect).iter().map(|site| target.form(site.now)).sum()
}
