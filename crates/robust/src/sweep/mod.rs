//! A search that carries monitor states along the edges of the program's state graph until no position gets a new one.
//!
//! A worker sweeps over its positions (states of the program, in breadth-first order) again and again. Most edges lead forward, so the first sweep does nearly everything. Every position has an
//! owner, the only worker that stores monitor states there ([`arrivals`]). A worker sends monitor states for other workers' positions in batches ([`inboxes`]), so no worker waits for another
//! one's cache lines. An idle worker takes chunks of positions from a busy one.

mod arrivals;
mod harmless;
mod inboxes;
mod monitor_states;
mod prefetch;
mod steps;
mod worker;

pub(crate) use arrivals::Slots;

use crate::flow::Flow;
use inboxes::Inboxes;
use monitor_states::{MonitorStates, WorkerCache, intern};
use std::hash::Hash;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use steadfast_explore::{Bound, Budget, parallel_map};
use worker::Worker;

/// The transition system that follows the program: it reacts to every step of the program and says which states are violations.
pub(crate) trait Monitor: Sync {
    /// A state of the monitor.
    type State: Clone + Eq + Hash + Send + Sync;
    /// What one worker caches between steps.
    type Cache: Send;

    /// An empty cache.
    fn cache(&self) -> Self::Cache;
    /// The state in which the monitor starts after an edge of this kind, if it starts there.
    fn start(&self, kind: u32) -> Option<Self::State>;
    /// The states after an edge of this kind, or an error if the step itself is a violation.
    fn after(
        &self,
        cache: &mut Self::Cache,
        before: &Self::State,
        kind: u32,
    ) -> Result<Vec<Self::State>, ViolationFound>;
    /// Whether the step from this state along *some* edge depends on the kind of the edge, and not only on the group of its kind.
    fn depends_on_kind(&self, state: &Self::State) -> bool;
    /// Whether the step from this state along *this* edge depends on the kind of the edge. Asked only if [`Self::depends_on_kind`] is false.
    fn depends_on_label(&self, cache: &mut Self::Cache, before: &Self::State, kind: u32) -> bool;
    /// Whether a state is a violation at a site.
    fn violates(&self, cache: &mut Self::Cache, state: &Self::State, site: u32) -> bool;
    /// Whether every violation that can be reached from the second state can also be reached from the first.
    fn covers(&self, larger: &Self::State, smaller: &Self::State) -> bool;
    /// How many bytes a state has on the heap.
    fn heap_bytes(&self, _: &Self::State) -> usize {
        0
    }
    /// How many bytes a cache uses.
    fn cache_bytes(&self, _: &Self::Cache) -> usize {
        0
    }
}

/// A violation was found.
#[derive(Debug)]
pub(crate) struct ViolationFound;

/// The result of a search.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SweepResult {
    /// Whether there is a violation.
    pub violation: bool,
    /// How many monitor states were stored, at all positions together.
    pub states: u64,
    /// How many monitor steps were taken.
    pub transitions: u64,
}

impl SweepResult {
    /// Adds the figures of another search.
    pub(crate) fn add(&mut self, other: Self) {
        self.violation |= other.violation;
        self.states += other.states;
        self.transitions += other.transitions;
    }
}

/// Carries the states of a monitor along a flow, from initial ones and from the edges where the monitor starts.
pub(crate) fn sweep<S: Monitor>(
    monitor: &S,
    flow: &Flow,
    slots: &Slots,
    initial: &[(u32, S::State)],
    budget: &Budget<'_>,
) -> Result<SweepResult, Bound> {
    let workers = flow.shares.len();
    let states = MonitorStates::new(flow, workers);
    let bytes_at_first = states.bytes();
    budget.add(0, bytes_at_first);
    let initial: Vec<_> =
        initial.iter().map(|(position, state)| (*position, intern(monitor, &states, state.clone()).0)).collect();
    let chunk_bits = chunk_bits(flow);
    // At first, a chunk belongs to the worker whose share contains its first position.
    let owner = |chunk: usize| flow.shares.iter().position(|share| share.contains(&(chunk << chunk_bits)));
    let chunks = 0..flow.len().div_ceil(1 << chunk_bits);
    let sweep = Sweep {
        flow,
        budget,
        inboxes: Inboxes::new(workers),
        chunk_bits,
        owners: chunks.map(|chunk| AtomicUsize::new(owner(chunk).unwrap_or(0))).collect(),
        ended: AtomicBool::new(false),
        violation: AtomicBool::new(false),
    };
    let ends = parallel_map((0..workers).collect(), |number| {
        let mut worker = Worker::new(&sweep, number, WorkerCache::new(monitor, &states, flow), slots);
        worker.take_initial(&initial);
        let bound = worker.work();
        (worker.done(), bound)
    });
    budget.release(bytes_at_first);
    let mut result = SweepResult { violation: sweep.violation.load(SeqCst), ..SweepResult::default() };
    for (done, bound) in ends {
        bound?;
        result.states += done.added;
        result.transitions += done.transitions;
        budget.release(done.bytes);
    }
    Ok(result)
}

/// How many positions a chunk has, as a power of two: large chunks are seldom handed over, small ones can be shared.
fn chunk_bits(flow: &Flow) -> u32 {
    const MOST: u32 = 9;
    const CHUNKS: usize = 64;
    (flow.len() / (CHUNKS * flow.shares.len())).checked_ilog2().unwrap_or(0).min(MOST)
}

/// What all workers share.
struct Sweep<'a> {
    flow: &'a Flow,
    budget: &'a Budget<'a>,
    inboxes: Inboxes,
    /// How many positions a chunk has, as a power of two.
    chunk_bits: u32,
    /// By chunk: the worker that owns its positions.
    owners: Vec<AtomicUsize>,
    ended: AtomicBool,
    violation: AtomicBool,
}

impl Sweep<'_> {
    /// The positions of a chunk.
    fn positions(&self, chunk: usize) -> Range<usize> {
        let end = (chunk + 1) << self.chunk_bits;
        chunk << self.chunk_bits..end.min(self.flow.len())
    }
}

#[cfg(test)]
mod tests {
    use crate::{Options, Supported, Verdict, check};
    use steadfast_lang::Dialect;
    use steadfast_model::Notion;
    use steadfast_span::SourceFile;

    /// Small programs, for controlled schedules: workers send each other states, share steps, and take chunks from each other. Some searches end early, with a violation.
    #[test]
    fn concurrent_workers_answer_as_one_does() {
        let programs = [
            include_str!("../../../../corpus/programs/dekker-ra.sf"),
            include_str!("../../../../corpus/programs/peterson-fix1.sf"),
            include_str!("../../../../corpus/programs/dekker-sc.sf"),
        ];
        for text in programs {
            let file = SourceFile::new("program.sf", text.to_owned());
            let program = steadfast_lang::parse(&file, Dialect::Steadfast).program.expect("it is a program");
            for (notion, joint) in [(Notion::Graph, false), (Notion::Graph, true), (Notion::Observational, false)] {
                let one = Options { spin: false, joint, ..Options::new(Supported::Ra, notion) };
                let two = Options { jobs: 2, parallel_from: 0, ..one.clone() };
                let [one, two] = [one, two].map(|options| check(&program, &options));
                assert_eq!(std::mem::discriminant(&one.verdict), std::mem::discriminant(&two.verdict));
                assert_eq!(one.statistics.program_states, two.statistics.program_states);
                assert!(!matches!(two.verdict, Verdict::Inconclusive(_)));
            }
        }
    }
}
