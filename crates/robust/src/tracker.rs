//! The rules for one stale write: in which state its monitor starts, how a step changes that state, and when it is a violation.

use crate::automaton::NextAccess;
use crate::awareness;
use crate::event::{Event, EventKind, Fences};
use crate::models::MemoryModel;
use crate::monitor_layout::{CellView, MonitorLayout};
use crate::ops::Op;
use steadfast_ir::Value;

/// A stale write to search for. A search for a data race uses the same type for the earlier of the two plain accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct StaleWrite {
    /// The location.
    pub loc: u16,
    /// The value of the overwritten write, or the representative of its class. `None` stands for any value, which over-approximates.
    pub value: Option<Value>,
    /// Whether this is a plain access, to search for an access that races with it.
    pub race: bool,
}

impl StaleWrite {
    /// Whether an operation overwrites such a write or, for a race, is such an access.
    pub(crate) fn begins_at(self, op: &Op) -> bool {
        if op.event.loc != self.loc {
            return false;
        }
        if self.race {
            return op.event.is_plain();
        }
        op.overwrites.is_some_and(|overwritten| self.value.is_none_or(|value| value == overwritten))
    }

    /// Whether an access can read the value of the stale write, and whether it can update it.
    #[inline]
    pub(crate) fn taken_by(self, access: &NextAccess) -> (bool, bool) {
        match self.value {
            Some(value) => (access.read_values.contains(value), access.update_values.contains(value)),
            None => (!access.read_values.is_empty(), !access.update_values.is_empty()),
        }
    }
}

/// A model with everything that its rules need.
#[derive(Debug)]
pub(crate) struct Tracker<'a, M> {
    /// The memory model.
    pub model: &'a M,
    /// The layout of monitor states.
    pub layout: &'a MonitorLayout,
    /// The ghost location of the `seq_cst` fences, if the order of its accesses does not count as observable.
    pub unobserved_ghost: Option<u16>,
}

impl<M: MemoryModel> Tracker<'_, M> {
    /// The monitor state right after the step that overwrites the stale write (or, for a race, right after the plain access).
    pub(crate) fn start<const P: usize>(
        &self,
        stale_write: StaleWrite,
        thread: usize,
        event: Event,
        fences: Fences,
    ) -> [u64; P] {
        let mut bits = [0; P];
        let (awareness, views) = self.layout.fields.split_at(awareness::FIELDS.len());
        let shape = self.layout.shape;
        self.model.overwritten(&mut CellView { bits: &mut bits, fields: views }, shape, true, thread, event);
        if !stale_write.race {
            let mut window = CellView { bits: &mut bits, fields: awareness };
            awareness::access(&mut window, shape, thread, event, Some(true));
        }
        if matches!(event.kind, EventKind::Write | EventKind::PlainWrite) {
            self.layout.set_flag(&mut bits);
        }
        self.fences(&mut bits, thread, fences);
        bits
    }

    /// The monitor state after a later step. With `wrong`, the step's read goes wrong, so the views learn nothing from it.
    #[inline]
    pub(crate) fn step<const P: usize>(
        &self,
        bits: &mut [u64; P],
        stale_write: StaleWrite,
        (thread, event, fences): (usize, Event, Fences),
        wrong: bool,
    ) {
        let here = !stale_write.race && event.loc == stale_write.loc && !event.is_plain();
        let (awareness, views) = self.layout.fields.split_at(awareness::FIELDS.len());
        if !wrong {
            self.model.access(&mut CellView { bits, fields: views }, thread, event, here);
        }
        if !stale_write.race && Some(event.loc) != self.unobserved_ghost {
            let mut window = CellView { bits, fields: awareness };
            awareness::access(&mut window, self.layout.shape, thread, event, here.then_some(true));
        }
        self.fences(bits, thread, fences);
    }

    #[inline]
    fn fences<const P: usize>(&self, bits: &mut [u64; P], thread: usize, fences: Fences) {
        let views = &self.layout.fields[awareness::FIELDS.len()..];
        for &order in fences.steps() {
            self.model.fence(&mut CellView { bits, fields: views }, thread, order);
        }
    }

    /// Whether a thread may still take the stale write, or race with it, if it accesses its location.
    #[inline]
    pub(crate) fn is_open<const P: usize>(&self, bits: &mut [u64; P], stale_write: StaleWrite, thread: usize) -> bool {
        let views = CellView { bits, fields: &self.layout.fields[awareness::FIELDS.len()..] };
        if stale_write.race { self.model.unordered(&views, thread) } else { self.model.open(&views, thread, false) }
    }

    /// The threads that are aware of the newest write, as bits: only these can leave SC.
    #[inline]
    pub(crate) fn candidates<const P: usize>(&self, bits: &[u64; P], stale_write: StaleWrite) -> u64 {
        if stale_write.race { u64::MAX } else { self.layout.get_field(bits, awareness::V) }
    }

    /// Whether the next access of a thread could take the stale write and thereby leave SC: as a read, and as a write or update. For a race, the first says whether they race.
    #[inline]
    pub(crate) fn leaves_sc<const P: usize>(
        &self,
        bits: &[u64; P],
        stale_write: StaleWrite,
        access: &NextAccess,
        thread: usize,
    ) -> (bool, bool) {
        if access.loc != Some(stale_write.loc) {
            return (false, false);
        }
        let mut bits = *bits;
        let flag = self.layout.flag(&bits);
        let (awareness, views) = self.layout.fields.split_at(awareness::FIELDS.len());
        if stale_write.race {
            let views = CellView { bits: &mut bits, fields: views };
            let races = access.plain.is_some_and(|writes| writes || flag) && self.model.unordered(&views, thread);
            return (races, false);
        }
        if !awareness::aware(&CellView { bits: &mut bits, fields: awareness }, thread) {
            return (false, false);
        }
        let views = CellView { bits: &mut bits, fields: views };
        let (reads, updates) = stale_write.taken_by(access);
        let writes = flag && self.model.writes_violate() && (access.writes || updates);
        (
            reads && self.model.open(&views, thread, access.strict.0),
            writes && self.model.open(&views, thread, access.strict.1),
        )
    }
}
