//! The papers' formulation: all overwritten writes together, as views that are sets of (location, class of values).
//!
//! Needed for observational robustness, where a read that goes wrong for one write leaves the views of all others as they are; and, with the graph notion, the
//! twin of `hunt`. The rules are those of the models, over lanes instead of single bits.

use crate::automaton::Access;
use crate::awareness;
use crate::event::EventKind;
use crate::explored::Explored;
use crate::futures::{Future, Outlooks};
use crate::hunt::HuntResult;
use crate::lanes::{BitWriter, Block, Lanes};
use crate::machine::Machine;
use crate::models::{Axis, Cells, MemoryModel, Shape};
use crate::ops::{Op, Ops};
use crate::options::Notion;
use crate::taint::{Taints, UNTAINTED};
use crate::tracker::Quarry;
use rustc_hash::FxHashMap;
use steadfast_explore::largest_first::LargestFirst;
use steadfast_explore::{Bound, Budget, CoverSet, StateId};

/// Everything that the search needs.
pub(crate) struct Joint<'a, M> {
    /// The machine whose graph is searched.
    pub machine: &'a Machine<'a>,
    /// Its states and edges.
    pub graph: &'a dyn Explored,
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
    /// Whether to go breadth first and remember the way.
    pub trace: bool,
    /// The shared budget.
    pub budget: &'a Budget<'a>,
}

/// Why a state is a violation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cause {
    /// The next access of this thread could take a stale write, and that could be noticed at once.
    Strike(usize),
    /// This thread depends on a register whose read went wrong.
    Noticed(usize),
}

/// The way to a violation.
#[derive(Clone, Debug)]
pub(crate) struct Trace {
    /// The labels of the steps, and whether the read of the step went wrong.
    pub steps: Vec<(u32, bool)>,
    /// What is wrong in the end.
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
}

/// A monitor state taken apart.
#[derive(Clone)]
struct Views<const N: usize> {
    awareness: Block<1>,
    model: Block<N>,
}

impl<M: MemoryModel> Joint<'_, M> {
    /// Searches everything; with `trace`, breadth first and remembering how a violation was reached.
    pub(crate) fn run(&self, prey: &[Quarry]) -> Result<(HuntResult, Option<Trace>), Bound> {
        match prey.len() * 2 {
            0..=64 => self.search::<1>(prey),
            65..=128 => self.search::<2>(prey),
            129..=256 => self.search::<4>(prey),
            257..=1024 => self.search::<16>(prey),
            _ => self.search::<64>(prey),
        }
    }

    fn search<const N: usize>(&self, prey: &[Quarry]) -> Result<(HuntResult, Option<Trace>), Bound> {
        let map = self.lane_map::<N>(prey);
        let transitions = self.machine.transitions();
        let mut monitors = Monitors::new(Views {
            awareness: Block::new(&awareness::FIELDS, self.shape, self.shape.locations),
            model: Block::new(self.model.fields(), self.shape, map.count),
        });
        let mut search = Search::new(monitors.width, self.graph.id_bound(), self.trace);
        let mut taints = Taints::new(self.machine);
        let mut result = HuntResult::default();
        let mut trace = None;
        for &id in self.graph.initial() {
            let mut start = monitors.empty.clone();
            let all = Lanes([u64::MAX >> (64 - self.shape.locations.clamp(1, 64))]);
            awareness::initial(&mut start.awareness, self.shape, all, Lanes::one);
            self.simplify(&map, &mut start, self.outlook(self.outlooks.of(id)));
            let monitor = monitors.number(&start);
            search.insert((id, UNTAINTED), monitors.packed(monitor), monitor, self.covering, Origin::ROOT);
        }
        let mut booked = (0, 0);
        'search: while let Some(node) = search.pop() {
            if search.cover.is_covered(node) {
                continue;
            }
            let (key, monitor) = search.cover.get(node);
            let (id, taint) = search.key(key);
            let wrong = match self.wrong_reads(&map, &monitors.all[monitor as usize], id, taint, &taints) {
                Ok(wrong) => wrong,
                Err(cause) => {
                    result.violation = true;
                    trace = Some(search.trace(node, cause));
                    break;
                }
            };
            for edge in self.graph.edges(id) {
                result.transitions += 1;
                let number = self.ops.number(edge.label);
                let op = self.ops.all[number as usize];
                let transition = self.machine.label(edge.label).transition;
                let goes_wrong = wrong >> op.thread & 1 == 1 && op.event.kind == EventKind::Read;
                let outlook = self.outlooks.of(edge.target);
                let step = Step { monitor, op: number, goes_wrong, outlook };
                let next = monitors.memo(step, |views| {
                    self.step(&map, views, op, map.overwritten[number as usize], goes_wrong);
                    self.simplify(&map, views, self.outlook(outlook));
                });
                let origin = Origin { parent: node, label: edge.label, wrong: goes_wrong };
                if taint == UNTAINTED && !goes_wrong {
                    search.insert((edge.target, taint), monitors.packed(next), next, self.covering, origin);
                    continue;
                }
                let from = &self.permutations[op.thread][op.place];
                let Some(after) =
                    taints.after((&transitions[transition as usize], transition), op.thread, from, taint, goes_wrong)
                else {
                    result.violation = true;
                    let mut to_here = search.trace(node, Cause::Noticed(op.thread));
                    to_here.steps.push((edge.label, goes_wrong));
                    trace = Some(to_here);
                    break 'search;
                };
                for &taint in &*after {
                    search.insert((edge.target, taint), monitors.packed(next), next, self.covering, origin);
                }
            }
            if search.cover.len() as u64 >= booked.0 + 4096 {
                let now = (search.cover.len() as u64, (search.cover.bytes() + monitors.bytes()) as u64);
                self.budget.add(now.0 - booked.0, now.1.saturating_sub(booked.1));
                booked = now;
                self.budget.check()?;
            }
        }
        result.states = search.cover.len() as u64;
        self.budget.add(result.states - booked.0, 0);
        self.budget.release(booked.1);
        Ok((result, trace))
    }

    fn outlook(&self, number: u32) -> &[Future] {
        &self.outlooks.combinations[number as usize]
    }

    fn lane_map<const N: usize>(&self, prey: &[Quarry]) -> LaneMap<N> {
        let none = || vec![Lanes::NONE; self.shape.locations];
        let mut map = LaneMap {
            count: prey.len() * 2,
            any: none(),
            plain: none(),
            of: FxHashMap::default(),
            reads: Vec::new(),
            writes: Vec::new(),
            overwritten: Vec::new(),
        };
        for (number, quarry) in prey.iter().enumerate() {
            let lanes = (Lanes::one(2 * number), Lanes::one(2 * number + 1));
            let loc = quarry.loc as usize;
            map.any[loc] = map.any[loc] | lanes.0;
            map.plain[loc] = map.plain[loc] | lanes.1;
            map.of.insert(*quarry, lanes);
        }
        let takes = |pick: &dyn Fn(&Access, &Quarry) -> Lanes<N>, access: &Access| {
            let hit = |quarry: &&Quarry| access.loc == Some(quarry.loc) && access.plain.is_none();
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
        let begins = |op: &Op| prey.iter().copied().find(|quarry| quarry.begins_at(op));
        LaneMap { reads, writes, overwritten: self.ops.all.iter().map(begins).collect(), ..map }
    }

    /// Which threads' next plain read may go wrong; or why this is a violation.
    fn wrong_reads<const N: usize>(
        &self,
        map: &LaneMap<N>,
        views: &Views<N>,
        id: StateId,
        taint: u32,
        taints: &Taints<'_>,
    ) -> Result<u64, Cause> {
        let mut wrong = 0;
        for thread in 0..self.machine.threads() {
            let class = self.machine.class_of[thread];
            let local = self.graph.local(id, thread);
            if taint != UNTAINTED && taints.notices(thread, local, taint) {
                return Err(Cause::Noticed(thread));
            }
            let access = &self.accesses[class][local as usize];
            let Some(loc) = access.loc.filter(|_| access.plain.is_none()) else { continue };
            let aware = awareness::aware(&views.awareness, thread).0[0] >> loc & 1 == 1;
            if !aware {
                continue;
            }
            let open = |strict| self.model.open(&views.model, thread, strict);
            if !(open(access.strict.1) & map.writes[class][local as usize]).is_empty() {
                return Err(Cause::Strike(thread));
            }
            if !(open(access.strict.0) & map.reads[class][local as usize]).is_empty() {
                // Leaving a spin loop is a use of the value that was read.
                if self.notion == Notion::Graph || !access.plain_read || !access.spins.is_empty() {
                    return Err(Cause::Strike(thread));
                }
                wrong |= 1 << thread;
            }
        }
        Ok(wrong)
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
        }
    }

    /// Clears the bits that can no longer matter.
    fn simplify<const N: usize>(&self, map: &LaneMap<N>, views: &mut Views<N>, futures: &[Future]) {
        if !self.relevance {
            return;
        }
        let on = |set: u64, index: usize| set >> index & 1 == 1;
        let mut wanted = Lanes::NONE;
        let mut hunted = vec![0_u64; futures.len()];
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
            }
        }
        views.model.keep(wanted);
        let aware: Vec<u64> = (0..futures.len()).map(|t| awareness::aware(&views.awareness, t).0[0]).collect();
        let unaware = hunted.iter().zip(&aware).fold(0, |all, (hunted, aware)| all | hunted & !aware);
        for (thread, future) in futures.iter().enumerate() {
            let keep = if future.active { hunted[thread] | unaware } else { hunted[thread] };
            views.awareness.meet(0, thread, Lanes([keep]));
            if !future.active {
                views.model.clear_thread(thread);
            }
        }
        self.model.settle(&mut views.model, futures);
        let threads: Vec<usize> = views.model.fields(Axis::Thread).collect();
        let locations: Vec<usize> = views.model.fields(Axis::Location).collect();
        for loc in 0..self.shape.locations {
            let (mut by_write, mut by_read, mut looked_at) = (0, 0, Lanes::NONE);
            for (thread, future) in futures.iter().enumerate() {
                by_write |= if on(future.writes, loc) { !aware[thread] } else { 0 };
                by_read |= if on(future.reads, loc) { !aware[thread] } else { 0 };
                if on(future.reads | future.writes, loc) {
                    let cells = threads.iter().fold(Lanes::NONE, |all, &field| all | views.model.get(field, thread));
                    looked_at = looked_at | cells;
                }
            }
            views.awareness.meet(1, loc, Lanes([unaware & by_write]));
            views.awareness.meet(2, loc, Lanes([unaware & by_read]));
            for &field in &locations {
                views.model.meet(field, loc, looked_at);
            }
        }
    }
}

/// All distinct monitor states, and the steps between them; they are few compared with the states of the search.
struct Monitors<const N: usize> {
    empty: Views<N>,
    width: usize,
    all: Vec<Views<N>>,
    words: Vec<u64>,
    numbers: FxHashMap<Box<[u64]>, u32>,
    steps: FxHashMap<Step, u32>,
    buffer: Vec<u64>,
}

/// Everything that the next monitor state depends on.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Step {
    monitor: u32,
    op: u32,
    goes_wrong: bool,
    outlook: u32,
}

impl<const N: usize> Monitors<N> {
    fn new(empty: Views<N>) -> Self {
        let width = (empty.awareness.bits() + empty.model.bits()).div_ceil(64).max(1);
        Self {
            empty,
            width,
            all: Vec::new(),
            words: Vec::new(),
            numbers: FxHashMap::default(),
            steps: FxHashMap::default(),
            buffer: vec![0; width],
        }
    }

    fn packed(&self, monitor: u32) -> &[u64] {
        &self.words[monitor as usize * self.width..][..self.width]
    }

    fn number(&mut self, views: &Views<N>) -> u32 {
        let mut writer = BitWriter::new(&mut self.buffer);
        views.awareness.pack(&mut writer);
        views.model.pack(&mut writer);
        if let Some(&known) = self.numbers.get(self.buffer.as_slice()) {
            return known;
        }
        let number = self.all.len() as u32;
        self.all.push(views.clone());
        self.words.extend_from_slice(&self.buffer);
        self.numbers.insert(self.buffer.as_slice().into(), number);
        number
    }

    fn memo(&mut self, step: Step, take: impl FnOnce(&mut Views<N>)) -> u32 {
        if let Some(&next) = self.steps.get(&step) {
            return next;
        }
        let mut views = self.all[step.monitor as usize].clone();
        take(&mut views);
        let next = self.number(&views);
        self.steps.insert(step, next);
        next
    }

    fn bytes(&self) -> usize {
        self.all.len() * (self.width * 24 + 256) + self.steps.len() * 40
    }
}

/// A state of the graph and the number of its threads' taints.
type Key = (StateId, u32);

/// Keys are numbered: untainted states by their own number, the others behind them.
struct Search {
    states: usize,
    tainted: Vec<Key>,
    numbers: FxHashMap<Key, u32>,
    cover: CoverSet,
    queue: LargestFirst,
    /// In a trace, how every node was reached; nodes are then taken in the order in which they were made.
    origins: Option<Vec<Origin>>,
    next: u32,
}

impl Search {
    fn new(width: usize, states: usize, trace: bool) -> Self {
        Self {
            states,
            tainted: Vec::new(),
            numbers: FxHashMap::default(),
            cover: CoverSet::new(states, width),
            queue: LargestFirst::default(),
            origins: trace.then(Vec::new),
            next: 0,
        }
    }

    fn key(&self, number: u32) -> Key {
        match (number as usize).checked_sub(self.states) {
            None => (number, UNTAINTED),
            Some(place) => self.tainted[place],
        }
    }

    fn pop(&mut self) -> Option<u32> {
        if self.origins.is_none() {
            return self.queue.pop();
        }
        let node = self.next;
        self.next += 1;
        ((node as usize) < self.cover.len()).then_some(node)
    }

    fn trace(&self, node: u32, cause: Cause) -> Trace {
        let mut steps = Vec::new();
        let mut at = node;
        while let Some(origin) =
            self.origins.as_ref().map(|origins| origins[at as usize]).filter(|o| o.parent != u32::MAX)
        {
            steps.push((origin.label, origin.wrong));
            at = origin.parent;
        }
        steps.reverse();
        Trace { steps, cause }
    }

    fn insert(&mut self, key: Key, bits: &[u64], monitor: u32, covering: bool, origin: Origin) {
        let number = match key {
            (id, UNTAINTED) => id,
            _ => *self.numbers.entry(key).or_insert_with(|| {
                self.tainted.push(key);
                (self.states + self.tainted.len() - 1) as u32
            }),
        };
        let added = if covering {
            self.cover.insert(number, bits, monitor)
        } else {
            self.cover.insert_exact(number, bits, monitor)
        };
        match (added, &mut self.origins) {
            (Some(_), Some(origins)) => origins.push(origin),
            (Some(node), None) => self.queue.push(node, bits.iter().map(|word| word.count_ones()).sum()),
            (None, _) => {}
        }
    }
}
