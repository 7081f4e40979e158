//! The papers' formulation: all overwritten writes together, as views that are sets of (location, class of values).
//!
//! Needed for observational robustness, where a read that goes wrong for one write leaves the views of all others as they are; and, with the graph notion, the
//! twin of `hunt`. The rules are those of the models, over lanes instead of single bits.

mod monitors;
mod races;
mod telling;
mod trace;

pub(crate) use telling::flow;
pub(crate) use trace::{Cause, Trace};

use crate::automaton::Access;
use crate::awareness;
use crate::check::LARGEST;
use crate::event::EventKind;
use crate::explored::Explored;
use crate::flow::Flow;
use crate::futures::{Future, Outlooks};
use crate::lanes::{Block, Lanes};
use crate::machine::Machine;
use crate::models::{Axis, Cells, MemoryModel, Shape};
use crate::ops::{Op, Ops};
use crate::options::Notion;
use crate::sweep::SweepResult;
use crate::tracker::Quarry;
use races::Races;
use rustc_hash::FxHashMap;
use std::ops::BitOr;
use steadfast_explore::{Bound, Budget};
use steadfast_ir::Pc;

/// How many lanes can be followed together.
pub(crate) const MOST_LANES: usize = 64 * u64::BITS as usize;

/// Everything that the search needs.
pub(crate) struct Joint<'a, M> {
    /// The machine whose graph is searched.
    pub machine: &'a Machine<'a>,
    /// Its states and edges.
    pub graph: &'a dyn Explored,
    /// The same, laid out by [`flow`].
    pub flow: &'a Flow,
    /// The memory model.
    pub model: &'a M,
    /// What must agree with SC.
    pub notion: Notion,
    /// How many threads and locations there are.
    pub shape: Shape,
    /// What the edges do to a monitor.
    pub ops: &'a Ops,
    /// What threads can still do, by state.
    pub outlooks: &'a Outlooks,
    /// The accesses of local states, by class.
    pub accesses: &'a [Vec<Access>],
    /// The ghost location, if its order is not to be observed.
    pub blind: Option<u16>,
    /// Whether views with more bits cover those with fewer.
    pub covering: bool,
    /// Whether bits that can no longer matter are cleared.
    pub relevance: bool,
    /// Thread permutations by (thread, place).
    pub permutations: &'a [Vec<Vec<usize>>],
    /// The shared budget.
    pub budget: &'a Budget<'a>,
}

/// Which lanes stand for what. Each prey has two: overwritten in any way, and overwritten by a plain write.
struct LaneMap<const N: usize> {
    count: usize,
    /// Per location, its lanes of either kind.
    any: Vec<Lanes<N>>,
    plain: Vec<Lanes<N>>,
    /// The two lanes of each quarry.
    of: FxHashMap<Quarry, (Lanes<N>, Lanes<N>)>,
    /// Per class and local state: the lanes that a read, and that a write or update, could take.
    reads: Vec<Vec<Lanes<N>>>,
    writes: Vec<Vec<Lanes<N>>>,
    /// By operation, what it overwrites.
    overwritten: Vec<Option<Quarry>>,
    races: Races<N>,
}

/// How an access could take a stale write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Strike {
    /// Not at all.
    None,
    /// By a read that goes wrong, which nobody has noticed yet.
    Unnoticed,
    /// So that it is a violation.
    Noticed,
    /// It is a plain access, and races with another one.
    Race,
}

impl Strike {
    fn is_violation(self) -> bool {
        matches!(self, Self::Noticed | Self::Race)
    }
}

/// A monitor state taken apart.
#[derive(Clone)]
struct Views<const N: usize> {
    awareness: Block<1>,
    model: Block<N>,
}

impl<const N: usize> Views<N> {
    /// Becomes the same as another one.
    fn copy(&mut self, other: &Self) {
        self.awareness.copy(&other.awareness);
        self.model.copy(&other.model);
    }
}

impl<M: MemoryModel> Joint<'_, M> {
    /// Searches everything.
    pub(crate) fn run(&self, prey: &[Quarry]) -> Result<SweepResult, Bound> {
        match self.lanes(prey) {
            0..=64 => telling::run::<M, 1>(self, prey),
            65..=128 => telling::run::<M, 2>(self, prey),
            129..=256 => telling::run::<M, 4>(self, prey),
            257..=1024 => telling::run::<M, 16>(self, prey),
            _ => telling::run::<M, 64>(self, prey),
        }
    }

    /// A shortest way to a violation, if there is one.
    pub(crate) fn trace(&self, prey: &[Quarry]) -> Result<Option<Trace>, Bound> {
        match self.lanes(prey) {
            0..=64 => trace::search::<M, 1>(self, prey),
            65..=128 => trace::search::<M, 2>(self, prey),
            129..=256 => trace::search::<M, 4>(self, prey),
            257..=1024 => trace::search::<M, 16>(self, prey),
            _ => trace::search::<M, 64>(self, prey),
        }
    }

    /// How many lanes it takes to follow all these.
    pub(crate) fn lanes(&self, prey: &[Quarry]) -> usize {
        prey.iter().map(|quarry| if quarry.race { races::lanes(self.shape) } else { 2 }).sum()
    }

    /// No views yet.
    fn empty<const N: usize>(&self, map: &LaneMap<N>) -> Views<N> {
        Views {
            awareness: Block::new(&awareness::FIELDS, self.shape, self.shape.locations),
            model: Block::new(self.model.fields(), self.shape, map.count),
        }
    }

    /// The views in an initial state.
    fn initial<const N: usize>(&self, map: &LaneMap<N>, outlook: u32) -> Views<N> {
        let mut start = self.empty(map);
        let all = Lanes([u64::MAX >> (64 - self.shape.locations.clamp(1, 64))]);
        awareness::initial(&mut start.awareness, self.shape, all, Lanes::one);
        self.simplify(map, &mut start, self.outlook(outlook));
        start
    }

    /// Where in the code a thread is in a local state.
    fn position(&self, thread: usize, local: u32) -> Pc {
        self.accesses[self.machine.class_of[thread]][local as usize].pc
    }

    fn outlook(&self, number: u32) -> &[Future] {
        &self.outlooks.combinations[number as usize]
    }

    fn lane_map<const N: usize>(&self, prey: &[Quarry]) -> LaneMap<N> {
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
        for quarry in prey {
            let first = map.count;
            if quarry.race {
                map.count += races::lanes(self.shape);
                map.races.follow(quarry.loc, first, self.shape);
                continue;
            }
            map.count += 2;
            let lanes = (Lanes::one(first), Lanes::one(first + 1));
            let loc = quarry.loc as usize;
            map.any[loc] = map.any[loc] | lanes.0;
            map.plain[loc] = map.plain[loc] | lanes.1;
            map.of.insert(*quarry, lanes);
        }
        let takes = |pick: &dyn Fn(&Access, &Quarry) -> Lanes<N>, access: &Access| {
            let hit = |quarry: &&Quarry| access.loc == Some(quarry.loc) && access.plain.is_none() && !quarry.race;
            prey.iter().filter(hit).fold(Lanes::NONE, |all, quarry| all | pick(access, quarry))
        };
        let lanes = &map.of;
        let reads = |access: &Access, quarry: &Quarry| {
            if quarry.taken_by(access).0 { lanes[quarry].0 } else { Lanes::NONE }
        };
        let writes = |access: &Access, quarry: &Quarry| {
            let takes = access.writes || quarry.taken_by(access).1;
            if takes && self.model.writes_violate() { lanes[quarry].1 } else { Lanes::NONE }
        };
        let table = |pick: &dyn Fn(&Access, &Quarry) -> Lanes<N>| {
            self.accesses.iter().map(|class| class.iter().map(|access| takes(pick, access)).collect()).collect()
        };
        let (reads, writes) = (table(&reads), table(&writes));
        let begins = |op: &Op| prey.iter().copied().find(|quarry| !quarry.race && quarry.begins_at(op));
        LaneMap { reads, writes, overwritten: self.ops.all.iter().map(begins).collect(), ..map }
    }

    /// What the next access of a thread, which is in this local state, could do.
    fn strike<const N: usize>(&self, map: &LaneMap<N>, views: &Views<N>, thread: usize, local: u32) -> Strike {
        let class = self.machine.class_of[thread];
        let access = &self.accesses[class][local as usize];
        let Some(loc) = access.loc else { return Strike::None };
        if let Some(writes) = access.plain {
            let unordered = self.model.unordered(&views.model, thread);
            let races = !(unordered & map.races.with(loc, writes)).is_empty();
            return if races { Strike::Race } else { Strike::None };
        }
        let aware = awareness::aware(&views.awareness, thread).0[0] >> loc & 1 == 1;
        if !aware {
            return Strike::None;
        }
        let open = |strict| self.model.open(&views.model, thread, strict);
        if !(open(access.strict.1) & map.writes[class][local as usize]).is_empty() {
            return Strike::Noticed;
        }
        if (open(access.strict.0) & map.reads[class][local as usize]).is_empty() {
            return Strike::None;
        }
        // Leaving a spin loop is a use of the value that was read.
        let noticed = self.notion == Notion::Graph || !access.plain_read || !access.spins.is_empty();
        if noticed { Strike::Noticed } else { Strike::Unnoticed }
    }

    fn step<const N: usize>(
        &self,
        map: &LaneMap<N>,
        views: &mut Views<N>,
        op: Op,
        overwritten: Option<Quarry>,
        wrong: bool,
    ) {
        let (event, actor) = (op.event, op.thread);
        let loc = event.loc as usize;
        if !wrong {
            let here = if event.is_plain() { Lanes::NONE } else { map.any[loc] | map.plain[loc] };
            self.model.access(&mut views.model, actor, event, here);
            if matches!(event.kind, EventKind::Write | EventKind::Update)
                && let Some(&(any, plain)) = overwritten.and_then(|quarry| map.of.get(&quarry))
            {
                let lanes = if event.kind == EventKind::Write { any | plain } else { any };
                self.model.overwritten(&mut views.model, self.shape, lanes, actor, event);
            }
            if event.is_plain() {
                let lanes = map.races.by(loc as u16, actor, event.kind == EventKind::PlainWrite);
                self.model.overwritten(&mut views.model, self.shape, lanes, actor, event);
            }
        }
        if Some(event.loc) != self.blind {
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
    fn simplify<const N: usize>(&self, map: &LaneMap<N>, views: &mut Views<N>, futures: &[Future]) {
        if !self.relevance {
            return;
        }
        let on = |set: u64, index: usize| set >> index & 1 == 1;
        let mut wanted = Lanes::NONE;
        let mut hunted = [0_u64; LARGEST];
        for (thread, future) in futures.iter().enumerate() {
            let open = self.model.open(&views.model, thread, false);
            for loc in 0..self.shape.locations {
                let mut lanes = Lanes::NONE;
                if on(future.reads, loc) {
                    lanes = lanes | map.any[loc];
                }
                if on(future.writes, loc) && self.model.writes_violate() {
                    lanes = lanes | map.plain[loc];
                }
                let hit = open & lanes;
                wanted = wanted | hit;
                hunted[thread] |= u64::from(!hit.is_empty()) << loc;
                if on(future.plain, loc) {
                    wanted = wanted | self.model.unordered(&views.model, thread) & map.races.with(loc as u16, true);
                }
            }
        }
        views.model.keep(wanted);
        let mut aware = [0_u64; LARGEST];
        for (thread, aware) in aware.iter_mut().enumerate().take(futures.len()) {
            *aware = awareness::aware(&views.awareness, thread).0[0];
        }
        let unaware = hunted.iter().zip(&aware).fold(0, |all, (hunted, aware)| all | hunted & !aware);
        for (thread, future) in futures.iter().enumerate() {
            let keep = if future.active { hunted[thread] | unaware } else { hunted[thread] };
            views.awareness.meet(0, thread, Lanes([keep]));
            if !future.active {
                views.model.clear_thread(thread);
            }
        }
        self.model.settle(&mut views.model, futures);
        let plan = views.model.plan();
        for loc in 0..self.shape.locations {
            let (mut by_write, mut by_read, mut looked_at) = (0, 0, Lanes::NONE);
            for (thread, future) in futures.iter().enumerate() {
                by_write |= if on(future.writes, loc) { !aware[thread] } else { 0 };
                by_read |= if on(future.reads, loc) { !aware[thread] } else { 0 };
                if on(future.reads | future.writes, loc) {
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
