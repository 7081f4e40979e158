//! What is hunted: for every location and class of values, the writes of that kind that get overwritten.

use crate::automaton::Access;
use crate::flow::Flow;
use crate::ops::{Op, Ops};
use crate::tracker::Quarry;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use steadfast_ir::Value;

/// How finely the values of overwritten writes are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Grain {
    /// Not at all: reports too much where an access waits for certain values, but is cheap, and enough if nothing is found.
    Location,
    /// As far as operations do, and that is exact.
    Value,
}

/// All prey of a graph, the most promising (most often overwritten) first.
pub(crate) fn overwritten(flow: &Flow, ops: &Ops, grain: Grain) -> Vec<Quarry> {
    gather(flow, ops, |op| {
        let value = op.overwrites?;
        Some(Quarry { loc: op.event.loc, value: (grain == Grain::Value).then_some(value), race: false })
    })
}

/// The plain accesses of a graph, as prey of race hunts.
pub(crate) fn plain_accesses(flow: &Flow, ops: &Ops) -> Vec<Quarry> {
    let race = |op: &Op| op.event.is_plain().then_some(Quarry { loc: op.event.loc, value: None, race: true });
    gather(flow, ops, race)
}

fn gather(flow: &Flow, ops: &Ops, of: impl Fn(&Op) -> Option<Quarry>) -> Vec<Quarry> {
    let mut found: FxHashMap<Quarry, u64> = FxHashMap::default();
    for (kind, &weight) in flow.kinds.iter().zip(&flow.weights) {
        if let Some(quarry) = of(&ops.all[kind.op as usize]) {
            *found.entry(quarry).or_default() += u64::from(weight);
        }
    }
    let mut prey: Vec<_> = found.into_iter().collect();
    prey.sort_unstable_by_key(|&(quarry, weight)| (Reverse(weight), quarry));
    prey.into_iter().map(|(quarry, _)| quarry).collect()
}

/// For every location, which value stands for which: values that no access can tell apart are one.
#[derive(Debug)]
pub(crate) struct Representatives {
    of: FxHashMap<u16, [Value; 256]>,
}

impl Representatives {
    /// Classes of values; or without them, every value stands for itself.
    pub(crate) fn new(accesses: &[Vec<Access>], classes: bool) -> Self {
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
            let mut table = [0; 256];
            for set in sets {
                split(&mut table, &set);
            }
            of.insert(loc, table);
        }
        Self { of }
    }

    /// The value that stands for this one.
    pub(crate) fn of(&self, loc: u16, value: Value) -> Value {
        self.of.get(&loc).map_or(value, |table| table[value as usize])
    }
}

/// Tells values apart of which one is in the set and the other is not: each stands for itself and for greater ones.
fn split(table: &mut [Value; 256], set: &[u64; 4]) {
    let mut least = [[None; 2]; 256];
    for value in 0..=Value::MAX {
        let at = value as usize;
        let is_member = set[at / 64] >> (at % 64) & 1;
        table[at] = *least[table[at] as usize][is_member as usize].get_or_insert(value);
    }
}
