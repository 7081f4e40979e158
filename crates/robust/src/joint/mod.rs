//! The papers' formulation: views for all overwritten writes together, as sets of (location, class of values).
//!
//! It is needed for observational robustness, where a wrong read leaves the views of all writes unchanged. With the graph notion, it is the twin of `single`. The rules are those of the models,
//! over vectors with a lane per stale write instead of single bits.

mod monitor;
mod races;
mod trace;
mod view_table;

pub(crate) use monitor::flow;
pub(crate) use trace::{Cause, Trace};

use crate::automaton::NextAccess;
use crate::awareness;
use crate::check::LARGEST;
use crate::event::EventKind;
use crate::explored::Explored;
use crate::flow::Flow;
use crate::lanes::{Block, Lanes};
use crate::machine::Machine;
use crate::models::{Axis, Cells, MemoryModel, Shape};
use crate::ops::{Op, Ops};
use crate::remaining::{Remaining, Sites};
use crate::sweep::SweepResult;
use crate::tracker::StaleWrite;
use races::Races;
use rustc_hash::FxHashMap;
use std::ops::BitOr;
use steadfast_explore::{Bound, Budget};
use steadfast_ir::Pc;
use steadfast_model::Notion;

/// The largest number of lanes.
pub(crate) const MOST_LANES: usize = 64 * u64::BITS as usize;

/// What the search needs.
pub(crate) struct JointSearch<'a, M> {
    /// The machine whose graph is searched.
    pub machine: &'a Machine<'a>,
    /// Its states and edges.
    pub graph: &'a dyn Explored,
    /// The same graph, laid out by [`flow`].
    pub flow: &'a Flow,
    /// The memory model.
    pub model: &'a M,
    /// What must agree with SC.
    pub notion: Notion,
    /// How many threads and locations there are.
    pub shape: Shape,
    /// What each edge does to a monitor.
    pub ops: &'a Ops,
    /// What the threads can still do, by state.
    pub sites: &'a Sites,
    /// The next accesses, by class of threads and local state.
    pub accesses: &'a [Vec<NextAccess>],
    /// The ghost location of the `seq_cst` fences, if the order of its accesses does not count as observable.
    pub unobserved_ghost: Option<u16>,
    /// Whether views with more bits cover those with fewer.
    pub covering: bool,
    /// Whether bits that can no longer matter are cleared.
    pub relevance: bool,
    /// Permutations of threads, by thread and place.
    pub permutations: &'a [Vec<Vec<usize>>],
    /// The shared budget.
    pub budget: &'a Budget<'a>,
}

/// Which lane stands for what. Each stale write has two: it was overwritten in any way, and it was overwritten by a plain write.
struct LaneMap<const N: usize> {
    count: usize,
    /// By location, its lanes of either kind.
    any: Vec<Lanes<N>>,
    plain: Vec<Lanes<N>>,
    /// The two lanes of each stale write.
    of: FxHashMap<StaleWrite, (Lanes<N>, Lanes<N>)>,
    /// By class and local state: the lanes that a read could take, and those that a write or update could take.
    reads: Vec<Vec<Lanes<N>>>,
    writes: Vec<Vec<Lanes<N>>>,
    /// By operation, the write that it overwrites.
    overwritten: Vec<Option<StaleWrite>>,
    races: Races<N>,
}

/// Whether and how the next access of a thread can leave SC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LeavesSc {
    /// It cannot.
    No,
    /// A read can take a stale write, and the program does not notice at once.
    Unnoticed,
    /// It can take a stale write, and that is a violation.
    Noticed,
    /// It is a plain access and races with another one.
    Race,
}

impl LeavesSc {
    fn is_violation(self) -> bool {
        matches!(self, Self::Noticed | Self::Race)
    }
}

/// A monitor state, unpacked.
#[derive(Clone)]
struct Views<const N: usize> {
    awareness: Block<1>,
    model: Block<N>,
}

impl<const N: usize> Views<N> {
    /// Makes these views equal to others.
    fn copy(&mut self, other: &Self) {
        self.awareness.copy(&other.awareness);
        self.model.copy(&other.model);
    }
}

impl<M: MemoryModel> JointSearch<'_, M> {
    /// Searches the whole graph.
    pub(crate) fn run(&self, stale_writes: &[StaleWrite]) -> Result<SweepResult, Bound> {
        match self.lanes(stale_writes) {
            0..=64 => monitor::run::<M, 1>(self, stale_writes),
            65..=128 => monitor::run::<M, 2>(self, stale_writes),
            129..=256 => monitor::run::<M, 4>(self, stale_writes),
            257..=1024 => monitor::run::<M, 16>(self, stale_writes),
            _ => monitor::run::<M, 64>(self, stale_writes),
        }
    }

    /// A shortest run to a violation, if there is one.
    pub(crate) fn trace(&self, stale_writes: &[StaleWrite]) -> Result<Option<Trace>, Bound> {
        match self.lanes(stale_writes) {
            0..=64 => trace::search::<M, 1>(self, stale_writes),
            65..=128 => trace::search::<M, 2>(self, stale_writes),
            129..=256 => trace::search::<M, 4>(self, stale_writes),
            257..=1024 => trace::search::<M, 16>(self, stale_writes),
            _ => trace::search::<M, 64>(self, stale_writes),
        }
    }

    /// How many lanes these stale writes need.
    pub(crate) fn lanes(&self, stale_writes: &[StaleWrite]) -> usize {
        stale_writes.iter().map(|stale_write| if stale_write.race { races::lanes(self.shape) } else { 2 }).sum()
    }

    /// Empty views.
    fn empty<const N: usize>(&self, map: &LaneMap<N>) -> Views<N> {
        Views {
            awareness: Block::new(&awareness::FIELDS, self.shape, self.shape.locations),
            model: Block::new(self.model.fields(), self.shape, map.count),
        }
    }

    /// The views in an initial state.
    fn initial<const N: usize>(&self, map: &LaneMap<N>, remaining: u32) -> Views<N> {
        let mut start = self.empty(map);
        let all = Lanes([u64::MAX >> (64 - self.shape.locations.clamp(1, 64))]);
        awareness::initial(&mut start.awareness, self.shape, all, Lanes::one);
        self.simplify(map, &mut start, self.remaining(remaining));
        start
    }

    /// The position in the code of a thread in a local state.
    fn position(&self, thread: usize, local: u32) -> Pc {
        self.accesses[self.machine.class_of[thread]][local as usize].pc
    }

    fn remaining(&self, number: u32) -> &[Remaining] {
        &self.sites.remaining[number as usize]
    }

    fn lane_map<const N: usize>(&self, stale_writes: &[StaleWrite]) -> LaneMap<N> {
        let none = || vec![Lanes::NONE; self.shape.locations];
        let mut map = LaneMap {
            count: 0,
            any: none(),
            plain: none(),
            of: FxHashMap::default(),
            reads: Vec::new(),
            writes: Vec::new(),
            overwritten: Vec::new(),
            races: Races::default(),
        };
        for stale_write in stale_writes {
            let first = map.count;
            if stale_write.race {
                map.count += races::lanes(self.shape);
                map.races.follow(stale_write.loc, first, self.shape);
                continue;
            }
            map.count += 2;
            let lanes = (Lanes::one(first), Lanes::one(first + 1));
            let loc = stale_write.loc as usize;
            map.any[loc] = map.any[loc] | lanes.0;
            map.plain[loc] = map.plain[loc] | lanes.1;
            map.of.insert(*stale_write, lanes);
        }
        let takes = |pick: &dyn Fn(&NextAccess, &StaleWrite) -> Lanes<N>, access: &NextAccess| {
            let hit = |stale_write: &&StaleWrite| {
                access.loc == Some(stale_write.loc) && access.plain.is_none() && !stale_write.race
            };
            stale_writes.iter().filter(hit).fold(Lanes::NONE, |all, stale_write| all | pick(access, stale_write))
        };
        let lanes = &map.of;
        let reads = |access: &NextAccess, stale_write: &StaleWrite| {
            if stale_write.taken_by(access).0 { lanes[stale_write].0 } else { Lanes::NONE }
        };
        let writes = |access: &NextAccess, stale_write: &StaleWrite| {
            let takes = access.writes || stale_write.taken_by(access).1;
            if takes && self.model.writes_violate() { lanes[stale_write].1 } else { Lanes::NONE }
        };
        let table = |pick: &dyn Fn(&NextAccess, &StaleWrite) -> Lanes<N>| {
            self.accesses.iter().map(|class| class.iter().map(|access| takes(pick, access)).collect()).collect()
        };
        let (reads, writes) = (table(&reads), table(&writes));
        let begins =
            |op: &Op| stale_writes.iter().copied().find(|stale_write| !stale_write.race && stale_write.begins_at(op));
        LaneMap { reads, writes, overwritten: self.ops.all.iter().map(begins).collect(), ..map }
    }

    /// Whether and how the next access of a thread in this local state can leave SC.
    fn leaves_sc<const N: usize>(&self, map: &LaneMap<N>, views: &Views<N>, thread: usize, local: u32) -> LeavesSc {
        let class = self.machine.class_of[thread];
        let access = &self.accesses[class][local as usize];
        let Some(loc) = access.loc else { return LeavesSc::No };
        if let Some(writes) = access.plain {
            let unordered = self.model.unordered(&views.model, thread);
            let races = !(unordered & map.races.with(loc, writes)).is_empty();
            return if races { LeavesSc::Race } else { LeavesSc::No };
        }
        let aware = awareness::aware(&views.awareness, thread).0[0] >> loc & 1 == 1;
        if !aware {
            return LeavesSc::No;
        }
        let open = |strict| self.model.open(&views.model, thread, strict);
        if !(open(access.strict.1) & map.writes[class][local as usize]).is_empty() {
            return LeavesSc::Noticed;
        }
        if (open(access.strict.0) & map.reads[class][local as usize]).is_empty() {
            return LeavesSc::No;
        }
        // Leaving a spin loop uses the value that was read.
        let noticed = self.notion == Notion::Graph || !access.plain_read || !access.spins.is_empty();
        if noticed { LeavesSc::Noticed } else { LeavesSc::Unnoticed }
    }

    fn step<const N: usize>(
        &self,
        map: &LaneMap<N>,
        views: &mut Views<N>,
        op: Op,
        overwritten: Option<StaleWrite>,
        wrong: bool,
    ) {
        let (event, actor) = (op.event, op.thread);
        let loc = event.loc as usize;
        if !wrong {
            let here = if event.is_plain() { Lanes::NONE } else { map.any[loc] | map.plain[loc] };
            self.model.access(&mut views.model, actor, event, here);
            if matches!(event.kind, EventKind::Write | EventKind::Update)
                && let Some(&(any, plain)) = overwritten.and_then(|stale_write| map.of.get(&stale_write))
            {
                let lanes = if event.kind == EventKind::Write { any | plain } else { any };
                self.model.overwritten(&mut views.model, self.shape, lanes, actor, event);
            }
            if event.is_plain() {
                let lanes = map.races.by(loc as u16, actor, event.kind == EventKind::PlainWrite);
                self.model.overwritten(&mut views.model, self.shape, lanes, actor, event);
            }
        }
        if Some(event.loc) != self.unobserved_ghost {
            awareness::access(&mut views.awareness, self.shape, actor, event, Some(Lanes::one(loc)));
        }
        for &order in op.fences.steps() {
            self.model.fence(&mut views.model, actor, order);
        }
        if op.thread != op.place {
            let from = &self.permutations[op.thread][op.place];
            views.awareness.permute(from);
            views.model.permute(from);
            map.races.permute(&mut views.model, from);
        }
    }

    /// Clears the bits that can no longer matter.
    fn simplify<const N: usize>(&self, map: &LaneMap<N>, views: &mut Views<N>, remaining: &[Remaining]) {
        if !self.relevance {
            return;
        }
        let on = |set: u64, index: usize| set >> index & 1 == 1;
        let mut wanted = Lanes::NONE;
        let mut takes = [0_u64; LARGEST];
        for (thread, rest) in remaining.iter().enumerate() {
            let open = self.model.open(&views.model, thread, false);
            for loc in 0..self.shape.locations {
                let mut lanes = Lanes::NONE;
                if on(rest.reads, loc) {
                    lanes = lanes | map.any[loc];
                }
                if on(rest.writes, loc) && self.model.writes_violate() {
                    lanes = lanes | map.plain[loc];
                }
                let hit = open & lanes;
                wanted = wanted | hit;
                takes[thread] |= u64::from(!hit.is_empty()) << loc;
                if on(rest.plain, loc) {
                    wanted = wanted | self.model.unordered(&views.model, thread) & map.races.with(loc as u16, true);
                }
            }
        }
        views.model.keep(wanted);
        let mut aware = [0_u64; LARGEST];
        for (thread, aware) in aware.iter_mut().enumerate().take(remaining.len()) {
            *aware = awareness::aware(&views.awareness, thread).0[0];
        }
        let unaware = takes.iter().zip(&aware).fold(0, |all, (takes, aware)| all | takes & !aware);
        for (thread, rest) in remaining.iter().enumerate() {
            let keep = if rest.active { takes[thread] | unaware } else { takes[thread] };
            views.awareness.meet(0, thread, Lanes([keep]));
            if !rest.active {
                views.model.clear_thread(thread);
            }
        }
        self.model.settle(&mut views.model, remaining);
        let plan = views.model.plan();
        for loc in 0..self.shape.locations {
            let (mut by_write, mut by_read, mut looked_at) = (0, 0, Lanes::NONE);
            for (thread, rest) in remaining.iter().enumerate() {
                by_write |= if on(rest.writes, loc) { !aware[thread] } else { 0 };
                by_read |= if on(rest.reads, loc) { !aware[thread] } else { 0 };
                if on(rest.reads | rest.writes, loc) {
                    let cells = plan.fields(Axis::Thread).map(|field| views.model.get(field, thread));
                    looked_at = cells.fold(looked_at, BitOr::bitor);
                }
            }
            views.awareness.meet(1, loc, Lanes([unaware & by_write]));
            views.awareness.meet(2, loc, Lanes([unaware & by_read]));
            for field in plan.fields(Axis::Location) {
                views.model.meet(field, loc, looked_at);
            }
        }
    }
}
