//! `V_SC`, `M_SC` and `W_SC` (PLDI'19, figure 5): which threads must, under SC, know the newest write of a location.
//!
//! For one location x: thread τ is *aware* if the newest write of x is before τ's next step in hbSC. Only then does taking an older write close a cycle. M and W say the same for the next
//! thread that writes to a location, and for the next that reads from it. A cell is a bit, or a vector with one lane per x.

use crate::event::Event;
use crate::models::{Axis, Cells, Shape};

/// The fields: `V_SC` per thread, `M_SC` and `W_SC` per location.
pub(crate) const FIELDS: [Axis; 3] = [Axis::Thread, Axis::Location, Axis::Location];
/// The field with the awareness of each thread.
pub(crate) const V: usize = 0;
const M: usize = 1;
const W: usize = 2;

/// `actor` carries out `event`; `here` is the lane of its location, if that is followed. Plain accesses do not matter: in a program without races, other accesses order them.
#[inline]
pub(crate) fn access<C: Cells>(cells: &mut C, shape: Shape, actor: usize, event: Event, here: Option<C::Cell>) {
    let loc = event.loc as usize;
    if event.is_plain() {
        return;
    }
    if event.writes() {
        let mut known = cells.get(V, actor) | cells.get(M, loc);
        if let Some(here) = here {
            known = known | here;
            forget(cells, shape, here);
        }
        cells.set(V, actor, known);
        cells.set(M, loc, known);
        cells.set(W, loc, known);
    } else {
        let known = cells.get(V, actor);
        cells.join(V, actor, cells.get(W, loc));
        cells.join(M, loc, known);
    }
}

/// A write to the locations of these lanes was just made, so no thread knows the newest write.
#[inline]
fn forget<C: Cells>(cells: &mut C, shape: Shape, lanes: C::Cell) {
    for (field, axis) in FIELDS.into_iter().enumerate() {
        for index in 0..shape.len(axis) {
            cells.meet(field, index, !lanes);
        }
    }
}

/// All threads know the initial writes. By an access of a location, a thread could learn only the initial write of that location.
pub(crate) fn initial<C: Cells>(cells: &mut C, shape: Shape, all: C::Cell, lane: impl Fn(usize) -> C::Cell) {
    (0..shape.threads).for_each(|thread| cells.set(V, thread, all));
    for loc in 0..shape.locations {
        cells.set(M, loc, lane(loc));
        cells.set(W, loc, lane(loc));
    }
}

/// The lanes whose newest write `actor` is aware of.
#[inline]
pub(crate) fn aware<C: Cells>(cells: &C, actor: usize) -> C::Cell {
    cells.get(V, actor)
}
