//! Total store order, x86-TSO. Ours; tested against its axioms and against a machine with store buffers.
//!
//! By the axioms (Alglave, Maranget and Tautschnig, 2014) a graph is allowed iff every location by itself is coherent and *ghb*, the union of program order without
//! its store-to-load pairs, reads-from between threads, mo and fr, is acyclic. Let v be the write that overwrites the stale write, and call an event *late* if it is v or
//! behind v in ghb. To take the stale write means to be before v, so what is behind something late must not. Hence the fields:
//!
//! - LOAD, per thread: nothing late comes before its next load in program order without store-to-load pairs; its late stores may still be in the buffer.
//! - STORE, per thread: it has no late event at all. That is what its next store needs, and its next locked instruction, which waits for the buffer.
//! - FRESH, per thread: it has not accessed the location of the stale write since it was overwritten; otherwise coherence forbids what ghb might allow.
//! - ORDER, per location: neither the newest write nor a read of it is late, so the next write is not late for them.
//! - SEEN, per location and thread: the newest write is not late, or it is the thread's own, which it can read out of its buffer.
//!
//! Deviations from the design notes: "the last writer of x" is folded into SEEN, which makes all rules monotone; the RMW variants are the flag of the monitor state, as for RA.
//! Orderings do not matter, nor do fences that are not `seq_cst`. An unlock is a store. A plain access does not matter where nothing races: whatever orders two of
//! them is made of reads-from between threads and of program order that starts with a load or ends with a store, and is in ghb.

use super::{Axis, Cells, MemoryModel, Shape};
use crate::event::{Event, EventKind};
use crate::remaining::Remaining;
use steadfast_ir::FenceOrder;

const LOAD: usize = 0;
const STORE: usize = 1;
const FRESH: usize = 2;
const ORDER: usize = 3;
/// SEEN for the first location; the others follow.
const SEEN: usize = 4;

/// TSO for a number of threads and locations.
#[derive(Clone, Debug)]
pub(crate) struct Tso {
    fields: Vec<Axis>,
    shape: Shape,
}

impl Tso {
    /// The model for programs of this shape.
    pub(crate) fn new(shape: Shape) -> Self {
        let mut fields = vec![Axis::Thread, Axis::Thread, Axis::Thread, Axis::Location];
        fields.extend((0..shape.locations).map(|_| Axis::Thread));
        Self { fields, shape }
    }

    /// A write, of which `timely` says that it is not late. A store, unlike an update, is seen by its own thread before all others.
    #[inline]
    fn publish<C: Cells>(&self, cells: &mut C, actor: usize, event: Event, timely: C::Cell) {
        let loc = event.loc as usize;
        cells.set(ORDER, loc, timely);
        (0..self.shape.threads).for_each(|thread| cells.set(SEEN + loc, thread, timely));
        if event.kind == EventKind::Write {
            cells.set(SEEN + loc, actor, timely | !timely);
        }
    }
}

impl MemoryModel for Tso {
    fn fields(&self) -> &[Axis] {
        &self.fields
    }

    fn overwritten<C: Cells>(&self, cells: &mut C, shape: Shape, lanes: C::Cell, actor: usize, event: Event) {
        let here = event.loc as usize;
        for thread in (0..shape.threads).filter(|&thread| thread != actor) {
            for field in [LOAD, STORE, FRESH] {
                cells.join(field, thread, lanes);
            }
        }
        for loc in (0..shape.locations).filter(|&loc| loc != here) {
            cells.join(ORDER, loc, lanes);
            (0..shape.threads).for_each(|thread| cells.join(SEEN + loc, thread, lanes));
        }
        if event.kind == EventKind::Write {
            cells.join(LOAD, actor, lanes);
            cells.join(SEEN + here, actor, lanes);
        }
    }

    #[inline]
    fn access<C: Cells>(&self, cells: &mut C, actor: usize, event: Event, here: C::Cell) {
        let loc = event.loc as usize;
        match event.kind {
            EventKind::PlainRead | EventKind::PlainWrite => return,
            EventKind::Read | EventKind::ObservingRead => {
                let seen = cells.get(SEEN + loc, actor);
                cells.meet(LOAD, actor, seen);
                cells.meet(STORE, actor, seen);
                if event.locked {
                    cells.meet(LOAD, actor, cells.get(STORE, actor));
                }
                cells.meet(ORDER, loc, cells.get(LOAD, actor));
            }
            EventKind::Write | EventKind::Update | EventKind::ScFence => {
                let timely = cells.get(STORE, actor) & cells.get(ORDER, loc) & !here;
                cells.set(STORE, actor, timely);
                if event.kind != EventKind::Write {
                    cells.set(LOAD, actor, timely);
                }
                self.publish(cells, actor, event, timely);
            }
        }
        cells.meet(FRESH, actor, !here);
    }

    #[inline]
    fn fence<C: Cells>(&self, cells: &mut C, actor: usize, order: FenceOrder) {
        if order == FenceOrder::SeqCst {
            cells.meet(LOAD, actor, cells.get(STORE, actor));
        }
    }

    #[inline]
    fn open<C: Cells>(&self, cells: &C, actor: usize, strict: bool) -> C::Cell {
        cells.get(if strict { STORE } else { LOAD }, actor) & cells.get(FRESH, actor)
    }

    fn settle<C: Cells>(&self, cells: &mut C, remaining: &[Remaining]) {
        for (thread, rest) in remaining.iter().enumerate() {
            let load = cells.get(LOAD, thread);
            cells.meet(FRESH, thread, load);
            for loc in 0..self.shape.locations {
                let read = if rest.reads >> loc & 1 == 1 { load } else { load & !load };
                cells.meet(SEEN + loc, thread, read);
            }
        }
        for loc in 0..self.shape.locations {
            let nobody = cells.get(ORDER, loc) & !cells.get(ORDER, loc);
            let writers = remaining.iter().enumerate().filter(|(_, rest)| rest.writes >> loc & 1 == 1);
            let looked_at = writers.fold(nobody, |all, (thread, _)| all | cells.get(STORE, thread));
            cells.meet(ORDER, loc, looked_at);
        }
    }
}
