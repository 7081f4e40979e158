//! RC20 (POPL'21, section 5) with `seq_cst` accesses.
//!
//! Fields: the paper's views V^c (current), V^a (what an acquire fence would make current), V^r (what a release fence last published) per
//! thread, V^w per location; the RMW variants are a flag of the stale write, as in `ra.rs`. Then V^p, W^p and M^p for `seq_cst` accesses.
//!
//! Deviations from the paper:
//! 1. Algorithm 2, line 5 prints `V^w_RMW(x`, x) where `V^w_RMW(x`, y) is meant.
//! 2. `seq_cst` accesses, which RC20 does not have, follow psc′: the restriction of po ∪ rf ∪ mo ∪ fr to `seq_cst` accesses is acyclic. Ours; without
//!    `seq_cst` fences it is sound for RC11.
//! 3. A `seq_cst` fence is the paper's acquire fence, update of a ghost location, release fence; the order of the ghost location does not count as
//!    something that a program could observe, unless asked for.

use super::{Axis, Cells, MemoryModel, Shape};
use crate::event::{Event, EventKind};
use steadfast_ir::{FenceOrder, Program, dataflow};

const CURRENT: usize = 0;
const ACQUIRE: usize = 1;
const RELEASE: usize = 2;
const WRITE: usize = 3;
const SC_THREAD: usize = 4;
const SC_WRITE: usize = 5;
const SC_ACCESS: usize = 6;

/// RC20.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rc20 {
    /// Whether there are `seq_cst` accesses to follow.
    pub seq_cst: bool,
}

impl MemoryModel for Rc20 {
    fn fields(&self) -> &'static [Axis] {
        use Axis::{Location, Thread};
        let all = &[Thread, Thread, Thread, Location, Thread, Location, Location];
        if self.seq_cst { all } else { &all[..4] }
    }

    fn overwritten<C: Cells>(&self, cells: &mut C, shape: Shape, lanes: C::Cell, actor: usize, event: Event) {
        for thread in 0..shape.threads {
            cells.join(RELEASE, thread, lanes);
            if thread != actor {
                cells.join(CURRENT, thread, lanes);
                cells.join(ACQUIRE, thread, lanes);
            }
            if self.seq_cst && (thread != actor || !event.seq_cst) {
                cells.join(SC_THREAD, thread, lanes);
            }
        }
        for loc in 0..shape.locations {
            let same = !event.is_plain() && loc == event.loc as usize;
            if !same {
                cells.join(WRITE, loc, lanes);
            }
            if self.seq_cst && (!same || !event.seq_cst) {
                cells.join(SC_WRITE, loc, lanes);
                cells.join(SC_ACCESS, loc, lanes);
            }
        }
    }

    #[inline]
    fn access<C: Cells>(&self, cells: &mut C, actor: usize, event: Event, here: C::Cell) {
        if event.is_plain() {
            return;
        }
        let loc = event.loc as usize;
        if event.kind == EventKind::ScFence {
            self.fence(cells, actor, FenceOrder::Acquire);
        }
        cells.meet(CURRENT, actor, !here);
        cells.meet(ACQUIRE, actor, !here);
        if event.reads() {
            let learned = cells.get(WRITE, loc);
            cells.meet(ACQUIRE, actor, learned);
            if event.acquire {
                cells.meet(CURRENT, actor, learned);
            }
        }
        if event.writes() {
            let published = cells.get(if event.release { CURRENT } else { RELEASE }, actor) & !here;
            match event.kind {
                EventKind::Write => cells.set(WRITE, loc, published),
                _ => cells.meet(WRITE, loc, published),
            }
        }
        if self.seq_cst {
            seq_cst_access(cells, [SC_THREAD, SC_WRITE, SC_ACCESS], actor, event, here);
        }
        if event.kind == EventKind::ScFence {
            self.fence(cells, actor, FenceOrder::Release);
        }
    }

    #[inline]
    fn fence<C: Cells>(&self, cells: &mut C, actor: usize, order: FenceOrder) {
        if order.is_acquire() {
            cells.set(CURRENT, actor, cells.get(ACQUIRE, actor));
        }
        if order.is_release() {
            cells.set(RELEASE, actor, cells.get(CURRENT, actor));
        }
    }

    #[inline]
    fn open<C: Cells>(&self, cells: &C, actor: usize, strict: bool) -> C::Cell {
        let current = cells.get(CURRENT, actor);
        if strict && self.seq_cst { current & cells.get(SC_THREAD, actor) } else { current }
    }
}

/// The psc′ part, shared with RC11. `fields` are V^p, W^p and M^p.
pub(super) fn seq_cst_access<C: Cells>(cells: &mut C, fields: [usize; 3], actor: usize, event: Event, here: C::Cell) {
    let [of_thread, of_write, of_access] = fields;
    let loc = event.loc as usize;
    if event.seq_cst {
        let learned = cells.get(if event.writes() { of_access } else { of_write }, loc);
        cells.meet(of_thread, actor, learned);
        if event.writes() {
            cells.meet(of_thread, actor, !here);
            let known = cells.get(of_thread, actor);
            cells.set(of_access, loc, known);
            cells.set(of_write, loc, known);
        } else {
            cells.meet(of_access, loc, cells.get(of_thread, actor));
        }
    } else if event.writes() {
        // A later seq_cst access that reads this write learns nothing through it. Lanes without an overwritten write have no thread that
        // could take it, so their bits here are harmless.
        let before = cells.get(of_write, loc);
        cells.set(of_write, loc, before | !before);
    }
}

/// Whether some access of the program is `seq_cst`.
pub(super) fn has_seq_cst(program: &Program) -> bool {
    let mut code = program.threads.iter().flat_map(|thread| &thread.code);
    code.any(|instruction| dataflow::is_seq_cst_access(&instruction.op))
}
