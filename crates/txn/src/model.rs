//! The names of the consistency models.

use crate::template::Level;
use steadfast_model::{named, supported};

named! {
    /// What a database promises.
    pub enum Model ["model", "models"] {
        /// Weak causal consistency.
        Cc = "cc",
        /// Causal convergence: replicas that have seen the same transactions agree.
        Ccv = "ccv",
        /// Causal memory: replicas may disagree for ever about the order of concurrent writes.
        Cm = "cm",
        /// READ COMMITTED with several versions: every statement reads what is committed when it begins.
        Rc = "rc",
        /// Snapshot isolation, which PostgreSQL calls REPEATABLE READ.
        Si = "si",
        /// Serializable snapshot isolation, which PostgreSQL calls SERIALIZABLE.
        Ssi = "ssi",
    }
}

supported! {
    /// A model that is decided for programs, exactly.
    pub enum ProgramModel: Model in "the decision for programs" { Cc, Ccv, Cm, Si }
}

impl Model {
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
