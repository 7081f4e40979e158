//! What is hunted: for every location and class of values, the steps that overwrite such a write.

use crate::automaton::Access;
use crate::event::EventKind;
use crate::hunt::Ops;
use crate::machine::Machine;
use crate::tracker::Quarry;
use rustc_hash::{FxHashMap, FxHashSet};
use steadfast_explore::{StateGraph, StateId};
use steadfast_ir::Value;

/// A location and a class of values that no access can tell apart.
#[derive(Clone, Debug)]
pub struct Prey {
    /// The location and a representative of the values.
    pub quarry: Quarry,
    /// The edges (operation and target) that overwrite a write of this kind.
    pub starts: Vec<(u32, StateId)>,
    /// The transitions that do.
    pub transitions: Vec<u32>,
}

/// All prey of a graph, the most promising (most starts) first. `classes`: merge values that no access can tell apart.
pub fn all_prey<const W: usize>(
    machine: &Machine<'_>,
    graph: &StateGraph<W>,
    ops: &Ops,
    accesses: &[Vec<Access>],
    (classes, races): (bool, bool),
) -> Vec<Prey> {
    let representatives = Representatives::new(accesses, classes);
    let transitions = machine.transitions();
    let mut found: FxHashMap<(u16, Value, bool), (FxHashSet<(u32, StateId)>, FxHashSet<u32>)> = FxHashMap::default();
    for id in graph.ids() {
        for edge in graph.edges(id) {
            let label = machine.label(edge.label);
            let number = ops.number(edge.label);
            let op = ops.all[number as usize];
            let key = match op.event.kind {
                EventKind::Write | EventKind::Update => {
                    let old = transitions[label.transition as usize].1.old;
                    (op.event.loc, representatives.of(op.event.loc, old), false)
                }
                EventKind::PlainRead | EventKind::PlainWrite if races => {
                    (op.event.loc, Value::from(op.event.kind == EventKind::PlainWrite), true)
                }
                _ => continue,
            };
            let (starts, by) = found.entry(key).or_default();
            starts.insert((number, edge.target));
            by.insert(label.transition);
        }
    }
    let mut keys: Vec<_> = found.keys().copied().collect();
    keys.sort_unstable();
    let mut prey: Vec<Prey> = keys
        .into_iter()
        .map(|(loc, value, race)| {
            let (starts, transitions) = &found[&(loc, value, race)];
            Prey { quarry: Quarry { loc, value, race }, starts: sorted(starts), transitions: sorted(transitions) }
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
