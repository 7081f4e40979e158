//! The memory models, each as the rules for one overwritten write.
//!
//! By the borderline theorem (see `docs/internals/map.md`) a program is not robust iff some SC run reaches a state where the next
//! access of a thread could take an already overwritten write `w` as the one it reads from, or could be ordered right behind it, and
//! the resulting graph is not SC-consistent. So a model only has to say, for one write `w` that has been overwritten, **which threads may still take
//! it**, and how accesses and fences change that. This is a handful of bits ("cells"): one per thread or per location and field, each
//! meaning "this thread (or somebody who synchronises through this location) may not know yet that `w` was overwritten".
//!
//! The rules below are written once and run over two kinds of cells ([`Cells`]): single bits, when one stale write is followed at a time, and
//! bit vectors with a lane for every (location, value) pair, when all are followed together. For the second, sets of values are exact
//! because what a thread knows of a location is always a prefix of its modification order.
//!
//! To add a model: see `docs/internals/recipes.md`.

mod ra;
mod rc11;
mod rc20;
mod tso;

use ra::Ra;
use rc11::Rc11;
use rc20::Rc20;
use tso::Tso;

use crate::event::Event;
use crate::remaining::Remaining;
use std::ops::{BitAnd, BitOr, Not};
use steadfast_ir::{FenceOrder, Program};
use steadfast_model::{Model, supported};

supported! {
    /// A memory model that `check` decides.
    pub enum Supported: Model in "`check`" { Ra, Sra, Rc20, Rc11, Tso }
}

/// Something that is done with the rules of a model, whichever it is.
pub(crate) trait WithRules {
    type Result;
    fn with(self, rules: &impl MemoryModel) -> Self::Result;
}

impl Supported {
    /// Does something with the model's rules for a program, which has this shape.
    pub(crate) fn with_rules<W: WithRules>(self, program: &Program, shape: Shape, work: W) -> W::Result {
        match self {
            Self::Ra => work.with(&Ra { strong: false }),
            Self::Sra => work.with(&Ra { strong: true }),
            Self::Rc20 => work.with(&Rc20 { seq_cst: rc20::has_seq_cst(program) }),
            Self::Rc11 => work.with(&Rc11),
            Self::Tso => work.with(&Tso::new(shape)),
        }
    }
}

/// What a field has one cell per.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Axis {
    /// One cell per thread.
    Thread,
    /// One cell per location (the ghost location of SC fences included, if there is one).
    Location,
}

/// A cell: a bit, or a vector of bits that all change alike.
pub(crate) trait Cell: Copy + BitAnd<Output = Self> + BitOr<Output = Self> + Not<Output = Self> {}
impl<T: Copy + BitAnd<Output = T> + BitOr<Output = T> + Not<Output = T>> Cell for T {}

/// All cells of a monitor's state.
pub(crate) trait Cells {
    /// The kind of cell.
    type Cell: Cell;
    /// A cell.
    fn get(&self, field: usize, index: usize) -> Self::Cell;
    /// Changes a cell.
    fn set(&mut self, field: usize, index: usize, cell: Self::Cell);

    /// Adds bits to a cell.
    #[inline]
    fn join(&mut self, field: usize, index: usize, cell: Self::Cell) {
        self.set(field, index, self.get(field, index) | cell);
    }
    /// Removes bits from a cell.
    #[inline]
    fn meet(&mut self, field: usize, index: usize, cell: Self::Cell) {
        self.set(field, index, self.get(field, index) & cell);
    }
}

/// How many threads and locations there are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    /// Threads.
    pub threads: usize,
    /// Locations, the ghost location included.
    pub locations: usize,
}

impl Shape {
    /// How many cells a field has.
    pub(crate) fn len(self, axis: Axis) -> usize {
        match axis {
            Axis::Thread => self.threads,
            Axis::Location => self.locations,
        }
    }
}

/// A memory model.
///
/// What is no longer [open](MemoryModel::open) to a thread stays so until the next [`MemoryModel::overwritten`], and every rule is monotone in the cells: that is what makes covering sound.
pub(crate) trait MemoryModel: Sync {
    /// The fields that the model keeps.
    fn fields(&self) -> &[Axis];

    /// The newest write of `event.loc` has just been overwritten by `actor`: turn the bits of `lanes` on wherever the overwritten write may still be
    /// taken. Called after [`MemoryModel::access`] for the same event. A search for races calls it for plain accesses, whose location is nobody's.
    fn overwritten<C: Cells>(&self, cells: &mut C, shape: Shape, lanes: C::Cell, actor: usize, event: Event);

    /// `actor` carries out `event`. `here` are the lanes whose write is to the same location.
    fn access<C: Cells>(&self, cells: &mut C, actor: usize, event: Event, here: C::Cell);

    /// `actor` carries out a fence.
    fn fence<C: Cells>(&self, cells: &mut C, actor: usize, order: FenceOrder);

    /// The lanes that the next access of `actor` may still take. `strict` is what [`crate::automaton::NextAccess::strict`] says of it; other accesses may take no less.
    fn open<C: Cells>(&self, cells: &C, actor: usize, strict: bool) -> C::Cell;

    /// The lanes that happens-before does not order before the next access of `actor`: with plain accesses, those that it would race with.
    fn unordered<C: Cells>(&self, cells: &C, actor: usize) -> C::Cell {
        self.open(cells, actor, false)
    }

    /// Whether a write that is ordered into the past can be a violation. Where the modification order must agree with program order and reads-from
    /// (SRA), it cannot.
    fn writes_violate(&self) -> bool {
        true
    }

    /// Turns off what can no longer matter, if the model knows more about that than what holds for all: a thread's cells matter as long as it has accesses to come,
    /// and a location's as long as some thread with cells that are on accesses it.
    fn settle<C: Cells>(&self, _cells: &mut C, _remaining: &[Remaining]) {}
}
