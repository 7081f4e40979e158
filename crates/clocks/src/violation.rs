//! What is reported.

use crate::{Epoch, Place, Slot};

/// A write that a location remembers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "each is a property of its own")]
pub struct WriteRecord {
    /// Its number in the modification order of the location; 0 is the initial value.
    pub number: u64,
    /// Who wrote, or nothing for the initial value.
    pub slot: Option<Slot>,
    /// When.
    pub epoch: Epoch,
    /// What.
    pub value: u128,
    /// Where in the program.
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

/// What the access could do on a weak machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ViolationKind {
    /// It reads a value that was overwritten.
    StaleRead,
    /// It goes unnoticed behind a write that came before.
    OvertakenWrite,
    /// It updates a value that was overwritten, without the overwriting write in between.
    StaleUpdate,
}

/// Which ordering is missing, as far as that can be told from one run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Missing {
    /// Acquire, in the thread that makes the access: an acquire fence before it would do.
    Acquire,
    /// Release in another thread, or `seq_cst`.
    ReleaseOrSeqCst,
}

/// An access that need not behave as under sequential consistency.
///
/// Under SC the access comes after the write `known`, in every run with the same past. The memory model allows it to take `stale` instead, and not to see or
/// to come before `missed`, the next write after that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Violation {
    /// What the access could do.
    pub kind: ViolationKind,
    /// The write that the access could read from or come directly after. Nothing if it was forgotten.
    pub stale: Option<WriteRecord>,
    /// The first write that the access would not know of.
    pub missed: WriteRecord,
    /// The newest write that comes before the access under SC.
    pub known: WriteRecord,
    /// What is missing.
    pub missing: Missing,
}
