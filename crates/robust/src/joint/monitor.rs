//! The joint search as a [`Monitor`]: a state consists of the views of all overwritten writes and the taints of the threads' registers.

use super::view_table::{ViewStep, ViewTable};
use super::{JointSearch, LaneMap, LeavesSc, Views};
use crate::automaton::NextAccess;
use crate::event::{EventKind, Transition};
use crate::explored::Explored;
use crate::flow::{Flow, Kind};
use crate::lanes::same;
use crate::machine::Machine;
use crate::models::MemoryModel;
use crate::ops::Ops;
use crate::remaining::Sites;
use crate::sweep::{Monitor, Slots, SweepResult, ViolationFound, sweep};
use crate::taint::{Taints, UNTAINTED};
use crate::tracker::StaleWrite;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::hash::{Hash, Hasher};
use steadfast_explore::Bound;
use steadfast_ir::Pc;
use steadfast_span::Index;

struct JointMonitor<'j, 'a, M, const N: usize> {
    joint: &'j JointSearch<'a, M>,
    flow: &'j Flow,
    map: LaneMap<N>,
    transitions: &'j [(u32, Transition)],
    taints: Taints<'j>,
}

/// Lays out the graph so that both searches can use it.
///
/// What happens to taints depends on the transition, and not only on what a monitor sees of it, so edges keep their labels. Without taints, it is enough to know what the access could read:
/// labels that agree in this are in one group.
pub(crate) fn flow(
    machine: &Machine<'_>,
    graph: &dyn Explored,
    (ops, sites): (&Ops, &Sites),
    accesses: &[Vec<NextAccess>],
    jobs: usize,
) -> Flow {
    let transitions = machine.transitions();
    let kinds = access_kinds(accesses);
    let alike = |label: u32| {
        let (class, transition) = &transitions[machine.label(label).transition as usize];
        kinds[*class as usize][transition.source as usize]
    };
    Flow::new(graph, ops, sites, Some(&alike), jobs)
}

/// Searches the whole graph.
pub(super) fn run<M: MemoryModel, const N: usize>(
    joint: &JointSearch<'_, M>,
    stale_writes: &[StaleWrite],
) -> Result<SweepResult, Bound> {
    let transitions = joint.machine.transitions();
    let flow = joint.flow;
    let monitor = JointMonitor {
        joint,
        flow,
        map: joint.lane_map::<N>(stale_writes),
        transitions: &transitions,
        taints: Taints::new(joint.machine),
    };
    let mut cache = monitor.cache();
    let initial: Vec<_> = flow
        .initial
        .iter()
        .map(|&position| {
            let remaining = joint.sites.all[flow.site_of[position as usize] as usize].remaining;
            let view_id = cache.number(&joint.initial(&monitor.map, remaining));
            (position, state(cache.packed(view_id), UNTAINTED))
        })
        .collect();
    let slots = Slots::new(flow.len());
    let bytes = slots.bytes() as u64;
    joint.budget.add(0, bytes);
    let result = sweep(&monitor, flow, &slots, &initial, joint.budget);
    joint.budget.release(bytes);
    result
}

/// Numbers the next accesses of local states, wherever they are in the code.
fn access_kinds(accesses: &[Vec<NextAccess>]) -> Vec<Vec<u32>> {
    let mut kinds: FxHashMap<NextAccess, u32> = FxHashMap::default();
    let mut number = |access: &NextAccess| {
        let next = kinds.len() as u32;
        *kinds.entry(NextAccess { pc: Pc::new(0), ..access.clone() }).or_insert(next)
    };
    accesses.iter().map(|class| class.iter().map(&mut number).collect()).collect()
}

/// The packed views, followed by the number of the taints. Most states are short enough to be stored in place: comparing them is most of the work.
#[derive(Clone, Eq)]
struct State(SmallVec<[u64; 8]>);

impl PartialEq for State {
    fn eq(&self, other: &Self) -> bool {
        same(&self.0, &other.0)
    }
}

impl Hash for State {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.iter().for_each(|&word| state.write_u64(word));
    }
}

fn state(views: &[u64], taint: u32) -> State {
    State(views.iter().copied().chain([u64::from(taint)]).collect())
}

fn parts(state: &State) -> (&[u64], u32) {
    let (taint, views) = state.0.split_last().expect("a state has a taint");
    (views, *taint as u32)
}

impl<M: MemoryModel, const N: usize> Monitor for JointMonitor<'_, '_, M, N> {
    type State = State;
    type Cache = ViewTable<N>;

    fn cache(&self) -> ViewTable<N> {
        ViewTable::new(self.joint.empty(&self.map))
    }

    /// The joint monitor starts in the initial states only.
    fn start(&self, _: u32) -> Option<State> {
        None
    }

    fn after(&self, cache: &mut ViewTable<N>, before: &State, kind: u32) -> Result<Vec<State>, ViolationFound> {
        let kind = self.flow.kinds[kind as usize];
        let (views, taint) = parts(before);
        let (view_id, apart) = cache.find(views);
        let op = self.joint.ops.all[kind.op as usize];
        let (number, transition) = self.transition(kind);
        let goes_wrong = self.goes_wrong(apart, kind);
        let step = ViewStep { views: view_id, op: kind.op, goes_wrong, remaining: kind.remaining };
        let next = cache.after_step(step, |views| {
            self.joint.step(&self.map, views, op, self.map.overwritten[kind.op as usize], goes_wrong);
            self.joint.simplify(&self.map, views, self.joint.remaining(kind.remaining));
        });
        let views = cache.packed(next);
        if taint == UNTAINTED && !goes_wrong {
            return Ok(vec![state(views, UNTAINTED)]);
        }
        let from = &self.joint.permutations[op.thread][op.place];
        let after =
            self.taints.after((transition, number), op.thread, from, taint, goes_wrong).ok_or(ViolationFound)?;
        Ok(after.iter().map(|&taint| state(views, taint)).collect())
    }

    fn depends_on_kind(&self, state: &State) -> bool {
        parts(state).1 != UNTAINTED
    }

    fn depends_on_label(&self, cache: &mut ViewTable<N>, before: &State, kind: u32) -> bool {
        self.goes_wrong(cache.find(parts(before).0).1, self.flow.kinds[kind as usize])
    }

    fn violates(&self, cache: &mut ViewTable<N>, state: &State, site: u32) -> bool {
        let (views, taint) = parts(state);
        let locals = || self.joint.sites.all[site as usize].locals.iter().enumerate();
        let notices = |(thread, &local)| self.taints.notices(thread, self.joint.position(thread, local), taint);
        if taint != UNTAINTED && locals().any(notices) {
            return true;
        }
        let (_, views) = cache.find(views);
        locals().any(|(thread, &local)| self.joint.leaves_sc(&self.map, views, thread, local).is_violation())
    }

    fn covers(&self, larger: &State, smaller: &State) -> bool {
        let ((larger, taint), (smaller, other)) = (parts(larger), parts(smaller));
        self.joint.covering && taint == other && smaller.iter().zip(larger).all(|(s, l)| s & !l == 0)
    }

    fn heap_bytes(&self, state: &State) -> usize {
        if state.0.spilled() { state.0.capacity() * size_of::<u64>() } else { 0 }
    }

    fn cache_bytes(&self, cache: &ViewTable<N>) -> usize {
        cache.bytes()
    }
}

impl<M: MemoryModel, const N: usize> JointMonitor<'_, '_, M, N> {
    fn transition(&self, kind: Kind) -> (u32, &(u32, Transition)) {
        let number = self.joint.machine.label(kind.label.expect("this flow tells labels apart")).transition;
        (number, &self.transitions[number as usize])
    }

    /// Whether the read of an edge goes wrong, that is, takes a stale write unnoticed.
    fn goes_wrong(&self, views: &Views<N>, kind: Kind) -> bool {
        let op = self.joint.ops.all[kind.op as usize];
        let source = self.transition(kind).1.1.source;
        op.event.kind == EventKind::Read
            && self.joint.leaves_sc(&self.map, views, op.thread, source) == LeavesSc::Unnoticed
    }
}
