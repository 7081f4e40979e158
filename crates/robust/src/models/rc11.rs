//! RC20 with `seq_cst` accesses (psc′) and *primitive* `seq_cst` fences (RC11's `psc_F)`: "robust" is sound for RC11, also with fences.
//!
//! Ours; no paper has it. The fields are those of `rc20.rs`, and: F (what the `seq_cst` fences before this point order) and X (what the next one
//! would add), each in the variants current, acquire, release and per location, propagated like V; then, per location, what its accesses (MF) and
//! its newest write (WF) have made known. In terms of clocks: an access of x does X ⊔= MF(x) if it writes and WF(x) if it only reads; then
//! MF(x) ⊔= F; a write then sets WF(x) := MF(x). A `seq_cst` fence, between its acquire and its release part: F ⊔= V^c ⊔ X. An access may take a write only
//! if neither V^c nor F (nor V^p, if it is `seq_cst`) forbids it. A cell here is the *complement* of a clock: on means "not known".

use super::rc20::seq_cst_access;
use super::{Axis, Cells, MemoryModel, Rc20, Shape};
use crate::event::{Event, EventKind};
use steadfast_ir::FenceOrder;

const CURRENT: usize = 0;
const SC_FIELDS: [usize; 3] = [4, 5, 6];
/// F: current, acquire, release, write.
const F: [usize; 4] = [7, 8, 9, 10];
/// X: current, acquire, release, write.
const X: [usize; 4] = [11, 12, 13, 14];
const BY_ACCESS: usize = 15;
const BY_WRITE: usize = 16;

/// RC20 with RC11's fences.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rc11;

const BASE: Rc20 = Rc20 { seq_cst: false };

impl MemoryModel for Rc11 {
    fn fields(&self) -> &'static [Axis] {
        use Axis::{Location, Thread};
        &[
            Thread, Thread, Thread, Location, // V
            Thread, Location, Location, // psc′
            Thread, Thread, Thread, Location, // F
            Thread, Thread, Thread, Location, // X
            Location, Location, // MF, WF
        ]
    }

    fn overwritten<C: Cells>(&self, cells: &mut C, shape: Shape, lanes: C::Cell, actor: usize, event: Event) {
        Rc20 { seq_cst: true }.overwritten(cells, shape, lanes, actor, event);
        for (field, &axis) in self.fields().iter().enumerate().skip(F[0]) {
            (0..shape.len(axis)).for_each(|index| cells.join(field, index, lanes));
        }
    }

    #[inline]
    fn access<C: Cells>(&self, cells: &mut C, actor: usize, event: Event, here: C::Cell) {
        if event.is_plain() {
            return;
        }
        BASE.access(cells, actor, event, here);
        seq_cst_access(cells, SC_FIELDS, actor, event, here);
        let loc = event.loc as usize;
        if event.reads() {
            for [current, acquire, _, write] in [F, X] {
                let learned = cells.get(write, loc);
                cells.meet(acquire, actor, learned);
                if event.acquire {
                    cells.meet(current, actor, learned);
                }
            }
        }
        let order = cells.get(if event.writes() { BY_ACCESS } else { BY_WRITE }, loc);
        cells.meet(X[0], actor, order);
        cells.meet(X[1], actor, order);
        cells.meet(BY_ACCESS, loc, cells.get(F[0], actor));
        if event.writes() {
            cells.set(BY_WRITE, loc, cells.get(BY_ACCESS, loc));
            for [current, _, release, write] in [F, X] {
                let published = cells.get(if event.release { current } else { release }, actor);
                match event.kind {
                    EventKind::Write => cells.set(write, loc, published),
                    _ => cells.meet(write, loc, published),
                }
            }
        }
    }

    #[inline]
    fn fence<C: Cells>(&self, cells: &mut C, actor: usize, order: FenceOrder) {
        if order.is_acquire() {
            BASE.fence(cells, actor, FenceOrder::Acquire);
            for [current, acquire, ..] in [F, X] {
                cells.set(current, actor, cells.get(acquire, actor));
            }
        }
        if order == FenceOrder::SeqCst {
            let ordered = cells.get(F[0], actor) & cells.get(CURRENT, actor) & cells.get(X[0], actor);
            cells.set(F[0], actor, ordered);
            cells.set(F[1], actor, ordered);
        }
        if order.is_release() {
            BASE.fence(cells, actor, FenceOrder::Release);
            for [current, _, release, _] in [F, X] {
                cells.set(release, actor, cells.get(current, actor));
            }
        }
    }

    #[inline]
    fn open<C: Cells>(&self, cells: &C, actor: usize, strict: bool) -> C::Cell {
        let open = cells.get(CURRENT, actor) & cells.get(F[0], actor);
        if strict { open & cells.get(SC_FIELDS[0], actor) } else { open }
    }

    /// What fences order is not happens-before.
    #[inline]
    fn unordered<C: Cells>(&self, cells: &C, actor: usize) -> C::Cell {
        cells.get(CURRENT, actor)
    }
}
