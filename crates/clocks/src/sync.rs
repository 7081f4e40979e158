//! Synchronisation by other things than atomic locations: locks, thread creation and joining, and `seq_cst` fences.

use crate::clock::Clock;

/// The clock of something that synchronises like a release and an acquire: a mutex, a semaphore, the end of a thread.
///
/// See [`ThreadClocks::release`](crate::ThreadClocks::release) and [`ThreadClocks::acquire`](crate::ThreadClocks::acquire). A readers-writer lock has two: readers acquire
/// the one that writers release, writers acquire both.
#[derive(Clone, Debug, Default)]
pub struct SyncClock {
    pub(crate) current: Clock,
    pub(crate) before: Clock,
    pub(crate) fenced: Clock,
    pub(crate) pending: Clock,
}

impl SyncClock {
    /// The clock of something that was never released.
    pub fn new() -> Self {
        Self::default()
    }
}

/// What the `seq_cst` fences of all threads share under [`Supported::Rc20`](crate::Supported::Rc20): the order of the ghost location f.
#[derive(Clone, Debug, Default)]
pub struct ScFence {
    pub(crate) released: Clock,
}

impl ScFence {
    /// Before the first fence.
    pub fn new() -> Self {
        Self::default()
    }
}
