//! What the steps of a program do to a monitor.

use crate::event::{Event, EventKind, Fences};
use crate::machine::{Label, Machine};
use crate::stale_writes::ValueClasses;
use rustc_hash::FxHashMap;
use steadfast_ir::Value;

/// What a step does to a monitor. Many edges of the graph have the same operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Op {
    /// The access.
    pub event: Event,
    /// The fences behind the access.
    pub fences: Fences,
    /// The thread that moves, by its place before the step.
    pub thread: usize,
    /// Its place after the step.
    pub place: usize,
    /// If it overwrites a write of an atomic location: the representative of the overwritten value.
    pub overwrites: Option<Value>,
}

/// All distinct operations of a graph.
#[derive(Debug)]
pub(crate) struct Ops {
    /// By label, the number of the operation.
    of_label: Vec<u32>,
    /// The operations, by number.
    pub all: Vec<Op>,
}

impl Ops {
    /// The operations of all possible labels. Overwritten values in one class give one operation.
    pub(crate) fn new(machine: &Machine<'_>, values: &ValueClasses) -> Self {
        let mut ops = Self { of_label: Vec::new(), all: Vec::new() };
        let mut known: FxHashMap<Op, u32> = FxHashMap::default();
        for (number, (class, transition)) in machine.transitions().iter().enumerate() {
            let event = transition.event;
            let overwrites = matches!(event.kind, EventKind::Write | EventKind::Update)
                .then(|| values.representative(event.loc, transition.old));
            for (thread, place) in machine.moves(*class as usize) {
                let op = Op { event, fences: transition.fences, thread, place, overwrites };
                let next = ops.all.len() as u32;
                let op_number = *known.entry(op).or_insert(next);
                if op_number == next {
                    ops.all.push(op);
                }
                let label = machine.pack(Label { transition: number as u32, thread, place }) as usize;
                if label >= ops.of_label.len() {
                    ops.of_label.resize(label + 1, u32::MAX);
                }
                ops.of_label[label] = op_number;
            }
        }
        ops
    }

    /// The number of a label's operation.
    #[inline]
    pub(crate) fn number(&self, label: u32) -> u32 {
        self.of_label[label as usize]
    }
}
