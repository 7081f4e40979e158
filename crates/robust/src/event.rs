//! What a monitor sees of a step.

use steadfast_ir::{FenceOrder, Value};

/// What kind of access a step is. An *observing* read is one that only happens for certain values: a wait, or a CAS that fails.
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
    /// A `seq_cst` fence that is a step of its own (models that encode it as an update of a ghost location).
    ScFence,
}

/// One access as the monitors see it, with the orderings that the model gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(clippy::struct_excessive_bools, reason = "they are independent properties")]
pub(crate) struct Event {
    /// What it is.
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

/// A sequence of fences in normal form. Fences only move knowledge inside a thread, so they commute with all other threads and are
/// carried out together with the access before them. As operations on the views (acquire, current, release) every sequence equals one of these.
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
    /// This sequence with one more fence behind it. `acq_rel` is acquire, then release.
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

    /// The single fences that make it up, in order.
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

/// A step of one thread: an access, what it writes, where the thread is then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Transition {
    /// The local state that it starts from.
    pub source: u32,
    /// The value of the location before.
    pub old: Value,
    /// What the monitors see.
    pub event: Event,
    /// What is written, if anything.
    pub written: Option<Value>,
    /// The local state that it leads to.
    pub next: u32,
    /// The fences between this access and the next.
    pub fences: Fences,
    /// Which of the transitions for (source, old) this is; replay needs it.
    pub choice: u32,
}
