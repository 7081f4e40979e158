//! What is hunted: for every location and class of values, the steps that overwrite such a write.

use crate::automaton::Access;
use crate::event::EventKind;
use crate::explored::Explored;
use crate::machine::Machine;
use crate::ops::Ops;
use crate::tracker::Quarry;
use rustc_hash::{FxHashMap, FxHashSet};
use steadfast_explore::StateId;
use steadfast_ir::{LocKind, Value};

/// A location and a class of values that no access can tell apart.
#[derive(Clone, Debug)]
pub(crate) struct Prey {
    /// The location and a representative of the values.
    pub quarry: Quarry,
    /// The edges (operation and target) that overwrite a write of this kind.
    pub starts: Vec<(u32, StateId)>,
    /// The transitions that do.
    pub transitions: Vec<u32>,
}

/// How finely the values of overwritten writes are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Grain {
    /// Not at all: reports too much where an access waits for certain values, but is cheap, and enough if nothing is found.
    Location,
    /// As far as some access can tell them apart: exact.
    Class,
    /// Every value by itself: exact, and slow.
    Value,
}

/// All prey of a graph, the most promising (most starts) first.
pub(crate) fn all_prey(
    machine: &Machine<'_>,
    graph: &dyn Explored,
    ops: &Ops,
    accesses: &[Vec<Access>],
    grain: Grain,
) -> Vec<Prey> {
    let representatives = Representatives::new(accesses, grain == Grain::Class);
    let transitions = machine.transitions();
    let mut found = Found::default();
    for id in graph.ids() {
        for edge in graph.edges(id) {
            let label = machine.label(edge.label);
            let number = ops.number(edge.label);
            let op = ops.all[number as usize];
            if !matches!(op.event.kind, EventKind::Write | EventKind::Update) {
                continue;
            }
            let old = transitions[label.transition as usize].1.old;
            let value = (grain != Grain::Location).then(|| representatives.of(op.event.loc, old));
            let quarry = Quarry { loc: op.event.loc, value, race: false };
            let (starts, by) = found.entry(quarry).or_default();
            starts.insert((number, edge.target));
            by.insert(label.transition);
        }
    }
    gather(&found)
}

/// The plain accesses of a graph, as prey of race hunts.
pub(crate) fn plain_accesses(machine: &Machine<'_>, graph: &dyn Explored, ops: &Ops) -> Vec<Prey> {
    let mut found = Found::default();
    if !machine.program.locations.iter().any(|location| location.kind == LocKind::Plain) {
        return Vec::new();
    }
    for id in graph.ids() {
        for edge in graph.edges(id) {
            let number = ops.number(edge.label);
            let event = ops.all[number as usize].event;
            if event.is_plain() {
                let quarry = Quarry { loc: event.loc, value: None, race: true };
                found.entry(quarry).or_default().0.insert((number, edge.target));
            }
        }
    }
    gather(&found)
}

/// Per quarry, the starts and the transitions of its hunt.
type Found = FxHashMap<Quarry, (FxHashSet<(u32, StateId)>, FxHashSet<u32>)>;

fn gather(found: &Found) -> Vec<Prey> {
    let mut quarries: Vec<_> = found.keys().copied().collect();
    quarries.sort_unstable();
    let mut prey: Vec<Prey> = quarries
        .into_iter()
        .map(|quarry| {
            let (starts, transitions) = &found[&quarry];
            Prey { quarry, starts: sorted(starts), transitions: sorted(transitions) }
        })
        .collect();
    prey.sort_by_key(|prey| std::cmp::Reverse(prey.starts.len()));
    prey
}

fn sorted<T: Copy + Ord>(set: &FxHashSet<T>) -> Vec<T> {
    let mut items: Vec<T> = set.iter().copied().collect();
    items.sort_unstable();
    items
}

/// For every location, which value stands for which.
struct Representatives {
    of: FxHashMap<u16, [Value; 256]>,
}

impl Representatives {
    fn new(accesses: &[Vec<Access>], classes: bool) -> Self {
        if !classes {
            return Self { of: FxHashMap::default() };
        }
        let mut distinct: FxHashMap<u16, Vec<[u64; 4]>> = FxHashMap::default();
        for access in accesses.iter().flatten() {
            let Some(loc) = access.loc else { continue };
            let sets = distinct.entry(loc).or_default();
            sets.push(access.read_values.bits());
            sets.push(access.update_values.bits());
        }
        let mut of = FxHashMap::default();
        let mut locations: Vec<_> = distinct.into_iter().collect();
        locations.sort_unstable_by_key(|(loc, _)| *loc);
        for (loc, mut sets) in locations {
            sets.sort_unstable();
            sets.dedup();
            let mut first: FxHashMap<Vec<bool>, Value> = FxHashMap::default();
            let mut table = [0; 256];
            for value in 0..=Value::MAX {
                let signature = sets.iter().map(|set| set[value as usize / 64] >> (value % 64) & 1 == 1).collect();
                table[value as usize] = *first.entry(signature).or_insert(value);
            }
            of.insert(loc, table);
        }
        Self { of }
    }

    fn of(&self, loc: u16, value: Value) -> Value {
        self.of.get(&loc).map_or(value, |table| table[value as usize])
    }
}
