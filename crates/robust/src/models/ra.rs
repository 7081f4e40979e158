//! Release/acquire (PLDI'19, figures 5 and 6) and strong release/acquire.
//!
//! Fields: V (per thread: it may still take the write) and W (per location: so may whoever learns from the newest write of that location). The paper's `V_RMW`
//! and `W_RMW` hold the same bits for writes that were overwritten by a plain write and nothing for the others, so one flag per
//! stale write (or lane) replaces them.
//!
//! SRA (ours, tested against its definition): the same views; only reads can violate.

use super::{Axis, Cells, MemoryModel, Shape};
use crate::event::{Event, EventKind};
use steadfast_ir::FenceOrder;

const V: usize = 0;
const W: usize = 1;

/// RA, or SRA if writes cannot violate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ra {
    /// Whether this is SRA.
    pub strong: bool,
}

impl MemoryModel for Ra {
    fn fields(&self) -> &'static [Axis] {
        &[Axis::Thread, Axis::Location]
    }

    fn overwritten<C: Cells>(&self, cells: &mut C, shape: Shape, lanes: C::Cell, actor: usize, event: Event) {
        (0..shape.threads).filter(|&thread| thread != actor).for_each(|thread| cells.join(V, thread, lanes));
        let elsewhere = |&loc: &usize| event.is_plain() || loc != event.loc as usize;
        (0..shape.locations).filter(elsewhere).for_each(|loc| cells.join(W, loc, lanes));
    }

    #[inline]
    fn access<C: Cells>(&self, cells: &mut C, actor: usize, event: Event, here: C::Cell) {
        let loc = event.loc as usize;
        match event.kind {
            EventKind::PlainRead | EventKind::PlainWrite => {}
            EventKind::Read | EventKind::ObservingRead => cells.meet(V, actor, cells.get(W, loc)),
            EventKind::Write => {
                cells.meet(V, actor, !here);
                cells.set(W, loc, cells.get(V, actor));
            }
            EventKind::Update | EventKind::ScFence => {
                let both = cells.get(V, actor) & cells.get(W, loc) & !here;
                cells.set(V, actor, both);
                cells.set(W, loc, both);
            }
        }
    }

    fn fence<C: Cells>(&self, _: &mut C, _: usize, _: FenceOrder) {}

    #[inline]
    fn open<C: Cells>(&self, cells: &C, actor: usize, _: bool) -> C::Cell {
        cells.get(V, actor)
    }

    fn writes_violate(&self) -> bool {
        !self.strong
    }
}
