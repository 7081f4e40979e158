//! The program's state graph, laid out for searches that carry columns along its edges.
//!
//! States are in breadth-first order, so that most edges lead forward, and an edge says at once everything that a monitor's step depends on: what the program does, and what the
//! threads can still do after it. There are few such *kinds* of edges, so a search can compute every step of a column once per kind.

use crate::explored::Explored;
use crate::futures::Outlooks;
use crate::ops::Ops;
use rustc_hash::FxHashMap;

/// How many positions are looked at in one go.
pub(crate) const CHUNK: usize = 512;

/// Everything that a step of a monitor depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Kind {
    /// The operation.
    pub op: u32,
    /// What threads can still do after it.
    pub to: u32,
    /// The label, if it can matter.
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

/// The graph.
#[derive(Debug)]
pub(crate) struct Flow {
    /// Where the edges of each position begin; one more at the end.
    first: Vec<u32>,
    edges: Vec<FlowEdge>,
    /// The site of every position.
    pub site_of: Vec<u32>,
    /// The kinds of edges.
    pub kinds: Vec<Kind>,
    /// The group of each kind: kinds that differ only in their labels, where these seldom matter.
    pub group_of: Vec<u32>,
    /// How many edges of each kind there are.
    pub weights: Vec<u32>,
    /// The positions of the initial states.
    pub initial: Vec<u32>,
}

impl Flow {
    /// Lays a graph out. With `labels`, edges of one kind have the same label, and this says which labels may be in one group.
    pub(crate) fn new(
        graph: &dyn Explored,
        ops: &Ops,
        outlooks: &Outlooks,
        labels: Option<&dyn Fn(u32) -> u32>,
    ) -> Self {
        let order = graph.order();
        let mut position = vec![0; graph.id_bound()];
        for (at, &state) in order.iter().enumerate() {
            position[state as usize] = at as u32;
        }
        let mut flow = Self {
            first: Vec::with_capacity(order.len() + 1),
            edges: Vec::with_capacity(graph.edge_count()),
            site_of: order.iter().map(|&state| outlooks.site_of[state as usize]).collect(),
            kinds: Vec::new(),
            group_of: Vec::new(),
            weights: Vec::new(),
            initial: graph.initial().iter().map(|&state| position[state as usize]).collect(),
        };
        let mut known: FxHashMap<Kind, u32> = FxHashMap::default();
        for &state in order {
            flow.first.push(count(flow.edges.len()));
            for edge in graph.edges(state) {
                let kind = Kind {
                    op: ops.number(edge.label),
                    to: outlooks.of(edge.target),
                    label: labels.map(|_| edge.label),
                };
                let next = flow.kinds.len() as u32;
                let number = *known.entry(kind).or_insert(next);
                if number == next {
                    flow.kinds.push(kind);
                    flow.weights.push(0);
                }
                flow.weights[number as usize] += 1;
                flow.edges.push(FlowEdge { target: position[edge.target as usize], kind: number });
            }
        }
        flow.first.push(count(flow.edges.len()));
        let mut groups: FxHashMap<Kind, u32> = FxHashMap::default();
        for kind in &flow.kinds {
            let group = Kind { label: kind.label.and_then(|label| Some(labels?(label))), ..*kind };
            let next = groups.len() as u32;
            flow.group_of.push(*groups.entry(group).or_insert(next));
        }
        flow
    }

    /// One more than the largest number of a site.
    pub(crate) fn sites(&self) -> usize {
        self.site_of.iter().max().map_or(0, |&site| site as usize + 1)
    }

    /// How many states there are.
    pub(crate) fn len(&self) -> usize {
        self.site_of.len()
    }

    /// The edges that leave a position.
    #[inline]
    pub(crate) fn edges(&self, position: usize) -> &[FlowEdge] {
        &self.edges[self.first[position] as usize..self.first[position + 1] as usize]
    }

    /// Bytes in use.
    pub(crate) fn bytes(&self) -> usize {
        self.edges.len() * size_of::<FlowEdge>() + self.len() * 8
    }
}

fn count(edges: usize) -> u32 {
    u32::try_from(edges).expect("fewer than 2^32 edges fit in memory")
}
