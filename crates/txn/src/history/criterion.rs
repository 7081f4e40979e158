//! What a history can satisfy.

use std::fmt;
use std::str::FromStr;

/// A promise of a database about its histories.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Criterion {
    /// Weak causal consistency.
    Cc,
    /// Causal convergence.
    Ccv,
    /// Causal memory.
    Cm,
    /// Snapshot isolation.
    Si,
    /// Serializability.
    Ser,
}

/// A name that is not the name of a criterion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownCriterion(pub String);

impl Criterion {
    /// All of them, the weakest first.
    pub const ALL: [Self; 5] = [Self::Cc, Self::Ccv, Self::Cm, Self::Si, Self::Ser];

    /// The name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cc => "cc",
            Self::Ccv => "ccv",
            Self::Cm => "cm",
            Self::Si => "si",
            Self::Ser => "ser",
        }
    }
}

impl fmt::Display for Criterion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Criterion {
    type Err = UnknownCriterion;

    fn from_str(name: &str) -> Result<Self, UnknownCriterion> {
        Self::ALL.into_iter().find(|one| one.name() == name).ok_or_else(|| UnknownCriterion(name.to_owned()))
    }
}

impl fmt::Display for UnknownCriterion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "histories are not checked against `{}`, but against cc, ccv, cm, si and ser", self.0.escape_debug())
    }
}

impl std::error::Error for UnknownCriterion {}
