//! The papers' formulation: all overwritten writes together, as views that are sets of (location, class of values).
//!
//! Needed for observational robustness, where a read that goes wrong for one write leaves the views of all others as they are; and, with the graph notion, the
//! twin of `hunt`. The rules are those of the models, over lanes instead of single bits.

use crate::automaton::Access;
use crate::awareness;
use crate::event::{EventKind, Transition};
use crate::futures::{Future, Outlooks};
use crate::hunt::{HuntResult, Op, Ops};
use crate::lanes::{BitReader, BitWriter, Block, Lanes};
use crate::machine::Machine;
use crate::models::{Axis, Cells, MemoryModel, Shape};
use crate::options::Notion;
use crate::prey::Prey;
use crate::taint::{Taint, TaintSets};
use rustc_hash::FxHashMap;
use steadfast_explore::largest_first::LargestFirst;
use steadfast_explore::{Bound, Budget, CoverSet, StateGraph};

/// Everything that the search needs.
pub struct Joint<'a, M, const W: usize> {
    /// The machine whose graph is searched.
    pub machine: &'a Machine<'a>,
    /// Its states and edges.
    pub graph: &'a StateGraph<W>,
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
pub enum Cause {
    /// The next access of this thread could take a stale write, and that could be noticed at once.
    Strike(usize),
    /// This thread depends on a register whose read went wrong.
    Noticed(usize),
}

/// The way to a violation.
#[derive(Clone, Debug)]
pub struct Trace {
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
    /// Per location and value, the two lanes.
    of: FxHashMap<(u16, u8), (Lanes<N>, Lanes<N>)>,
    /// Per class and local state: the lanes that a read, and that a write or update, could take.
    reads: Vec<Vec<Lanes<N>>>,
    writes: Vec<Vec<Lanes<N>>>,
}

/// A monitor state taken apart.
#[derive(Clone)]
struct Views<const N: usize> {
    awareness: Block<1>,
    model: Block<N>,
}

impl<M: MemoryModel, const W: usize> Joint<'_, M, W> {
    /// Searches everything; with `trace`, breadth first and remembering how a violation was reached.
    pub fn run(&self, prey: &[Prey]) -> Result<(HuntResult, Option<Trace>), Bound> {
        match prey.len() * 2 {
            0..=64 => self.search::<1>(prey),
            65..=128 => self.search::<2>(prey),
            129..=256 => self.search::<4>(prey),
            257..=1024 => self.search::<16>(prey),
            _ => self.search::<64>(prey),
        }
    }

    fn search<const N: usize>(&self, prey: &[Prey]) -> Result<(HuntResult, Option<Trace>), Bound> {
        let map = self.lane_map::<N>(prey);
        let transitions = self.machine.transitions();
        let representative = self.representatives(prey, &transitions);
        let mut views = Views {
            awareness: Block::new(&awareness::FIELDS, self.shape, self.shape.locations),
            model: Block::new(self.model.fields(), self.shape, map.count),
        };
        let width = (views.awareness.bits() + views.model.bits()).div_ceil(64).max(1);
        let mut search = Search::new(width, self.trace);
        let mut taints: Vec<TaintSets> = self.machine.automata.iter().map(|_| TaintSets::default()).collect();
        let mut result = HuntResult::default();

        let all = Lanes([u64::MAX >> (64 - self.shape.locations.clamp(1, 64))]);
        awareness::initial(&mut views.awareness, self.shape, all, Lanes::one);
        for &id in self.graph.initial() {
            let mut start = views.clone();
            self.simplify(&map, &mut start, self.outlook(id));
            search.insert((id, vec![0; self.machine.threads()].into()), &start, self.covering, Origin::ROOT);
        }
        let mut booked = (0, 0);
        let mut trace = None;
        while let Some(node) = search.pop() {
            if search.cover.is_covered(node) {
                continue;
            }
            let (key, _) = search.cover.get(node);
            let (id, taint) = search.keys[key as usize].clone();
            let mut reader = BitReader::new(search.cover.bits(node));
            views.awareness.unpack(&mut reader);
            views.model.unpack(&mut reader);
            let locals: Vec<u32> =
                (0..self.machine.threads()).map(|thread| self.machine.local(self.graph.state(id), thread)).collect();
            let wrong = match self.wrong_reads(&map, &views, &locals, &taint, &taints) {
                Ok(wrong) => wrong,
                Err(cause) => {
                    result.violation = true;
                    trace = Some(search.trace(node, cause));
                    break;
                }
            };
            for edge in self.graph.edges(id) {
                result.transitions += 1;
                let op = self.ops.all[self.ops.number(edge.label) as usize];
                let label = self.machine.label(edge.label);
                let (class, transition) = &transitions[label.transition as usize];
                let goes_wrong = wrong >> op.thread & 1 == 1 && op.event.kind == EventKind::Read;
                let automaton = &self.machine.automata[*class as usize];
                let step = (label.transition, transition);
                let after = match taints[*class as usize].after(automaton, step, taint[op.thread], goes_wrong) {
                    Taint::Noticed => {
                        result.violation = true;
                        let mut to_here = search.trace(node, Cause::Noticed(op.thread));
                        to_here.steps.push((edge.label, goes_wrong));
                        trace = Some(to_here);
                        break;
                    }
                    Taint::After(sets) => sets,
                };
                let mut next = views.clone();
                self.step(&map, &mut next, op, representative[label.transition as usize], goes_wrong);
                self.simplify(&map, &mut next, self.outlook(edge.target));
                for set in after {
                    let mut moved = taint.clone();
                    moved[op.thread] = set;
                    let moved = self.permutations[op.thread][op.place].iter().map(|&from| moved[from]).collect();
                    let origin = Origin { parent: node, label: edge.label, wrong: goes_wrong };
                    search.insert((edge.target, moved), &next, self.covering, origin);
                }
            }
            if result.violation {
                break;
            }
            if search.cover.len() as u64 >= booked.0 + 4096 {
                let now = (search.cover.len() as u64, search.cover.bytes() as u64);
                self.budget.add(now.0 - booked.0, now.1 - booked.1);
                booked = now;
                self.budget.check()?;
            }
        }
        result.states = search.cover.len() as u64;
        self.budget.add(result.states - booked.0, search.cover.bytes() as u64 - booked.1);
        Ok((result, trace))
    }

    fn outlook(&self, id: u32) -> &[Future] {
        &self.outlooks.combinations[self.outlooks.of_state[id as usize] as usize]
    }

    fn lane_map<const N: usize>(&self, prey: &[Prey]) -> LaneMap<N> {
        let none = || vec![Lanes::NONE; self.shape.locations];
        let mut map = LaneMap {
            count: prey.len() * 2,
            any: none(),
            plain: none(),
            of: FxHashMap::default(),
            reads: Vec::new(),
            writes: Vec::new(),
        };
        for (number, prey) in prey.iter().enumerate() {
            let lanes = (Lanes::one(2 * number), Lanes::one(2 * number + 1));
            let loc = prey.quarry.loc as usize;
            map.any[loc] = map.any[loc] | lanes.0;
            map.plain[loc] = map.plain[loc] | lanes.1;
            map.of.insert((prey.quarry.loc, prey.quarry.value), lanes);
        }
        let takes = |pick: &dyn Fn(&Access, &Prey) -> Lanes<N>, access: &Access| {
            let hit = |prey: &&Prey| access.loc == Some(prey.quarry.loc) && access.plain.is_none();
            prey.iter().filter(hit).fold(Lanes::NONE, |all, prey| all | pick(access, prey))
        };
        let lanes = &map.of;
        let reads = |access: &Access, prey: &Prey| match access.read_values.contains(prey.quarry.value) {
            true => lanes[&(prey.quarry.loc, prey.quarry.value)].0,
            false => Lanes::NONE,
        };
        let writes = |access: &Access, prey: &Prey| {
            let takes = access.writes || access.update_values.contains(prey.quarry.value);
            if takes && self.model.writes_violate() { lanes[&(prey.quarry.loc, prey.quarry.value)].1 } else { Lanes::NONE }
        };
        let table = |pick: &dyn Fn(&Access, &Prey) -> Lanes<N>| {
            self.accesses.iter().map(|class| class.iter().map(|access| takes(pick, access)).collect()).collect()
        };
        let (reads, writes) = (table(&reads), table(&writes));
        LaneMap { reads, writes, ..map }
    }

    /// For every transition, the class of the value that it overwrites.
    fn representatives(&self, prey: &[Prey], transitions: &[(u32, Transition)]) -> Vec<u8> {
        let mut of = vec![0; transitions.len()];
        for prey in prey {
            for &number in &prey.transitions {
                of[number as usize] = prey.quarry.value;
            }
        }
        of
    }

    /// Which threads' next plain read may go wrong; or why this is a violation.
    fn wrong_reads<const N: usize>(
        &self,
        map: &LaneMap<N>,
        views: &Views<N>,
        locals: &[u32],
        taint: &[u32],
        taints: &[TaintSets],
    ) -> Result<u64, Cause> {
        let mut wrong = 0;
        for (thread, &local) in locals.iter().enumerate() {
            let class = self.machine.class_of[thread];
            let automaton = &self.machine.automata[class];
            if taints[class].notices(automaton, local, taint[thread]) {
                return Err(Cause::Noticed(thread));
            }
            let access = &self.accesses[class][local as usize];
            let Some(loc) = access.loc.filter(|_| access.plain.is_none()) else { continue };
            let aware = awareness::aware(&views.awareness, thread).0[0] >> loc & 1 == 1;
            if !aware {
                continue;
            }
            let open = |seq_cst| self.model.open(&views.model, thread, seq_cst);
            if !(open(access.seq_cst.1) & map.writes[class][local as usize]).is_empty() {
                return Err(Cause::Strike(thread));
            }
            if !(open(access.seq_cst.0) & map.reads[class][local as usize]).is_empty() {
                // Leaving a spin loop is a use of the value that was read.
                if self.notion == Notion::Graph || !access.plain_read || !access.spins.is_empty() {
                    return Err(Cause::Strike(thread));
                }
                wrong |= 1 << thread;
            }
        }
        Ok(wrong)
    }

    fn step<const N: usize>(&self, map: &LaneMap<N>, views: &mut Views<N>, op: Op, overwritten: u8, wrong: bool) {
        let (event, actor) = (op.event, op.thread);
        let loc = event.loc as usize;
        if !wrong {
            let here = if event.is_plain() { Lanes::NONE } else { map.any[loc] | map.plain[loc] };
            self.model.access(&mut views.model, actor, event, here);
            if matches!(event.kind, EventKind::Write | EventKind::Update)
                && let Some(&(any, plain)) = map.of.get(&(event.loc, overwritten))
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
                let fields: Vec<usize> = views.model.fields(Axis::Thread).collect();
                fields.into_iter().for_each(|field| views.model.set(field, thread, Lanes::NONE));
            }
        }
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
            locations.iter().for_each(|&field| views.model.meet(field, loc, looked_at));
        }
    }
}

/// A state of the graph and the taint of every thread.
type Key = (u32, Box<[u32]>);

struct Search {
    keys: Vec<Key>,
    numbers: FxHashMap<Key, u32>,
    cover: CoverSet,
    queue: LargestFirst,
    buffer: Vec<u64>,
    /// In a trace, how every node was reached; nodes are then taken in the order in which they were made.
    origins: Option<Vec<Origin>>,
    next: u32,
}

impl Search {
    fn new(width: usize, trace: bool) -> Self {
        Self {
            keys: Vec::new(),
            numbers: FxHashMap::default(),
            cover: CoverSet::new(0, width),
            queue: LargestFirst::default(),
            buffer: vec![0; width],
            origins: trace.then(Vec::new),
            next: 0,
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
        while let Some(origin) = self.origins.as_ref().map(|origins| origins[at as usize]).filter(|o| o.parent != u32::MAX) {
            steps.push((origin.label, origin.wrong));
            at = origin.parent;
        }
        steps.reverse();
        Trace { steps, cause }
    }

    fn insert<const N: usize>(&mut self, key: Key, views: &Views<N>, covering: bool, origin: Origin) {
        let mut writer = BitWriter::new(&mut self.buffer);
        views.awareness.pack(&mut writer);
        views.model.pack(&mut writer);
        let number = *self.numbers.entry(key).or_insert_with_key(|key| {
            self.keys.push(key.clone());
            self.keys.len() as u32 - 1
        });
        let added = if covering {
            self.cover.insert(number, &self.buffer, 0)
        } else {
            self.cover.insert_exact(number, &self.buffer, 0)
        };
        match (added, &mut self.origins) {
            (Some(_), Some(origins)) => origins.push(origin),
            (Some(node), None) => self.queue.push(node, self.buffer.iter().map(|word| word.count_ones()).sum()),
            (None, _) => {}
        }
    }
}
