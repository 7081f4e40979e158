//! The stale writes to search for: for every location and class of values, the writes that get overwritten.

use crate::automaton::NextAccess;
use crate::flow::Flow;
use crate::ops::{Op, Ops};
use crate::tracker::StaleWrite;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use steadfast_ir::Value;

/// How finely the values of overwritten writes are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Grain {
    /// Not at all. This over-approximates where an access waits for certain values; it is cheap, and enough if nothing is found.
    Location,
    /// As finely as operations tell them apart. This is exact.
    Value,
}

/// All stale writes of a graph. Those that are overwritten most often come first, because they are the most likely to lead to a violation.
pub(crate) fn overwritten(flow: &Flow, ops: &Ops, grain: Grain) -> Vec<StaleWrite> {
    gather(flow, ops, |op| {
        let value = op.overwrites?;
        Some(StaleWrite { loc: op.event.loc, value: (grain == Grain::Value).then_some(value), race: false })
    })
}

/// The plain accesses of a graph, to search for races with them.
pub(crate) fn plain_accesses(flow: &Flow, ops: &Ops) -> Vec<StaleWrite> {
    let race = |op: &Op| op.event.is_plain().then_some(StaleWrite { loc: op.event.loc, value: None, race: true });
    gather(flow, ops, race)
}

fn gather(flow: &Flow, ops: &Ops, of: impl Fn(&Op) -> Option<StaleWrite>) -> Vec<StaleWrite> {
    let mut found: FxHashMap<StaleWrite, u64> = FxHashMap::default();
    for (kind, &weight) in flow.kinds.iter().zip(&flow.weights) {
        if let Some(stale_write) = of(&ops.all[kind.op as usize]) {
            *found.entry(stale_write).or_default() += u64::from(weight);
        }
    }
    let mut stale_writes: Vec<_> = found.into_iter().collect();
    stale_writes.sort_unstable_by_key(|&(stale_write, weight)| (Reverse(weight), stale_write));
    stale_writes.into_iter().map(|(stale_write, _)| stale_write).collect()
}

/// The classes of values of each location: values that no access can tell apart are in one class.
#[derive(Debug)]
pub(crate) struct ValueClasses {
    by_location: FxHashMap<u16, [Value; 256]>,
}

impl ValueClasses {
    /// The classes, or with `classes` false one class for each value.
    pub(crate) fn new(accesses: &[Vec<NextAccess>], classes: bool) -> Self {
        if !classes {
            return Self { by_location: FxHashMap::default() };
        }
        let mut distinct: FxHashMap<u16, Vec<[u64; 4]>> = FxHashMap::default();
        for access in accesses.iter().flatten() {
            let Some(loc) = access.loc else { continue };
            let sets = distinct.entry(loc).or_default();
            sets.push(access.read_values.bits());
            sets.push(access.update_values.bits());
        }
        let mut by_location = FxHashMap::default();
        let mut locations: Vec<_> = distinct.into_iter().collect();
        locations.sort_unstable_by_key(|(loc, _)| *loc);
        for (loc, mut sets) in locations {
            sets.sort_unstable();
            sets.dedup();
            let mut table = [0; 256];
            for set in sets {
                split(&mut table, &set);
            }
            by_location.insert(loc, table);
        }
        Self { by_location }
    }

    /// The value that represents the class of this one.
    pub(crate) fn representative(&self, loc: u16, value: Value) -> Value {
        self.by_location.get(&loc).map_or(value, |table| table[value as usize])
    }
}

/// Splits classes into the values inside and outside of a set. The least value of each class represents it.
fn split(table: &mut [Value; 256], set: &[u64; 4]) {
    let mut least = [[None; 2]; 256];
    for value in 0..=Value::MAX {
        let at = value as usize;
        let is_member = set[at / 64] >> (at % 64) & 1;
        table[at] = *least[table[at] as usize][is_member as usize].get_or_insert(value);
    }
}
