//! The names of the consistency models.

use crate::template::Level;
use std::fmt;
use std::str::FromStr;
use steadfast_model::{Unsupported, supported};

/// What a database promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Model {
    /// Weak causal consistency.
    Cc,
    /// Causal convergence: replicas that have seen the same transactions agree.
    Ccv,
    /// Causal memory: replicas may disagree for ever about the order of concurrent writes.
    Cm,
    /// READ COMMITTED with several versions: every statement reads what is committed when it begins.
    Rc,
    /// Snapshot isolation, which PostgreSQL calls REPEATABLE READ.
    Si,
    /// Serializable snapshot isolation, which PostgreSQL calls SERIALIZABLE.
    Ssi,
}

supported! {
    /// A model that is decided for programs, exactly.
    pub enum ProgramModel: Model in "the decision for programs" { Cc, Ccv, Cm, Si }
}

impl Model {
    /// All models, in the order in which help texts list them.
    pub const ALL: [Self; 6] = [Self::Cc, Self::Ccv, Self::Cm, Self::Rc, Self::Si, Self::Ssi];

    /// The name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cc => "cc",
            Self::Ccv => "ccv",
            Self::Cm => "cm",
            Self::Rc => "rc",
            Self::Si => "si",
            Self::Ssi => "ssi",
        }
    }

    /// The name in a sentence.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Cc => "weak causal consistency",
            Self::Ccv => "causal convergence",
            Self::Cm => "causal memory",
            Self::Rc => "READ COMMITTED",
            Self::Si => "snapshot isolation",
            Self::Ssi => "serializable snapshot isolation",
        }
    }

    /// The isolation level that promises this, for a transaction of a template; the causal models are not levels.
    pub const fn level(self) -> Option<Level> {
        match self {
            Self::Cc | Self::Ccv | Self::Cm => None,
            Self::Rc => Some(Level::Rc),
            Self::Si => Some(Level::Si),
            Self::Ssi => Some(Level::Ssi),
        }
    }
}

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Model {
    type Err = Unsupported;

    fn from_str(name: &str) -> Result<Self, Unsupported> {
        let known = || Self::ALL.into_iter();
        known().find(|model| model.name() == name).ok_or_else(|| Unsupported::unknown(name, known().map(Self::name)))
    }
}
