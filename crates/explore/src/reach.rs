//! Reachability: visits every state once and keeps all edges.
//!
//! The search is breadth first, in rounds. In a round, workers expand chunks of the frontier and sort the successors by the shard that owns them (the hash of a state chooses its owner). Then
//! the shards insert them, chunk by chunk in order. So the result is the same for any number of workers, and no lock is needed.

use crate::parallel::parallel_map;
use crate::store::{Shard, hash};
use crate::{Bound, Budget};
use std::sync::atomic::{AtomicU32, Ordering};

/// A finite transition system with states of `W` words.
pub trait System<const W: usize>: Sync {
    /// The private data of a worker, such as caches and buffers.
    type Worker<'a>: Send
    where
        Self: 'a;

    /// Prepares a worker.
    fn worker(&self) -> Self::Worker<'_>;

    /// The initial states.
    fn initial(&self) -> Vec<[u64; W]>;

    /// Appends the labelled successors of a state.
    fn expand(&self, worker: &mut Self::Worker<'_>, state: &[u64; W], successors: &mut Vec<(u32, [u64; W])>);

    /// Whether the search can stop early. Called between rounds.
    fn stopped(&self) -> bool {
        false
    }
}

/// A state of a [`StateGraph`].
pub type StateId = u32;

/// A labelled edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The system's label.
    pub label: u32,
    /// The state that it leads to.
    pub target: StateId,
}

/// All reachable states and edges.
#[derive(Debug)]
pub struct StateGraph<const W: usize> {
    shards: Vec<Shard<W>>,
    /// By state number, where its edges are: the block, the first place in it, and how many.
    edges_of: Vec<EdgeRange>,
    /// The edges, in blocks so that no huge vector is ever copied, in the order in which states were expanded.
    blocks: Vec<Vec<Edge>>,
    /// The states in the order in which they were expanded.
    order: Vec<StateId>,
    /// The place in that order where each layer (distance from the initial states) begins.
    layers: Vec<usize>,
    initial: Vec<StateId>,
    states: usize,
    edges: usize,
    /// The block that is being filled, if any.
    open_block: Option<usize>,
    /// How many edges fit into all blocks.
    edge_room: usize,
}

/// The place of a state's edges. Workers set those of different states at the same time.
#[derive(Debug, Default)]
struct EdgeRange {
    block: AtomicU32,
    start: AtomicU32,
    degree: AtomicU32,
}

impl EdgeRange {
    #[inline]
    fn set(&self, [block, start, degree]: [u32; 3]) {
        self.block.store(block, Ordering::Relaxed);
        self.start.store(start, Ordering::Relaxed);
        self.degree.store(degree, Ordering::Relaxed);
    }

    #[inline]
    fn get(&self) -> [u32; 3] {
        [&self.block, &self.start, &self.degree].map(|part| part.load(Ordering::Relaxed))
    }
}

/// States are numbered `position * SHARDS + shard`: dense enough to be indices, and independent of the number of workers.
const SHARDS: usize = 32;
/// How many states a worker expands at a time: at most, and with several workers at least.
const CHUNK: usize = 2048;
const LEAST_CHUNK: usize = 128;
/// A worker that has found this many edges leaves the rest of its chunk for later, so that the budget is checked in time.
const MANY_EDGES: usize = 1 << 17;
/// With a smaller frontier, a second thread does not pay.
const PARALLEL_FROM: usize = 2048;
/// How many edges a block has, unless one of several workers made it.
const BLOCK: usize = 1 << 16;

/// The successors of one chunk that belong to one shard, and later their numbers.
#[derive(Default)]
struct Batch<const W: usize> {
    states: Vec<(u64, [u64; W])>,
    /// The numbers of the successors, each with whether the state was new.
    numbers: Vec<(StateId, bool)>,
}

/// What a worker found in one chunk.
struct Expansion<const W: usize> {
    sources: Vec<StateId>,
    /// By source, how many edges it has.
    degrees: Vec<u32>,
    /// By edge: its label, the shard of its target, and the target's place in the batch for that shard.
    edges: Vec<(u32, u8, u32)>,
    batches: Vec<Batch<W>>,
    /// The sources that were left for later.
    left: Vec<StateId>,
}

impl<const W: usize> Expansion<W> {
    /// An edge, and whether its target is new.
    #[inline]
    fn resolved(&self, &(label, shard, place): &(u32, u8, u32)) -> (Edge, bool) {
        let (target, new) = self.batches[shard as usize].numbers[place as usize];
        (Edge { label, target }, new)
    }

    /// The parts of the expansion that are kept, with the edges in a block of their own.
    fn resolve(self, block: u32, edges_of: &[EdgeRange]) -> Kept {
        let mut start = 0;
        for (&source, &degree) in self.sources.iter().zip(&self.degrees) {
            edges_of[source as usize].set([block, start, degree]);
            start += degree;
        }
        let mut new_states = Vec::new();
        let edges = self.edges.iter().map(|edge| {
            let (edge, new) = self.resolved(edge);
            if new {
                new_states.push(edge.target);
            }
            edge
        });
        Kept { block: edges.collect(), new_states, sources: self.sources }
    }
}

/// The parts of an expansion that are kept.
struct Kept {
    sources: Vec<StateId>,
    block: Vec<Edge>,
    /// In the order in which they were found.
    new_states: Vec<StateId>,
}

/// Explores everything that is reachable. If a bound is hit, the result contains what was found so far.
pub fn reach<const W: usize, S: System<W>>(
    system: &S,
    jobs: usize,
    budget: &Budget<'_>,
) -> (StateGraph<W>, Option<Bound>) {
    let mut graph = StateGraph::new();
    let mut frontier = graph.add_initial(&system.initial());
    budget.add(frontier.len() as u64, 0);
    let mut workers: Vec<S::Worker<'_>> = (0..jobs.max(1)).map(|_| system.worker()).collect();
    let (mut booked, mut bound) = (0, None);
    while !frontier.is_empty() && bound.is_none() && !system.stopped() {
        let mut next = Vec::new();
        graph.layers.push(graph.order.len());
        'layer: for round in frontier.chunks(CHUNK * workers.len() * 4) {
            let mut left = graph.round(system, &mut workers, round, &mut next);
            loop {
                let bytes = graph.bytes() as u64;
                budget.add(0, bytes - booked);
                booked = bytes;
                bound = budget.check().err();
                if bound.is_some() || system.stopped() {
                    break 'layer;
                }
                if left.is_empty() {
                    break;
                }
                left = graph.round(system, &mut workers, &left, &mut next);
            }
        }
        budget.add(next.len() as u64, 0);
        frontier = next;
    }
    graph.shards.iter_mut().for_each(Shard::close);
    budget.release(booked.saturating_sub(graph.bytes() as u64));
    (graph, bound)
}

impl<const W: usize> StateGraph<W> {
    fn new() -> Self {
        let shards = (0..SHARDS).map(|_| Shard::default()).collect();
        Self {
            shards,
            edges_of: Vec::new(),
            blocks: Vec::new(),
            order: Vec::new(),
            layers: Vec::new(),
            initial: Vec::new(),
            states: 0,
            edges: 0,
            open_block: None,
            edge_room: 0,
        }
    }

    fn add_initial(&mut self, states: &[[u64; W]]) -> Vec<StateId> {
        let mut frontier = Vec::new();
        for state in states {
            let hash = hash(state);
            let (position, new) = self.shards[owner(hash)].insert_hashed(hash, state);
            let id = (position * SHARDS + owner(hash)) as StateId;
            if new {
                frontier.push(id);
                self.states += 1;
            }
            if !self.initial.contains(&id) {
                self.initial.push(id);
            }
        }
        frontier
    }

    /// Expands states, and adds the new states to `next`. Returns the states that were left for later.
    fn round<S: System<W>>(
        &mut self,
        system: &S,
        workers: &mut [S::Worker<'_>],
        frontier: &[StateId],
        next: &mut Vec<StateId>,
    ) -> Vec<StateId> {
        let mut expansions = self.expand_all(system, workers, frontier);
        let left = expansions.iter_mut().flat_map(|expansion| std::mem::take(&mut expansion.left)).collect();
        let jobs = if frontier.len() < PARALLEL_FROM { 1 } else { workers.len() };
        insert_all(&mut self.shards, &mut expansions, jobs);
        let known = next.len();
        if jobs == 1 {
            for expansion in &expansions {
                self.keep_edges(expansion, next);
            }
        } else {
            self.keep_blocks(expansions, jobs, next);
        }
        self.states += next.len() - known;
        left
    }

    fn expand_all<S: System<W>>(
        &self,
        system: &S,
        workers: &mut [S::Worker<'_>],
        frontier: &[StateId],
    ) -> Vec<Expansion<W>> {
        if frontier.len() < PARALLEL_FROM || workers.len() == 1 {
            return frontier.chunks(CHUNK).map(|chunk| self.expand(system, &mut workers[0], chunk)).collect();
        }
        // Several chunks per worker, because not all take the same time.
        let size = frontier.len().div_ceil(4 * workers.len()).clamp(LEAST_CHUNK, CHUNK);
        let chunks: Vec<&[StateId]> = frontier.chunks(size).collect();
        let counter = std::sync::atomic::AtomicUsize::new(0);
        let run = |worker: &mut S::Worker<'_>| {
            let mut mine = Vec::new();
            loop {
                let at = counter.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                let Some(chunk) = chunks.get(at) else { return mine };
                mine.push((at, self.expand(system, worker, chunk)));
            }
        };
        let mut found: Vec<_> = parallel_map(workers.iter_mut().collect(), run).into_iter().flatten().collect();
        found.sort_by_key(|(at, _)| *at);
        found.into_iter().map(|(_, expansion)| expansion).collect()
    }

    fn expand<S: System<W>>(&self, system: &S, worker: &mut S::Worker<'_>, sources: &[StateId]) -> Expansion<W> {
        let mut expansion = Expansion {
            sources: Vec::with_capacity(sources.len()),
            degrees: Vec::with_capacity(sources.len()),
            edges: Vec::with_capacity(sources.len() * 3),
            batches: (0..SHARDS).map(|_| Batch::default()).collect(),
            left: Vec::new(),
        };
        let mut successors = Vec::new();
        for (done, &source) in sources.iter().enumerate() {
            if expansion.edges.len() > MANY_EDGES {
                expansion.left.extend(&sources[done..]);
                break;
            }
            successors.clear();
            system.expand(worker, self.state(source), &mut successors);
            expansion.sources.push(source);
            expansion.degrees.push(successors.len() as u32);
            for (label, state) in &successors {
                let hash = hash(state);
                let batch = &mut expansion.batches[owner(hash)];
                expansion.edges.push((*label, owner(hash) as u8, batch.states.len() as u32));
                batch.states.push((hash, *state));
            }
        }
        expansion
    }

    /// Stores the edges, and adds the new states to `next` in the order in which they were found: states with a common predecessor lie close together.
    fn keep_edges(&mut self, expansion: &Expansion<W>, next: &mut Vec<StateId>) {
        self.order.extend(&expansion.sources);
        let mut edges = expansion.edges.iter();
        for (&source, &degree) in expansion.sources.iter().zip(&expansion.degrees) {
            let block = self.block_for(degree as usize);
            let start = self.blocks[block].len();
            for edge in edges.by_ref().take(degree as usize) {
                let (edge, new) = expansion.resolved(edge);
                self.blocks[block].push(edge);
                if new {
                    next.push(edge.target);
                }
            }
            self.make_ranges(source);
            self.edges += degree as usize;
            self.edges_of[source as usize].set([block as u32, start as u32, degree]);
        }
    }

    /// A block with room for this many more edges.
    fn block_for(&mut self, degree: usize) -> usize {
        let fits = |block: &usize| self.blocks[*block].len() + degree <= self.blocks[*block].capacity();
        if let Some(open) = self.open_block.filter(fits) {
            return open;
        }
        let block = Vec::with_capacity(BLOCK.max(degree));
        self.edge_room += block.capacity();
        self.blocks.push(block);
        *self.open_block.insert(self.blocks.len() - 1)
    }

    /// The same for many expansions at once, each with a block of its own.
    fn keep_blocks(&mut self, expansions: Vec<Expansion<W>>, jobs: usize, next: &mut Vec<StateId>) {
        let last = expansions.iter().flat_map(|expansion| &expansion.sources).max();
        self.make_ranges(last.copied().unwrap_or(0));
        let numbered = (self.blocks.len() as u32..).zip(expansions).collect();
        let edges_of = &self.edges_of;
        let kept = parallel_map(split(numbered, jobs), |some| {
            some.into_iter().map(|(block, expansion)| expansion.resolve(block, edges_of)).collect::<Vec<_>>()
        });
        for Kept { sources, block, new_states } in kept.into_iter().flatten() {
            self.order.extend(sources);
            self.edges += block.len();
            self.edge_room += block.capacity();
            self.blocks.push(block);
            next.extend(new_states);
        }
    }

    /// Makes room for the edge ranges of all states up to `last`.
    #[inline]
    fn make_ranges(&mut self, last: StateId) {
        if last as usize >= self.edges_of.len() {
            self.edges_of.resize_with((last as usize + 1).next_multiple_of(SHARDS), EdgeRange::default);
        }
    }

    /// How many states were found.
    pub fn len(&self) -> usize {
        self.states
    }

    /// Whether there is no state at all.
    pub fn is_empty(&self) -> bool {
        self.states == 0
    }

    /// How many edges were found.
    pub fn edge_count(&self) -> usize {
        self.edges
    }

    /// One more than the largest state number. The numbers have small gaps.
    pub fn id_bound(&self) -> usize {
        self.shards.iter().map(Shard::len).max().unwrap_or(0) * SHARDS
    }

    /// All state numbers, in increasing order.
    pub fn ids(&self) -> impl Iterator<Item = StateId> + '_ {
        (0..self.id_bound()).filter(|id| id / SHARDS < self.shards[id % SHARDS].len()).map(|id| id as StateId)
    }

    /// The initial states.
    pub fn initial(&self) -> &[StateId] {
        &self.initial
    }

    /// All states, breadth first: in the order in which they were expanded, and in which their edges lie in memory. Most edges lead forward.
    pub fn order(&self) -> &[StateId] {
        &self.order
    }

    /// The places in [`Self::order`] where each layer (distance from the initial states) begins.
    pub fn layers(&self) -> &[usize] {
        &self.layers
    }

    /// A state.
    pub fn state(&self, id: StateId) -> &[u64; W] {
        self.shards[id as usize % SHARDS].get(id as usize / SHARDS)
    }

    /// The edges that leave a state. Empty for a state that was not expanded because a bound was hit.
    pub fn edges(&self, id: StateId) -> &[Edge] {
        let Some([block, start, degree]) = self.edges_of.get(id as usize).map(EdgeRange::get) else { return &[] };
        if degree == 0 {
            return &[];
        }
        &self.blocks[block as usize][start as usize..(start + degree) as usize]
    }

    /// Bytes in use.
    pub fn bytes(&self) -> usize {
        let shards: usize = self.shards.iter().map(Shard::bytes).sum();
        shards
            + self.order.capacity() * 4
            + self.edges_of.capacity() * size_of::<EdgeRange>()
            + self.edge_room * size_of::<Edge>()
    }
}

fn owner(hash: u64) -> usize {
    hash as usize % SHARDS
}

/// Each shard inserts its batches.
fn insert_all<const W: usize>(shards: &mut [Shard<W>], expansions: &mut [Expansion<W>], jobs: usize) {
    let mut by_shard: Vec<Vec<&mut Batch<W>>> = (0..SHARDS).map(|_| Vec::new()).collect();
    for expansion in expansions {
        for (shard, batch) in expansion.batches.iter_mut().enumerate() {
            by_shard[shard].push(batch);
        }
    }
    parallel_map(split(shards.iter_mut().zip(by_shard).enumerate().collect(), jobs), |mine| {
        for (number, (shard, batches)) in mine {
            for batch in batches {
                insert(number, shard, batch);
            }
        }
    });
}

/// Splits a list into parts of nearly equal length, in order.
fn split<T>(mut work: Vec<T>, parts: usize) -> Vec<Vec<T>> {
    let share = work.len().div_ceil(parts);
    let mut shares = Vec::new();
    while !work.is_empty() {
        let rest = work.split_off(share.min(work.len()));
        shares.push(std::mem::replace(&mut work, rest));
    }
    shares
}

fn insert<const W: usize>(number: usize, shard: &mut Shard<W>, batch: &mut Batch<W>) {
    let states = std::mem::take(&mut batch.states);
    batch.numbers.reserve_exact(states.len());
    for (hash, state) in &states {
        let (position, new) = shard.insert_hashed(*hash, state);
        batch.numbers.push(((position * SHARDS + number) as StateId, new));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;

    /// Three layers: one state, a hundred successors of it, and `width` successors of each of these.
    struct Fan {
        width: u64,
    }

    impl System<1> for Fan {
        type Worker<'a> = ();
        fn worker(&self) {}
        fn initial(&self) -> Vec<[u64; 1]> {
            vec![[0]]
        }
        fn expand(&self, (): &mut (), state: &[u64; 1], successors: &mut Vec<(u32, [u64; 1])>) {
            match state[0] {
                0 => successors.extend((1..=100).map(|next| (0, [next]))),
                from @ 1..=100 => successors.extend((0..self.width).map(|to| (1, [1000 + from % 7 * self.width + to]))),
                _ => {}
            }
        }
        fn stopped(&self) -> bool {
            false
        }
    }

    #[test]
    fn states_with_very_many_successors_are_expanded_in_several_rounds() {
        for jobs in [1, 2] {
            let budget = Budget::new(Limits::default(), None, None);
            let (graph, bound) = reach::<1, _>(&Fan { width: 5_000 }, jobs, &budget);
            assert_eq!((graph.len(), graph.edge_count(), bound), (1 + 100 + 7 * 5_000, 100 + 100 * 5_000, None));
        }
    }

    /// One state, enough successors for several workers, and three different successors of each of these, most of them found several times.
    struct Wide;

    impl System<1> for Wide {
        type Worker<'a> = ();
        fn worker(&self) {}
        fn initial(&self) -> Vec<[u64; 1]> {
            vec![[0]]
        }
        fn expand(&self, (): &mut (), state: &[u64; 1], successors: &mut Vec<(u32, [u64; 1])>) {
            const WIDTH: u64 = PARALLEL_FROM as u64 + 100;
            match state[0] {
                0 => successors.extend((1..=WIDTH).map(|next| (0, [next]))),
                from @ 1..=WIDTH => successors.extend((0..3).map(|way| (1 + way as u32, [WIDTH + 1 + from / 9 + way]))),
                _ => {}
            }
        }
    }

    /// Few states, for controlled schedules.
    #[test]
    fn concurrent_workers_find_the_same_graph_as_one() {
        let [one, two] = [1, 2].map(|jobs| {
            let (graph, bound) = reach::<1, _>(&Wide, jobs, &Budget::new(Limits::default(), None, None));
            assert_eq!(bound, None);
            graph
        });
        assert_eq!((one.len(), one.edge_count(), one.order()), (two.len(), two.edge_count(), two.order()));
        assert!(
            one.order()
                .iter()
                .all(|&state| one.state(state) == two.state(state) && one.edges(state) == two.edges(state))
        );
    }

    #[test]
    fn the_budget_is_asked_before_all_of_them_are_expanded() {
        let budget = Budget::new(Limits { states: Some(50), ..Limits::default() }, None, None);
        let (graph, bound) = reach::<1, _>(&Fan { width: 5_000 }, 1, &budget);
        assert!(bound.is_some() && graph.edge_count() < 100 + 100 * 5_000, "{} {bound:?}", graph.edge_count());
    }
}
