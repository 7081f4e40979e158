//! The kinds of violations.

use crate::named;

named! {
    /// What is wrong with a program, or with one run of it. The names are those of the JSON formats and of the runtime's reports.
    pub enum ViolationKind ["violation", "violations"] {
        /// A read can take a write that, under SC, it must know to be overwritten.
        StaleRead = "stale-read",
        /// A write or update can be ordered before a write that, under SC, it must come after.
        OvertakingWrite = "overtaking-write",
        /// A read-modify-write can take a write that is overwritten, and be ordered before the overwriting write. The sanitizer tells this from
        /// [`OvertakingWrite`](Self::OvertakingWrite); the checker does not.
        StaleUpdate = "stale-update",
        /// A read goes wrong (as in `StaleRead`), and something depends on its value.
        ObservedStaleRead = "observed-stale-read",
        /// Two accesses of a plain location are not ordered.
        Race = "race",
        /// A load may come before a write, while an earlier store of its thread is still in the buffer.
        TriangularRace = "triangular-race",
        /// All threads wait.
        Deadlock = "deadlock",
        /// An assertion fails under SC.
        Assertion = "assertion",
        /// An expression has no value under SC.
        Evaluation = "evaluation",
    }
}

impl ViolationKind {
    /// Whether it takes weak memory to see it.
    pub const fn is_weak(self) -> bool {
        match self {
            Self::StaleRead
            | Self::OvertakingWrite
            | Self::StaleUpdate
            | Self::ObservedStaleRead
            | Self::TriangularRace => true,
            Self::Race | Self::Deadlock | Self::Assertion | Self::Evaluation => false,
        }
    }
}
