//! Finds the cheapest changes that make a program robust ([`fix`]), and the changes that it would survive in the other direction ([`relax`]).
//!
//! A change replaces what stands at a site of the text by something stronger: a fence where there was none, a stronger ordering, an exchange in place of a store.
//! Robustness is **monotone** in such changes: every execution of the stronger program is one of the weaker program, with the same order under SC. That makes the search an
//! implicit hitting set problem (Reiter's diagnosis, 1987; Liffiton's MARCO): a set of changes that does not repair is grown until nothing can be added, and
//! whatever repairs must contain something that is missing from it. The cheapest choice that meets all such demands is checked; if it repairs, nothing cheaper does.
//!
//! Guarantee: a repair was checked as the text that is handed out, parsed again; no cheaper set of the changes that were considered repairs; and each single
//! change is necessary, which is checked once more. What was considered is what [`steadfast_lang::sites`] offers, reduced as `slots` explains: fences between statements, not
//! inside expressions.

mod cost;
mod fix;
mod hitting;
mod oracle;
mod relax;
mod slots;

pub use cost::Target;
pub use fix::{Fixed, fix};
pub use oracle::{Judged, Stop, Watcher};
pub use relax::{Relaxed, relax};
pub use slots::{Choice, Slot};

use oracle::Oracle;
use std::str::FromStr;
use steadfast_lang::{Dialect, Edit, Form};
use steadfast_robust::{Model, Options};
use steadfast_span::{SourceFile, Span};

/// Which kinds of changes may be made.
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

    /// What either allows.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self {
            fences: self.fences || other.fences,
            orderings: self.orderings || other.orderings,
            rmw: self.rmw || other.rmw,
        }
    }

    /// The names of what is allowed.
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

/// What is to be repaired or relaxed.
#[derive(Clone, Copy)]
pub struct Task<'a> {
    /// The text. It must hold a program without errors.
    pub file: &'a SourceFile,
    /// Its language.
    pub dialect: Dialect,
    /// The question that is asked about every candidate. A time limit is for all of them together, other limits for each. Its fences must not count by the
    /// letter: that would not be monotone.
    pub options: &'a Options<'a>,
    /// Whose costs count.
    pub target: Target,
    /// Which changes may be made.
    pub allowed: Allowed,
    /// Is told how it is getting on.
    pub watcher: Option<Watcher<'a>>,
}

/// One change.
#[derive(Clone, Debug)]
pub struct Change {
    /// Where; empty for a place between two statements.
    pub span: Span,
    /// What stood there.
    pub from: Form,
    /// What is to stand there.
    pub to: Form,
    /// What it costs, or what it saves.
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

    fn oracle(&self) -> Oracle<'a> {
        Oracle::new(self.context(), self.options, self.watcher)
    }
}

/// The machine on which a model is mostly met.
pub fn usual_target(model: Model) -> Target {
    match model {
        Model::Tso => Target::X86,
        Model::Ra | Model::Sra | Model::Rc20 | Model::Rc11 => Target::Armv8,
    }
}

/// What the fences and accesses of a text cost on a machine, each counted once. Plain accesses and locks are not counted.
pub fn static_cost(file: &SourceFile, dialect: Dialect, target: Target) -> u32 {
    steadfast_lang::sites(file, dialect).iter().map(|site| target.form(site.now)).sum()
}
