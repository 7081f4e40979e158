//! A search that carries columns along the edges of a graph until no state learns of a new one.
//!
//! Workers sweep over the flow, again and again. Most edges lead forward, so the first sweep does nearly everything. Every position belongs to one worker, who alone knows what has
//! arrived there ([`tide`]); what arrives at another's position is sent there ([`post`]), in parcels. So nobody waits for another's memory on the way. A worker that runs out of work is
//! given positions by another one.

mod ahead;
mod columns;
mod judged;
mod post;
mod steps;
mod tide;
mod worker;

pub(crate) use tide::Slots;

use crate::flow::Flow;
use columns::{Columns, View, number};
use post::Post;
use std::hash::Hash;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use steadfast_explore::{Bound, Budget, each};
use worker::Worker;

/// What is carried along, and what becomes of it.
pub(crate) trait Story: Sync {
    /// What is known on one way to a state.
    type Column: Clone + Eq + Hash + Send + Sync;
    /// What one worker remembers between steps.
    type Memory: Send;

    /// An empty memory.
    fn memory(&self) -> Self::Memory;
    /// The column with which the story begins at an edge of some kind.
    fn start(&self, kind: u32) -> Option<Self::Column>;
    /// The columns after an edge of some kind; or the end, if the step itself is a violation.
    fn after(&self, memory: &mut Self::Memory, before: &Self::Column, kind: u32) -> Result<Vec<Self::Column>, Caught>;
    /// Whether the columns after any edge depend on more than the group of its kind.
    fn looks_at_kinds(&self, column: &Self::Column) -> bool;
    /// Whether the columns after an edge depend on more than the group of its kind, for a column that does not always look at kinds.
    fn depends_on_label(&self, memory: &mut Self::Memory, before: &Self::Column, kind: u32) -> bool;
    /// Whether there is a violation at a site.
    fn violates(&self, memory: &mut Self::Memory, column: &Self::Column, site: u32) -> bool;
    /// Whether everything that can come of the second column can come of the first.
    fn covers(&self, larger: &Self::Column, smaller: &Self::Column) -> bool;
    /// How many bytes a column has elsewhere.
    fn heap_bytes(&self, _: &Self::Column) -> usize {
        0
    }
    /// How many bytes a memory has in use.
    fn memory_bytes(&self, _: &Self::Memory) -> usize {
        0
    }
}

/// A violation was found.
#[derive(Debug)]
pub(crate) struct Caught;

/// What a search found.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SweepResult {
    /// Whether there is a violation.
    pub violation: bool,
    /// How many columns were stored.
    pub states: u64,
    /// How many steps were taken.
    pub transitions: u64,
}

impl SweepResult {
    /// Adds up what another search took.
    pub(crate) fn add(&mut self, other: Self) {
        self.violation |= other.violation;
        self.states += other.states;
        self.transitions += other.transitions;
    }
}

/// Carries a story along a flow, from columns that are there at once and from wherever it begins.
pub(crate) fn sweep<S: Story>(
    story: &S,
    flow: &Flow,
    slots: &Slots,
    initial: &[(u32, S::Column)],
    budget: &Budget<'_>,
) -> Result<SweepResult, Bound> {
    let workers = flow.shares.len();
    let columns = Columns::new(flow, workers);
    let bytes_at_first = columns.bytes();
    budget.add(0, bytes_at_first);
    let initial: Vec<_> =
        initial.iter().map(|(position, column)| (*position, number(story, &columns, column.clone()).0)).collect();
    let chunk_bits = chunk_bits(flow);
    // At first, a chunk belongs to whoever has its first position as a share.
    let owner = |chunk: usize| flow.shares.iter().position(|share| share.contains(&(chunk << chunk_bits)));
    let chunks = 0..flow.len().div_ceil(1 << chunk_bits);
    let sweep = Sweep {
        flow,
        budget,
        post: Post::new(workers),
        chunk_bits,
        owners: chunks.map(|chunk| AtomicUsize::new(owner(chunk).unwrap_or(0))).collect(),
        ended: AtomicBool::new(false),
        caught: AtomicBool::new(false),
    };
    let ends = each((0..workers).collect(), |number| {
        let mut worker = Worker::new(&sweep, number, View::new(story, &columns, flow), slots);
        worker.take_its_part(&initial);
        let bound = worker.work();
        (worker.done(), bound)
    });
    budget.release(bytes_at_first);
    let mut result = SweepResult { violation: sweep.caught.load(SeqCst), ..SweepResult::default() };
    for (done, bound) in ends {
        bound?;
        result.states += done.added;
        result.transitions += done.transitions;
        budget.release(done.bytes);
    }
    Ok(result)
}

/// How many positions change hands together, as a power of two: enough that it seldom happens, but few enough to share.
fn chunk_bits(flow: &Flow) -> u32 {
    const MOST: u32 = 9;
    const CHUNKS: usize = 64;
    (flow.len() / (CHUNKS * flow.shares.len())).checked_ilog2().unwrap_or(0).min(MOST)
}

/// What all workers share.
struct Sweep<'a> {
    flow: &'a Flow,
    budget: &'a Budget<'a>,
    post: Post,
    /// How many positions a chunk has, as a power of two.
    chunk_bits: u32,
    /// By chunk: the worker to whom its positions belong.
    owners: Vec<AtomicUsize>,
    ended: AtomicBool,
    caught: AtomicBool,
}

impl Sweep<'_> {
    /// The positions of a chunk.
    fn positions(&self, chunk: usize) -> Range<usize> {
        let end = (chunk + 1) << self.chunk_bits;
        chunk << self.chunk_bits..end.min(self.flow.len())
    }
}
