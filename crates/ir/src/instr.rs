//! Instructions.

use crate::{Expr, FenceOrder, LocId, Pc, ReadOrder, RegId, RmwOrder, WriteOrder};
use steadfast_span::Span;

/// An instruction with its source text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Instruction {
    /// What it does.
    pub op: Instr,
    /// Its place in the source.
    pub span: Span,
}

/// A location, or a cell of an array.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// One location.
    Fixed(LocId),
    /// The location `base + index`, where `0 ≤ index < len`.
    Element {
        /// The first cell of the array.
        base: LocId,
        /// The number of cells.
        len: u32,
        /// The index of the cell.
        index: Expr,
    },
}

impl From<LocId> for Place {
    fn from(loc: LocId) -> Self {
        Self::Fixed(loc)
    }
}

/// One step of a thread. Instructions without an explicit target continue with the next one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Instr {
    /// `dst := value`
    Assign {
        /// The register written.
        dst: RegId,
        /// Its new value, reduced to the register's range.
        value: Expr,
    },
    /// Continues elsewhere.
    Jump(Pc),
    /// Continues at one of two positions.
    Branch {
        /// Non-zero takes `then`.
        cond: Expr,
        /// The position if it holds.
        then: Pc,
        /// The position if it does not.
        otherwise: Pc,
    },
    /// Continues at any of these positions.
    Choose(Vec<Pc>),
    /// If the condition is zero, the thread stops here for ever, without an error.
    Assume(Expr),
    /// If the condition is zero, the program fails.
    Assert(Expr),
    /// If the condition is zero, the run leaves the bounds of the representation, and nothing is known about what follows.
    Bound {
        /// Non-zero as long as the run stays within the bounds.
        within: Expr,
        /// The bounds, as a clause: `a value leaves 0 to 16`.
        bound: String,
    },
    /// With true, no other thread runs from here on; with false, they run again. Takes effect together with the access before it. Code is either
    /// always or never run in such a section.
    Exclusive(bool),
    /// Marks the register as observed, for observational robustness. It has no other effect.
    Observe(RegId),
    /// An atomic load.
    Load {
        /// Receives the value.
        dst: RegId,
        /// The place that is read.
        place: Place,
        /// Its ordering.
        order: ReadOrder,
    },
    /// An atomic store.
    Store {
        /// The place that is written.
        place: Place,
        /// The new value.
        value: Expr,
        /// Its ordering.
        order: WriteOrder,
    },
    /// A load of a plain (non-atomic) location. A race with a write is an error of the program.
    PlainLoad {
        /// Receives the value.
        dst: RegId,
        /// The place that is read.
        place: Place,
    },
    /// A store to a plain (non-atomic) location. A race with any access is an error of the program.
    PlainStore {
        /// The place that is written.
        place: Place,
        /// The new value.
        value: Expr,
    },
    /// An unconditional read-modify-write: `dst := *place; *place := update`.
    Rmw {
        /// Receives the old value, if given.
        dst: Option<RegId>,
        /// The place that is updated.
        place: Place,
        /// The new value; [`Expr::Old`] is the value that was read. Registers have their values from *before* the instruction.
        update: Expr,
        /// Its ordering.
        order: RmwOrder,
    },
    /// A compare-and-swap: an RMW if the place holds `expected`, else a read.
    Cas {
        /// Receives the old value, if given.
        dst: Option<RegId>,
        /// The place that is updated.
        place: Place,
        /// The expected value, which is reduced to the place's range and compared with the old value.
        expected: Expr,
        /// The new value, if it succeeds.
        new: Expr,
        /// The ordering on success.
        success: RmwOrder,
        /// The ordering of the read on failure.
        failure: ReadOrder,
        /// Whether it fails whatever it finds, as a weak CAS may.
        spurious: bool,
    },
    /// A compare-and-swap that blocks until it can succeed.
    BlockingCas {
        /// The place that is updated.
        place: Place,
        /// The value that it waits for.
        expected: Expr,
        /// The new value.
        new: Expr,
        /// Its ordering.
        order: RmwOrder,
    },
    /// Blocks until the place holds one of the values, then reads it.
    Wait {
        /// Receives the value, if given.
        dst: Option<RegId>,
        /// The place that is read.
        place: Place,
        /// The values that it waits for.
        values: Vec<Expr>,
        /// Its ordering.
        order: ReadOrder,
    },
    /// Locks a mutex: a blocking CAS from 0 to 1, acquire.
    Lock(Place),
    /// Unlocks a mutex: a store of 0, release.
    Unlock(Place),
    /// A fence.
    Fence(FenceOrder),
    /// The thread ends.
    Halt,
}
