//! A shortest run to a violation, when all overwritten writes are followed together: a breadth-first search that remembers how each node was reached.

use super::view_table::{ViewStep, ViewTable};
use super::{JointSearch, LaneMap, LeavesSc, Views};
use crate::event::EventKind;
use crate::models::MemoryModel;
use crate::taint::{Taints, UNTAINTED};
use crate::tracker::StaleWrite;
use rustc_hash::FxHashMap;
use steadfast_explore::{Bound, CoverSet, StateId};

/// The reason why a node is a violation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cause {
    /// The next access of this thread could take a stale write, and the program would notice at once.
    StaleAccess(usize),
    /// The next access of this thread depends on a register with a wrong value.
    Noticed(usize),
    /// The next access of this thread is plain and races with an earlier one.
    Race(usize),
}

/// A run to a violation.
#[derive(Clone, Debug)]
pub(crate) struct Trace {
    /// The labels of the steps, and whether the read of the step goes wrong.
    pub steps: Vec<(u32, bool)>,
    /// The violation at its end.
    pub cause: Cause,
}

/// How a node was reached.
#[derive(Clone, Copy, Debug)]
struct Origin {
    parent: u32,
    label: u32,
    wrong: bool,
}

impl Origin {
    const ROOT: Self = Self { parent: u32::MAX, label: 0, wrong: false };
}

/// Searches breadth first.
pub(super) fn search<M: MemoryModel, const N: usize>(
    joint: &JointSearch<'_, M>,
    stale_writes: &[StaleWrite],
) -> Result<Option<Trace>, Bound> {
    let map = joint.lane_map::<N>(stale_writes);
    let transitions = joint.machine.transitions();
    let mut table = ViewTable::new(joint.empty(&map));
    let mut search = TraceSearch::new(table.width, joint.graph.id_bound());
    let taints = Taints::new(joint.machine);
    for &id in joint.graph.initial() {
        let view_id = table.number(&joint.initial(&map, joint.sites.remaining_of(id)));
        search.insert((id, UNTAINTED), table.packed(view_id), view_id, Origin::ROOT);
    }
    let mut booked = (0, 0);
    while let Some(node) = search.pop() {
        if search.cover.is_covered(node) {
            continue;
        }
        let (key, view_id) = search.cover.get(node);
        let (id, taint) = search.key(key);
        let wrong = match wrong_reads(joint, &map, table.unpacked(view_id), (id, taint), &taints) {
            Ok(wrong) => wrong,
            Err(cause) => return Ok(Some(search.trace(node, cause))),
        };
        for edge in joint.graph.edges(id) {
            let number = joint.ops.number(edge.label);
            let op = joint.ops.all[number as usize];
            let transition = joint.machine.label(edge.label).transition;
            let goes_wrong = wrong >> op.thread & 1 == 1 && op.event.kind == EventKind::Read;
            let remaining = joint.sites.remaining_of(edge.target);
            let next = table.after_step(ViewStep { views: view_id, op: number, goes_wrong, remaining }, |views| {
                joint.step(&map, views, op, map.overwritten[number as usize], goes_wrong);
                joint.simplify(&map, views, joint.remaining(remaining));
            });
            let origin = Origin { parent: node, label: edge.label, wrong: goes_wrong };
            if taint == UNTAINTED && !goes_wrong {
                search.insert((edge.target, taint), table.packed(next), next, origin);
                continue;
            }
            let from = &joint.permutations[op.thread][op.place];
            let taken = (&transitions[transition as usize], transition);
            let Some(after) = taints.after(taken, op.thread, from, taint, goes_wrong) else {
                let mut to_here = search.trace(node, Cause::Noticed(op.thread));
                to_here.steps.push((edge.label, goes_wrong));
                return Ok(Some(to_here));
            };
            for &taint in &*after {
                search.insert((edge.target, taint), table.packed(next), next, origin);
            }
        }
        if search.cover.len() as u64 >= booked.0 + 4096 {
            let now = (search.cover.len() as u64, (search.cover.bytes() + table.bytes()) as u64);
            joint.budget.add(now.0 - booked.0, now.1.saturating_sub(booked.1));
            booked = now;
            joint.budget.check()?;
        }
    }
    Ok(None)
}

/// The threads whose next read may go wrong unnoticed, as bits; an error if the node is a violation.
fn wrong_reads<M: MemoryModel, const N: usize>(
    joint: &JointSearch<'_, M>,
    map: &LaneMap<N>,
    views: &Views<N>,
    (id, taint): Key,
    taints: &Taints<'_>,
) -> Result<u64, Cause> {
    let mut wrong = 0;
    for thread in 0..joint.machine.threads() {
        let local = joint.graph.local(id, thread);
        if taint != UNTAINTED && taints.notices(thread, joint.position(thread, local), taint) {
            return Err(Cause::Noticed(thread));
        }
        match joint.leaves_sc(map, views, thread, local) {
            LeavesSc::No => {}
            LeavesSc::Unnoticed => wrong |= 1 << thread,
            LeavesSc::Noticed => return Err(Cause::StaleAccess(thread)),
            LeavesSc::Race => return Err(Cause::Race(thread)),
        }
    }
    Ok(wrong)
}

/// A state of the graph, and the number of the taints of its threads.
type Key = (StateId, u32);

/// The nodes that were found. Keys have numbers: an untainted state has its own number, and the other keys follow.
struct TraceSearch {
    states: usize,
    tainted: Vec<Key>,
    numbers: FxHashMap<Key, u32>,
    cover: CoverSet,
    /// How every node was reached.
    origins: Vec<Origin>,
    next: u32,
}

impl TraceSearch {
    fn new(width: usize, states: usize) -> Self {
        Self {
            states,
            tainted: Vec::new(),
            numbers: FxHashMap::default(),
            cover: CoverSet::new(states, width),
            origins: Vec::new(),
            next: 0,
        }
    }

    fn key(&self, number: u32) -> Key {
        match (number as usize).checked_sub(self.states) {
            None => (number, UNTAINTED),
            Some(place) => self.tainted[place],
        }
    }

    /// The oldest node that was not expanded yet.
    fn pop(&mut self) -> Option<u32> {
        let node = self.next;
        self.next += 1;
        ((node as usize) < self.cover.len()).then_some(node)
    }

    fn trace(&self, node: u32, cause: Cause) -> Trace {
        let origins = std::iter::successors(Some(self.origins[node as usize]), |origin| {
            self.origins.get(origin.parent as usize).copied()
        });
        let mut steps: Vec<_> =
            origins.take_while(|origin| origin.parent != u32::MAX).map(|origin| (origin.label, origin.wrong)).collect();
        steps.reverse();
        Trace { steps, cause }
    }

    fn insert(&mut self, key: Key, bits: &[u64], view_id: u32, origin: Origin) {
        let number = match key {
            (id, UNTAINTED) => id,
            _ => *self.numbers.entry(key).or_insert_with(|| {
                self.tainted.push(key);
                (self.states + self.tainted.len() - 1) as u32
            }),
        };
        if self.cover.insert(number, bits, view_id).is_some() {
            self.origins.push(origin);
        }
    }
}
