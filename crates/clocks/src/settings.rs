//! What a run is checked against, and how much is remembered.

/// The memory model: what `seq_cst` means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Model {
    /// RC20 with psc′ for `seq_cst` accesses; a `seq_cst` fence is `fence(acq); FADD(f, 0, acq_rel); fence(rel)`.
    Rc20,
    /// RC20 with psc′ for `seq_cst` accesses and RC11's condition on `seq_cst` fences. No report means something for real compilers.
    #[default]
    Rc11,
    /// RC20 where `seq_cst` means no more than acquire and release.
    AcqRel,
}

impl Model {
    /// Whether `seq_cst` accesses are ordered among each other.
    pub(crate) fn orders_accesses(self) -> bool {
        self != Self::AcqRel
    }

    /// Whether `seq_cst` fences of all threads share an [`ScFence`](crate::ScFence). If not, nobody needs to lock it.
    pub fn shares_fences(self) -> bool {
        self == Self::Rc20
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
    pub model: Model,
    /// How much is remembered.
    pub limits: Limits,
}

impl Settings {
    /// The given model with the usual limits.
    pub fn of(model: Model) -> Self {
        Self { model, ..Self::default() }
    }
}
