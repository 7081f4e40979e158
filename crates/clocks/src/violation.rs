//! The reports of violations.

use crate::{Epoch, Place, Slot};
use steadfast_model::ViolationKind;

/// A write that a location remembers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "each is a property of its own")]
pub struct WriteRecord {
    /// Its number in the modification order of the location; 0 is the initial value.
    pub number: u64,
    /// The slot of its thread, or nothing for the initial value.
    pub slot: Option<Slot>,
    /// Its moment.
    pub epoch: Epoch,
    /// Its value.
    pub value: u128,
    /// Its place in the program.
    pub place: Place,
    /// Whether it was a read-modify-write.
    pub update: bool,
    /// Whether it was a read-modify-write whose read half acquires.
    pub acquire: bool,
    /// Whether it was a release.
    pub release: bool,
    /// Whether it took part in the order of `seq_cst` accesses.
    pub seq_cst: bool,
}

/// The missing ordering, as far as one run shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Missing {
    /// Acquire, in the thread that makes the access. An acquire fence before it is enough.
    Acquire,
    /// Release in another thread, or `seq_cst`.
    ReleaseOrSeqCst,
}

/// An access that need not behave as under sequential consistency.
///
/// Under SC the access comes after the write `known`, in every run with the same past. The memory model allows it to take `stale` instead; it then does not see `missed`, the next write after
/// `stale`, or is ordered before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Violation {
    /// What the access could do: a stale read, an overtaking write or a stale update.
    pub kind: ViolationKind,
    /// The write that the access could read from, or be ordered directly behind. Nothing if it was forgotten.
    pub stale: Option<WriteRecord>,
    /// The first write that the access would miss.
    pub missed: WriteRecord,
    /// The newest write that comes before the access under SC.
    pub known: WriteRecord,
    /// The missing ordering.
    pub missing: Missing,
}
