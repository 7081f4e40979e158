//! What a run is checked against, and how much is remembered.

use steadfast_model::{Model, supported};

supported! {
    /// A memory model for running programs.
    #[derive(Default)]
    pub enum Supported: Model in "the sanitizer" {
        /// The default. Without a report, the run means the same on real compilers.
        #[default]
        Rc11,
        Rc20,
        AcqRel,
    }
}

impl Supported {
    /// Whether `seq_cst` accesses are ordered among each other.
    pub(crate) fn orders_accesses(self) -> bool {
        self != Self::AcqRel
    }

    /// Whether `seq_cst` fences of all threads share an [`ScFence`](crate::ScFence). If not, nobody needs to lock it.
    pub fn shares_fences(self) -> bool {
        self.fences_are_updates()
    }
}

/// How much is remembered per location. What is forgotten can hide a violation and never invents one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Limits {
    /// How many of the newest writes are kept; rounded up to a power of two.
    pub writes: usize,
    /// How many observations are kept for each thread that reads without synchronising.
    pub observations: usize,
}

impl Limits {
    /// Nothing is forgotten. Memory then grows with the run.
    pub const UNBOUNDED: Self = Self { writes: 1 << 40, observations: usize::MAX };
}

impl Default for Limits {
    fn default() -> Self {
        Self { writes: 8, observations: 8 }
    }
}

/// The settings of a run. All threads and locations of a run have the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Settings {
    /// The memory model.
    pub model: Supported,
    /// How much is remembered.
    pub limits: Limits,
}

impl Settings {
    /// The given model with the usual limits.
    pub fn of(model: Supported) -> Self {
        Self { model, ..Self::default() }
    }
}
