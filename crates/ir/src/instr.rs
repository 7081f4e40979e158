//! Instructions.

use crate::{Expr, FenceOrder, LocId, Pc, ReadOrder, RegId, RmwOrder, WriteOrder};
use steadfast_span::Span;

/// An instruction with the source text it came from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Instruction {
    /// What it does.
    pub op: Instr,
    /// Where it was written.
    pub span: Span,
}

/// A location, or a cell of a block of locations chosen by an index.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// One location.
    Fixed(LocId),
    /// The location `base + index`, where `0 ≤ index < len`.
    Element {
        /// The first cell of the array.
        base: LocId,
        /// How many cells there are.
        len: u32,
        /// Which cell.
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
    /// Continue elsewhere.
    Jump(Pc),
    /// Continue at one of two places.
    Branch {
        /// Non-zero takes `then`.
        cond: Expr,
        /// Where to go if it holds.
        then: Pc,
        /// Where to go if it does not.
        otherwise: Pc,
    },
    /// Continue at any of these places.
    Choose(Vec<Pc>),
    /// If the condition is zero, the thread stops here for good, without an error.
    Assume(Expr),
    /// If the condition is zero, the program is wrong.
    Assert(Expr),
    /// If the condition is zero, the run leaves the bounds within which the program is represented, and nothing is known about what follows.
    Bound {
        /// Non-zero as long as the run stays within them.
        within: Expr,
        /// Which bounds, as a clause: `a value leaves 0 to 16`.
        bound: String,
    },
    /// True: from here on no other thread runs. False: they do again. Takes effect together with the access before it. Code is either
    /// always or never run in such a section.
    Exclusive(bool),
    /// Marks the register as observed (for observational robustness); does nothing else.
    Observe(RegId),
    /// An atomic load.
    Load {
        /// Receives the value.
        dst: RegId,
        /// What is read.
        place: Place,
        /// How.
        order: ReadOrder,
    },
    /// An atomic store.
    Store {
        /// What is written.
        place: Place,
        /// The new value.
        value: Expr,
        /// How.
        order: WriteOrder,
    },
    /// A load of a plain (non-atomic) location; racing with a write is an error of the program.
    PlainLoad {
        /// Receives the value.
        dst: RegId,
        /// What is read.
        place: Place,
    },
    /// A store to a plain (non-atomic) location; racing with any access is an error of the program.
    PlainStore {
        /// What is written.
        place: Place,
        /// The new value.
        value: Expr,
    },
    /// An unconditional read-modify-write: `dst := *place; *place := update`.
    Rmw {
        /// Receives the old value, if anybody wants it.
        dst: Option<RegId>,
        /// What is updated.
        place: Place,
        /// The new value; [`Expr::Old`] is the value that was read. Registers have their values from *before* the instruction.
        update: Expr,
        /// How.
        order: RmwOrder,
    },
    /// A compare-and-swap: an RMW if the place holds `expected`, else a read.
    Cas {
        /// Receives the old value, if anybody wants it.
        dst: Option<RegId>,
        /// What is updated.
        place: Place,
        /// Compared with the old value after reduction to the place's range.
        expected: Expr,
        /// Written on success.
        new: Expr,
        /// The ordering on success.
        success: RmwOrder,
        /// The ordering of the read on failure.
        failure: ReadOrder,
        /// It fails without a reason, whatever it finds: what a weak CAS may do instead of trying.
        spurious: bool,
    },
    /// A compare-and-swap that blocks until it can succeed.
    BlockingCas {
        /// What is updated.
        place: Place,
        /// The value waited for.
        expected: Expr,
        /// Written when it is there.
        new: Expr,
        /// How.
        order: RmwOrder,
    },
    /// Blocks until the place holds one of the values, then reads it.
    Wait {
        /// Receives the value, if anybody wants it.
        dst: Option<RegId>,
        /// What is read.
        place: Place,
        /// The values waited for.
        values: Vec<Expr>,
        /// How.
        order: ReadOrder,
    },
    /// Takes a lock: a blocking CAS from 0 to 1, acquire.
    Lock(Place),
    /// Gives a lock back: a store of 0, release.
    Unlock(Place),
    /// A fence.
    Fence(FenceOrder),
    /// The thread ends.
    Halt,
}
