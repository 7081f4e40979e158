//! A step of the program as a monitor sees it.

use steadfast_ir::{FenceOrder, Value};

/// The kind of an access. An *observing* read is one that happens only for certain values: a wait, or a CAS that fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum EventKind {
    /// An ordinary load.
    Read,
    /// A wait or a failed CAS.
    ObservingRead,
    /// An ordinary store.
    Write,
    /// A successful read-modify-write.
    Update,
    /// A load of a non-atomic location.
    PlainRead,
    /// A store to a non-atomic location.
    PlainWrite,
    /// A `seq_cst` fence that is a step of its own, in models where it is an update of a ghost location.
    ScFence,
}

/// One access as the monitors see it, with the orderings that the model gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(clippy::struct_excessive_bools, reason = "they are independent properties")]
pub(crate) struct Event {
    /// The kind of access.
    pub kind: EventKind,
    /// The location's number (the ghost location's for [`EventKind::ScFence`]).
    pub loc: u16,
    /// Whether its read half acquires.
    pub acquire: bool,
    /// Whether its write half releases.
    pub release: bool,
    /// Whether it takes part in the order of `seq_cst` accesses.
    pub seq_cst: bool,
    /// Where stores are buffered: whether it waits until its thread's buffer is empty.
    pub locked: bool,
}

impl Event {
    /// Whether it reads an atomic location.
    pub(crate) fn reads(self) -> bool {
        matches!(self.kind, EventKind::Read | EventKind::ObservingRead | EventKind::Update | EventKind::ScFence)
    }
    /// Whether it writes an atomic location.
    pub(crate) fn writes(self) -> bool {
        matches!(self.kind, EventKind::Write | EventKind::Update | EventKind::ScFence)
    }
    /// Whether it is a non-atomic access.
    pub(crate) fn is_plain(self) -> bool {
        matches!(self.kind, EventKind::PlainRead | EventKind::PlainWrite)
    }
}

/// A sequence of fences in normal form. Fences only move knowledge within a thread, so they commute with all steps of other threads, and are carried out with the access before them. As operations
/// on the views (acquire, current, release), every sequence equals one of these.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Fences {
    /// None.
    #[default]
    None,
    /// Acquire.
    Acquire,
    /// Release.
    Release,
    /// Acquire, then release.
    AcquireRelease,
    /// Release, then acquire.
    ReleaseAcquire,
    /// Any sequence with a (primitive) `seq_cst` fence in it.
    SeqCst,
}

impl Fences {
    /// This sequence, followed by one more fence. `acq_rel` is acquire, then release.
    #[must_use]
    pub(crate) fn then(self, order: FenceOrder) -> Self {
        match order {
            FenceOrder::SeqCst => Self::SeqCst,
            FenceOrder::AcqRel => self.then(FenceOrder::Acquire).then(FenceOrder::Release),
            FenceOrder::Acquire => match self {
                Self::None | Self::Acquire => Self::Acquire,
                Self::Release | Self::ReleaseAcquire => Self::ReleaseAcquire,
                Self::AcquireRelease => Self::AcquireRelease,
                Self::SeqCst => Self::SeqCst,
            },
            FenceOrder::Release => match self {
                Self::None | Self::Release => Self::Release,
                Self::Acquire | Self::AcquireRelease | Self::ReleaseAcquire => Self::AcquireRelease,
                Self::SeqCst => Self::SeqCst,
            },
        }
    }

    /// The fences of the sequence, in order.
    pub(crate) fn steps(self) -> &'static [FenceOrder] {
        match self {
            Self::None => &[],
            Self::Acquire => &[FenceOrder::Acquire],
            Self::Release => &[FenceOrder::Release],
            Self::AcquireRelease => &[FenceOrder::Acquire, FenceOrder::Release],
            Self::ReleaseAcquire => &[FenceOrder::Release, FenceOrder::Acquire],
            Self::SeqCst => &[FenceOrder::SeqCst],
        }
    }
}

/// A step of one thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Transition {
    /// The local state before the step.
    pub source: u32,
    /// The value of the location before the step.
    pub old: Value,
    /// What the monitors see.
    pub event: Event,
    /// The value written, if any.
    pub written: Option<Value>,
    /// The local state after the step.
    pub next: u32,
    /// The fences between this access and the next.
    pub fences: Fences,
    /// The number of this transition among those for (source, old), for replaying it.
    pub choice: u32,
}
