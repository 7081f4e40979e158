//! The joint search as a story that is swept over the graph: a column is the views of all overwritten writes together with the taints of the threads' registers.

use super::monitors::{Monitors, Step};
use super::{Joint, LaneMap, Strike, Views};
use crate::automaton::Access;
use crate::event::{EventKind, Transition};
use crate::explored::Explored;
use crate::flow::{Flow, Kind};
use crate::futures::Outlooks;
use crate::lanes::same;
use crate::machine::Machine;
use crate::models::MemoryModel;
use crate::ops::Ops;
use crate::sweep::{Caught, Slots, Story, SweepResult, sweep};
use crate::taint::{Taints, UNTAINTED};
use crate::tracker::Quarry;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::hash::{Hash, Hasher};
use steadfast_explore::Bound;
use steadfast_ir::Pc;
use steadfast_span::Index;

struct Telling<'j, 'a, M, const N: usize> {
    joint: &'j Joint<'a, M>,
    flow: &'j Flow,
    map: LaneMap<N>,
    transitions: &'j [(u32, Transition)],
    taints: Taints<'j>,
}

/// The graph, laid out so that both kinds of searches can use it.
///
/// What becomes of taints depends on the transition, and not only on what a monitor sees of it, so edges keep their labels. Without taints, it is enough to know what the access could
/// read: that is what a group has in common.
pub(crate) fn flow(
    machine: &Machine<'_>,
    graph: &dyn Explored,
    (ops, outlooks): (&Ops, &Outlooks),
    accesses: &[Vec<Access>],
    jobs: usize,
) -> Flow {
    let transitions = machine.transitions();
    let kinds = access_kinds(accesses);
    let alike = |label: u32| {
        let (class, transition) = &transitions[machine.label(label).transition as usize];
        kinds[*class as usize][transition.source as usize]
    };
    Flow::new(graph, ops, outlooks, Some(&alike), jobs)
}

/// Searches everything.
pub(super) fn run<M: MemoryModel, const N: usize>(joint: &Joint<'_, M>, prey: &[Quarry]) -> Result<SweepResult, Bound> {
    let transitions = joint.machine.transitions();
    let flow = joint.flow;
    let telling = Telling {
        joint,
        flow,
        map: joint.lane_map::<N>(prey),
        transitions: &transitions,
        taints: Taints::new(joint.machine),
    };
    let mut memory = telling.memory();
    let initial: Vec<_> = flow
        .initial
        .iter()
        .map(|&position| {
            let outlook = joint.outlooks.sites[flow.site_of[position as usize] as usize].outlook;
            let monitor = memory.number(&joint.initial(&telling.map, outlook));
            (position, column(memory.packed(monitor), UNTAINTED))
        })
        .collect();
    let slots = Slots::new(flow.len());
    let bytes = slots.bytes() as u64;
    joint.budget.add(0, bytes);
    let result = sweep(&telling, flow, &slots, &initial, joint.budget);
    joint.budget.release(bytes);
    result
}

/// Numbers local states by what they access next, wherever that is in the code.
fn access_kinds(accesses: &[Vec<Access>]) -> Vec<Vec<u32>> {
    let mut kinds: FxHashMap<Access, u32> = FxHashMap::default();
    let mut number = |access: &Access| {
        let next = kinds.len() as u32;
        *kinds.entry(Access { pc: Pc::new(0), ..access.clone() }).or_insert(next)
    };
    accesses.iter().map(|class| class.iter().map(&mut number).collect()).collect()
}

/// The views, and the number of the taints. Most columns lie where they are stored: comparing them is most of what is done with them.
#[derive(Clone, Eq)]
struct Column(SmallVec<[u64; 8]>);

impl PartialEq for Column {
    fn eq(&self, other: &Self) -> bool {
        same(&self.0, &other.0)
    }
}

impl Hash for Column {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.iter().for_each(|&word| state.write_u64(word));
    }
}

fn column(views: &[u64], taint: u32) -> Column {
    Column(views.iter().copied().chain([u64::from(taint)]).collect())
}

fn parts(column: &Column) -> (&[u64], u32) {
    let (taint, views) = column.0.split_last().expect("a column has a taint");
    (views, *taint as u32)
}

impl<M: MemoryModel, const N: usize> Story for Telling<'_, '_, M, N> {
    type Column = Column;
    type Memory = Monitors<N>;

    fn memory(&self) -> Monitors<N> {
        Monitors::new(self.joint.empty(&self.map))
    }

    /// It begins in the initial states only.
    fn start(&self, _: u32) -> Option<Column> {
        None
    }

    fn after(&self, memory: &mut Monitors<N>, before: &Column, kind: u32) -> Result<Vec<Column>, Caught> {
        let kind = self.flow.kinds[kind as usize];
        let (views, taint) = parts(before);
        let (monitor, apart) = memory.find(views);
        let op = self.joint.ops.all[kind.op as usize];
        let (number, transition) = self.transition(kind);
        let goes_wrong = self.goes_wrong(apart, kind);
        let step = Step { monitor, op: kind.op, goes_wrong, outlook: kind.to };
        let next = memory.memo(step, |views| {
            self.joint.step(&self.map, views, op, self.map.overwritten[kind.op as usize], goes_wrong);
            self.joint.simplify(&self.map, views, self.joint.outlook(kind.to));
        });
        let views = memory.packed(next);
        if taint == UNTAINTED && !goes_wrong {
            return Ok(vec![column(views, UNTAINTED)]);
        }
        let from = &self.joint.permutations[op.thread][op.place];
        let after = self.taints.after((transition, number), op.thread, from, taint, goes_wrong).ok_or(Caught)?;
        Ok(after.iter().map(|&taint| column(views, taint)).collect())
    }

    fn looks_at_kinds(&self, column: &Column) -> bool {
        parts(column).1 != UNTAINTED
    }

    fn depends_on_label(&self, memory: &mut Monitors<N>, before: &Column, kind: u32) -> bool {
        self.goes_wrong(memory.find(parts(before).0).1, self.flow.kinds[kind as usize])
    }

    fn violates(&self, memory: &mut Monitors<N>, column: &Column, site: u32) -> bool {
        let (views, taint) = parts(column);
        let locals = || self.joint.outlooks.sites[site as usize].locals.iter().enumerate();
        let notices = |(thread, &local)| self.taints.notices(thread, self.joint.position(thread, local), taint);
        if taint != UNTAINTED && locals().any(notices) {
            return true;
        }
        let (_, views) = memory.find(views);
        locals().any(|(thread, &local)| self.joint.strike(&self.map, views, thread, local).is_violation())
    }

    fn covers(&self, larger: &Column, smaller: &Column) -> bool {
        let ((larger, taint), (smaller, other)) = (parts(larger), parts(smaller));
        self.joint.covering && taint == other && smaller.iter().zip(larger).all(|(s, l)| s & !l == 0)
    }

    fn heap_bytes(&self, column: &Column) -> usize {
        if column.0.spilled() { column.0.capacity() * size_of::<u64>() } else { 0 }
    }

    fn memory_bytes(&self, memory: &Monitors<N>) -> usize {
        memory.bytes()
    }
}

impl<M: MemoryModel, const N: usize> Telling<'_, '_, M, N> {
    fn transition(&self, kind: Kind) -> (u32, &(u32, Transition)) {
        let number = self.joint.machine.label(kind.label.expect("this flow tells labels apart")).transition;
        (number, &self.transitions[number as usize])
    }

    /// Whether the read of an edge goes wrong.
    fn goes_wrong(&self, views: &Views<N>, kind: Kind) -> bool {
        let op = self.joint.ops.all[kind.op as usize];
        let source = self.transition(kind).1.1.source;
        op.event.kind == EventKind::Read && self.joint.strike(&self.map, views, op.thread, source) == Strike::Unnoticed
    }
}
