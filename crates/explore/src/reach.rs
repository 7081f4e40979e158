//! Reachability: every state once, with all edges.
//!
//! Breadth first in rounds. In a round, workers expand chunks of the frontier and sort the successors by the shard that owns them (a state's
//! owner is chosen by its hash); then the owners insert them, chunk by chunk in order. So the result is the same for any
//! number of workers, no lock is taken, and a shard could as well live in another process.

use crate::parallel::each;
use crate::store::{Shard, hash};
use crate::{Bound, Budget};
use std::sync::atomic::{AtomicU32, Ordering};

/// A finite transition system with states of `W` words.
pub trait System<const W: usize>: Sync {
    /// What one worker keeps to itself: caches and scratch space.
    type Worker<'a>: Send
    where
        Self: 'a;

    /// Prepares a worker.
    fn worker(&self) -> Self::Worker<'_>;

    /// The initial states.
    fn initial(&self) -> Vec<[u64; W]>;

    /// Appends the labelled successors of a state.
    fn expand(&self, worker: &mut Self::Worker<'_>, state: &[u64; W], successors: &mut Vec<(u32, [u64; W])>);

    /// Whether the search has seen enough. Asked between rounds.
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
    /// Where it goes.
    pub target: StateId,
}

/// All reachable states and edges.
#[derive(Debug)]
pub struct StateGraph<const W: usize> {
    shards: Vec<Shard<W>>,
    /// For every state number, where its edges are: block, first place in the block, and how many.
    edges_of: Vec<EdgeRange>,
    /// Edges in blocks, so that no huge vector is ever copied; in the order in which states were looked at.
    blocks: Vec<Vec<Edge>>,
    /// The states in the order in which they were looked at.
    order: Vec<StateId>,
    /// Where in that order the states of each distance from the initial ones begin.
    layers: Vec<usize>,
    initial: Vec<StateId>,
    states: usize,
    edges: usize,
    /// The block that is being filled, if there is one.
    open_block: Option<usize>,
    /// For how many edges there is room.
    edge_room: usize,
}

/// Where the edges of a state are. Workers set those of different states at the same time.
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

/// States are numbered `position * SHARDS + shard`: dense enough to index by, and independent of the number of workers.
const SHARDS: usize = 32;
/// How many states a worker expands at a time, at most and, if there are several workers, at least.
const CHUNK: usize = 2048;
const LEAST_CHUNK: usize = 128;
/// A worker that has found so many edges leaves the rest of its chunk for later, so that the budget is asked in time.
const MANY_EDGES: usize = 1 << 17;
/// Frontiers smaller than this are not worth a second thread.
const PARALLEL_FROM: usize = 2048;
/// There is room for so many edges in a block, unless one worker among several has made it.
const BLOCK: usize = 1 << 16;

/// Successors of one chunk that one shard owns, and later their numbers.
#[derive(Default)]
struct Parcel<const W: usize> {
    states: Vec<(u64, [u64; W])>,
    /// With each, whether it is new here.
    numbers: Vec<(StateId, bool)>,
}

/// What a worker found in one chunk.
struct Expansion<const W: usize> {
    sources: Vec<StateId>,
    /// Per source, how many edges.
    degrees: Vec<u32>,
    /// Per edge, its label, the shard that owns the target and the place in that shard's parcel.
    edges: Vec<(u32, u8, u32)>,
    parcels: Vec<Parcel<W>>,
    /// The part of the chunk that was left for later.
    left: Vec<StateId>,
}

impl<const W: usize> Expansion<W> {
    /// An edge, and whether its target is new.
    #[inline]
    fn resolved(&self, &(label, shard, place): &(u32, u8, u32)) -> (Edge, bool) {
        let (target, new) = self.parcels[shard as usize].numbers[place as usize];
        (Edge { label, target }, new)
    }

    /// What is to be kept of it, with its edges in a block of their own.
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

/// What is kept of an expansion.
struct Kept {
    sources: Vec<StateId>,
    block: Vec<Edge>,
    /// In the order in which they are met.
    new_states: Vec<StateId>,
}

/// Explores everything that is reachable. On a bound, what was found so far comes with it.
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

    /// Expands states, and adds those that are new to `next`. The ones that were left for later.
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
        // Several for each worker: not all take the same time.
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
        let mut found: Vec<_> = each(workers.iter_mut().collect(), run).into_iter().flatten().collect();
        found.sort_by_key(|(at, _)| *at);
        found.into_iter().map(|(_, expansion)| expansion).collect()
    }

    fn expand<S: System<W>>(&self, system: &S, worker: &mut S::Worker<'_>, sources: &[StateId]) -> Expansion<W> {
        let mut expansion = Expansion {
            sources: Vec::with_capacity(sources.len()),
            degrees: Vec::with_capacity(sources.len()),
            edges: Vec::with_capacity(sources.len() * 3),
            parcels: (0..SHARDS).map(|_| Parcel::default()).collect(),
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
                let parcel = &mut expansion.parcels[owner(hash)];
                expansion.edges.push((*label, owner(hash) as u8, parcel.states.len() as u32));
                parcel.states.push((hash, *state));
            }
        }
        expansion
    }

    /// Stores the edges, and tells the new states in the order in which they are met: states that have a predecessor in common lie close together.
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

    /// A block with room for so many more edges.
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
        let kept = each(split(numbered, jobs), |some| {
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

    /// There is a range for all states up to this one.
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

    /// One more than the largest state number. Numbers have small gaps.
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

    /// All states, breadth first: the order in which they were looked at, and in which their edges lie in memory. Most edges lead forward.
    pub fn order(&self) -> &[StateId] {
        &self.order
    }

    /// Where in [`Self::order`] the states of each distance from the initial ones begin.
    pub fn layers(&self) -> &[usize] {
        &self.layers
    }

    /// A state.
    pub fn state(&self, id: StateId) -> &[u64; W] {
        self.shards[id as usize % SHARDS].get(id as usize / SHARDS)
    }

    /// The edges that leave a state; none for states that were found but not expanded before a bound was hit.
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

/// Lets every shard take in its parcels.
fn insert_all<const W: usize>(shards: &mut [Shard<W>], expansions: &mut [Expansion<W>], jobs: usize) {
    let mut columns: Vec<Vec<&mut Parcel<W>>> = (0..SHARDS).map(|_| Vec::new()).collect();
    for expansion in expansions {
        for (shard, parcel) in expansion.parcels.iter_mut().enumerate() {
            columns[shard].push(parcel);
        }
    }
    each(split(shards.iter_mut().zip(columns).enumerate().collect(), jobs), |mine| {
        for (number, (shard, parcels)) in mine {
            for parcel in parcels {
                insert(number, shard, parcel);
            }
        }
    });
}

/// So many parts of nearly the same length, in order.
fn split<T>(mut work: Vec<T>, parts: usize) -> Vec<Vec<T>> {
    let share = work.len().div_ceil(parts);
    let mut shares = Vec::new();
    while !work.is_empty() {
        let rest = work.split_off(share.min(work.len()));
        shares.push(std::mem::replace(&mut work, rest));
    }
    shares
}

fn insert<const W: usize>(number: usize, shard: &mut Shard<W>, parcel: &mut Parcel<W>) {
    let states = std::mem::take(&mut parcel.states);
    parcel.numbers.reserve_exact(states.len());
    for (hash, state) in &states {
        let (position, new) = shard.insert_hashed(*hash, state);
        parcel.numbers.push(((position * SHARDS + number) as StateId, new));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;

    /// Three layers: one state, a hundred behind it, and a product of numbers behind those.
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

    #[test]
    fn the_budget_is_asked_before_all_of_them_are_expanded() {
        let budget = Budget::new(Limits { states: Some(50), ..Limits::default() }, None, None);
        let (graph, bound) = reach::<1, _>(&Fan { width: 5_000 }, 1, &budget);
        assert!(bound.is_some() && graph.edge_count() < 100 + 100 * 5_000, "{} {bound:?}", graph.edge_count());
    }
}
