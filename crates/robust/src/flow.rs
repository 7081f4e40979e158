//! The program's state graph, laid out for searches that carry monitor states along its edges.
//!
//! States are in breadth-first order, so most edges lead forward. Each worker has a share of every layer, and the states of a share are contiguous; states with a common predecessor are mostly
//! in the same share. The *kind* of an edge is everything that a step of a monitor depends on: what the program does, and what the threads can still do after it. There are few
//! kinds, so a search can compute each step of a monitor state once per kind.

use crate::chunks;
use crate::explored::Explored;
use crate::ops::Ops;
use crate::remaining::Sites;
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::ops::Range;
use steadfast_explore::{Edge, StateId, parallel_map};

/// Everything that a step of a monitor depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Kind {
    /// The operation.
    pub op: u32,
    /// The number of the combination of remaining accesses after it.
    pub remaining: u32,
    /// The label, for monitors whose steps depend on it.
    pub label: Option<u32>,
}

/// An edge.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FlowEdge {
    /// The position of its target.
    pub target: u32,
    /// The number of its kind.
    pub kind: u32,
}

impl FlowEdge {
    #[inline]
    fn packed(self) -> u64 {
        u64::from(self.target) << 32 | u64::from(self.kind)
    }

    #[inline]
    fn unpacked(packed: u64) -> Self {
        Self { target: (packed >> 32) as u32, kind: packed as u32 }
    }
}

/// The graph.
#[derive(Debug)]
pub(crate) struct Flow {
    /// By position, the place of its first edge; one more at the end.
    first: Vec<u32>,
    /// Packed, so that a page of them is first touched by the worker that fills it.
    edges: Vec<u64>,
    /// The site of every position.
    pub site_of: Vec<u32>,
    /// The kinds of edges.
    pub kinds: Vec<Kind>,
    /// The group of each kind. Kinds in one group differ only in their labels, and most steps do not depend on the difference.
    pub group_of: Vec<u32>,
    /// How many edges of each kind there are.
    pub weights: Vec<u32>,
    /// The positions of the initial states.
    pub initial: Vec<u32>,
    /// The positions of each worker.
    pub shares: Vec<Range<usize>>,
}

/// The states in the order of positions, for this many workers, and the positions of each worker.
fn share_out(graph: &dyn Explored, jobs: usize) -> (Cow<'_, [StateId]>, Vec<Range<usize>>) {
    let order = graph.order();
    if jobs < 2 {
        return (Cow::Borrowed(order), std::iter::once(0..order.len()).collect());
    }
    let (mut all, mut shares) = (Vec::with_capacity(order.len()), Vec::new());
    for worker in 0..jobs {
        let begins = all.len();
        for (at, &from) in graph.layers().iter().enumerate() {
            let layer = &order[from..graph.layers().get(at + 1).copied().unwrap_or(order.len())];
            all.extend_from_slice(&layer[layer.len() * worker / jobs..layer.len() * (worker + 1) / jobs]);
        }
        shares.push(begins..all.len());
    }
    (Cow::Owned(all), shares)
}

impl Flow {
    /// Lays out a graph. With `labels`, edges of one kind have the same label, and labels with the same result are in one group.
    pub(crate) fn new(
        graph: &dyn Explored,
        ops: &Ops,
        sites: &Sites,
        labels: Option<&dyn Fn(u32) -> u32>,
        jobs: usize,
    ) -> Self {
        let (order, shares) = share_out(graph, jobs);
        let position = chunks::fill_in_parallel(graph.id_bound(), chunks::ranges(order.len(), jobs), |range, put| {
            range.for_each(|at| put(order[at] as usize, at as u32));
        });
        let site_of = |range: Range<usize>| -> Vec<u32> {
            order[range].iter().map(|&state| sites.of_state[state as usize]).collect()
        };
        let mut flow = Self {
            first: vec![0; order.len() + 1],
            edges: vec![0; graph.edge_count()],
            site_of: parallel_map(chunks::ranges(order.len(), jobs), site_of).concat(),
            kinds: Vec::new(),
            group_of: Vec::new(),
            weights: Vec::new(),
            initial: graph.initial().iter().map(|&state| position[state as usize]).collect(),
            shares,
        };
        let with_labels = labels.is_some();
        let remaining = |edge: &Edge| sites.remaining_of(edge.target);
        let kind_of = |edge: &Edge, remaining: u32| Kind {
            op: ops.number(edge.label),
            remaining,
            label: with_labels.then_some(edge.label),
        };
        let chunks = flow.chunks(graph, &order, jobs);
        let kinds = parallel_map(chunks, |chunk| chunk.fill(graph, &position, &remaining, &kind_of));
        flow.merge_kinds(graph, &order, jobs, kinds);
        flow.group(labels);
        flow
    }

    /// Cuts the states into one chunk per worker.
    fn chunks<'f>(&'f mut self, graph: &'f dyn Explored, order: &'f [StateId], jobs: usize) -> Vec<Chunk<'f>> {
        let ranges = chunks::ranges(order.len(), jobs);
        let count_edges = |range: Range<usize>| order[range].iter().map(|&state| graph.edges(state).len()).sum();
        let counts: Vec<usize> = parallel_map(ranges.clone(), count_edges);
        let (mut first, mut edges, mut begins) = (self.first.as_mut_slice(), self.edges.as_mut_slice(), 0);
        if let Some(end) = first.last_mut() {
            *end = count(counts.iter().sum());
        }
        let cut = ranges.into_iter().zip(counts).map(|(range, edge_count)| {
            let mine = first.split_off_mut(..range.len()).unwrap_or_default();
            let my_edges = edges.split_off_mut(..edge_count).unwrap_or_default();
            let chunk = Chunk { states: &order[range], first: mine, edges: my_edges, begins };
            begins += edge_count;
            chunk
        });
        cut.collect()
    }

    /// Numbers the kinds of all chunks, in the order in which a single worker would have met them.
    fn merge_kinds(&mut self, graph: &dyn Explored, order: &[StateId], jobs: usize, kinds: Vec<Kinds>) {
        let mut all = Kinds::default();
        let numbers: Vec<Vec<u32>> = kinds.into_iter().map(|kinds| all.absorb(kinds)).collect();
        if numbers.len() > 1 {
            let parts: Vec<_> = self.chunks(graph, order, jobs).into_iter().zip(numbers).skip(1).collect();
            parallel_map(parts, |(chunk, numbers)| {
                for packed in chunk.edges {
                    let edge = FlowEdge::unpacked(*packed);
                    *packed = FlowEdge { kind: numbers[edge.kind as usize], ..edge }.packed();
                }
            });
        }
        (self.kinds, self.weights) = (all.list, all.weights);
    }

    fn group(&mut self, labels: Option<&dyn Fn(u32) -> u32>) {
        let mut groups: FxHashMap<Kind, u32> = FxHashMap::default();
        for kind in &self.kinds {
            let group = Kind { label: kind.label.and_then(|label| Some(labels?(label))), ..*kind };
            let next = groups.len() as u32;
            self.group_of.push(*groups.entry(group).or_insert(next));
        }
    }

    /// How many states there are.
    pub(crate) fn len(&self) -> usize {
        self.site_of.len()
    }

    /// The edges that leave a position.
    #[inline]
    pub(crate) fn edges(&self, position: usize) -> impl ExactSizeIterator<Item = FlowEdge> {
        let edges = &self.edges[self.first[position] as usize..self.first[position + 1] as usize];
        edges.iter().map(|&edge| FlowEdge::unpacked(edge))
    }

    /// Bytes in use.
    pub(crate) fn bytes(&self) -> usize {
        self.edges.len() * size_of::<u64>() + self.len() * 8
    }
}

/// How many kinds of edges a worker finds without a hash lookup, at most.
const RECENT: usize = 1 << 12;

/// Some of the states, with room for their edges.
struct Chunk<'a> {
    states: &'a [StateId],
    first: &'a mut [u32],
    edges: &'a mut [u64],
    /// How many edges come before those of this chunk.
    begins: usize,
}

impl Chunk<'_> {
    /// Fills in the edges. The kinds are numbered for this chunk alone.
    fn fill(
        self,
        graph: &dyn Explored,
        position: &[u32],
        remaining: &impl Fn(&Edge) -> u32,
        kind_of: &impl Fn(&Edge, u32) -> Kind,
    ) -> Kinds {
        let mut kinds = Kinds::default();
        // The label and the remaining accesses determine the kind, and the same ones come again soon.
        let mut recent = vec![(u64::MAX, 0); self.edges.len().next_power_of_two().min(RECENT)];
        let mask = recent.len() - 1;
        let mut next = 0;
        for (&state, first) in self.states.iter().zip(self.first) {
            *first = count(self.begins + next);
            for edge in graph.edges(state) {
                let to = remaining(edge);
                let key = u64::from(edge.label) << 32 | u64::from(to);
                let known = &mut recent[(key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as usize & mask];
                if known.0 == key {
                    kinds.weights[known.1 as usize] += 1;
                } else {
                    *known = (key, kinds.number(kind_of(edge, to), 1));
                }
                let kind = known.1;
                self.edges[next] = FlowEdge { target: position[edge.target as usize], kind }.packed();
                next += 1;
            }
        }
        kinds
    }
}

/// Numbered kinds of edges.
#[derive(Default)]
struct Kinds {
    known: FxHashMap<Kind, u32>,
    list: Vec<Kind>,
    weights: Vec<u32>,
}

impl Kinds {
    /// The number of a kind, which occurs `times` more.
    fn number(&mut self, kind: Kind, times: u32) -> u32 {
        let next = self.list.len() as u32;
        let number = *self.known.entry(kind).or_insert(next);
        if number == next {
            self.list.push(kind);
            self.weights.push(0);
        }
        self.weights[number as usize] += times;
        number
    }

    /// Adds the kinds of another chunk, and returns their numbers here.
    fn absorb(&mut self, others: Self) -> Vec<u32> {
        others.list.iter().zip(others.weights).map(|(&kind, times)| self.number(kind, times)).collect()
    }
}

fn count(edges: usize) -> u32 {
    u32::try_from(edges).expect("fewer than 2^32 edges fit in memory")
}
