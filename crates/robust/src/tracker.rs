//! The rules for one hunted write: where its column starts, how a step changes it, when it is a violation.

use crate::automaton::Access;
use crate::awareness;
use crate::column::{ColumnLayout, Window};
use crate::event::{Event, EventKind, Fences};
use crate::models::MemoryModel;
use crate::ops::Op;
use steadfast_ir::Value;

/// What is hunted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Quarry {
    /// The location.
    pub loc: u16,
    /// The value of the overwritten write, or a representative of its class; `None` stands for any value, which can only report too much.
    pub value: Option<Value>,
    /// Whether this is a hunt for a race: the quarry is a plain access, and the hunter another one.
    pub race: bool,
}

impl Quarry {
    /// Whether an operation overwrites such a write; in a race hunt, whether it is such an access.
    pub(crate) fn begins_at(self, op: &Op) -> bool {
        if op.event.loc != self.loc {
            return false;
        }
        if self.race {
            return op.event.is_plain();
        }
        op.overwrites.is_some_and(|overwritten| self.value.is_none_or(|value| value == overwritten))
    }

    /// Whether an access can read the quarry's value, and whether it can update it.
    #[inline]
    pub(crate) fn taken_by(self, access: &Access) -> (bool, bool) {
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
    /// The packing of columns.
    pub layout: &'a ColumnLayout,
    /// The ghost location, if its order is not to be observed.
    pub blind: Option<u16>,
}

impl<M: MemoryModel> Tracker<'_, M> {
    /// The column right after the step that overwrites the quarry (or, in a race hunt, is the quarry).
    pub(crate) fn start<const P: usize>(
        &self,
        quarry: Quarry,
        thread: usize,
        event: Event,
        fences: Fences,
    ) -> [u64; P] {
        let mut bits = [0; P];
        let (awareness, views) = self.layout.groups.split_at(awareness::FIELDS.len());
        let shape = self.layout.shape;
        self.model.overwritten(&mut Window { bits: &mut bits, groups: views }, shape, true, thread, event);
        if !quarry.race {
            let mut window = Window { bits: &mut bits, groups: awareness };
            awareness::access(&mut window, shape, thread, event, Some(true));
        }
        if matches!(event.kind, EventKind::Write | EventKind::PlainWrite) {
            self.layout.set_flag(&mut bits);
        }
        self.fences(&mut bits, thread, fences);
        bits
    }

    /// A later step. `wrong`: its read went wrong, so the views learn nothing from it.
    #[inline]
    pub(crate) fn step<const P: usize>(
        &self,
        bits: &mut [u64; P],
        quarry: Quarry,
        (thread, event, fences): (usize, Event, Fences),
        wrong: bool,
    ) {
        let here = !quarry.race && event.loc == quarry.loc && !event.is_plain();
        let (awareness, views) = self.layout.groups.split_at(awareness::FIELDS.len());
        if !wrong {
            self.model.access(&mut Window { bits, groups: views }, thread, event, here);
        }
        if !quarry.race && Some(event.loc) != self.blind {
            let mut window = Window { bits, groups: awareness };
            awareness::access(&mut window, self.layout.shape, thread, event, here.then_some(true));
        }
        self.fences(bits, thread, fences);
    }

    #[inline]
    fn fences<const P: usize>(&self, bits: &mut [u64; P], thread: usize, fences: Fences) {
        let views = &self.layout.groups[awareness::FIELDS.len()..];
        for &order in fences.steps() {
            self.model.fence(&mut Window { bits, groups: views }, thread, order);
        }
    }

    /// Whether a thread may still take the quarry, or race with it, if it ever accesses it.
    #[inline]
    pub(crate) fn is_open<const P: usize>(&self, bits: &mut [u64; P], quarry: Quarry, thread: usize) -> bool {
        let views = Window { bits, groups: &self.layout.groups[awareness::FIELDS.len()..] };
        if quarry.race { self.model.unordered(&views, thread) } else { self.model.open(&views, thread, false) }
    }

    /// The threads that could strike by what they are aware of, as bits.
    #[inline]
    pub(crate) fn candidates<const P: usize>(&self, bits: &[u64; P], quarry: Quarry) -> u64 {
        if quarry.race { u64::MAX } else { self.layout.group(bits, awareness::V) }
    }

    /// Whether the next access of a thread could take the quarry and leave SC by it: as a read, or as a write or update.
    #[inline]
    pub(crate) fn strikes<const P: usize>(
        &self,
        bits: &[u64; P],
        quarry: Quarry,
        access: &Access,
        thread: usize,
    ) -> (bool, bool) {
        if access.loc != Some(quarry.loc) {
            return (false, false);
        }
        let mut bits = *bits;
        let flag = self.layout.flag(&bits);
        let (awareness, views) = self.layout.groups.split_at(awareness::FIELDS.len());
        if quarry.race {
            let views = Window { bits: &mut bits, groups: views };
            let races = access.plain.is_some_and(|writes| writes || flag) && self.model.unordered(&views, thread);
            return (races, false);
        }
        if !awareness::aware(&Window { bits: &mut bits, groups: awareness }, thread) {
            return (false, false);
        }
        let views = Window { bits: &mut bits, groups: views };
        let (reads, updates) = quarry.taken_by(access);
        let writes = flag && self.model.writes_violate() && (access.writes || updates);
        (
            reads && self.model.open(&views, thread, access.strict.0),
            writes && self.model.open(&views, thread, access.strict.1),
        )
    }
}
