//! A search that carries columns along the edges of a graph until no state learns of a new one.
//!
//! Workers sweep over the flow, again and again. Most edges lead forward, so the first sweep does nearly everything. Workers take chunks of positions in turn and go
//! through the flow side by side. A chunk with something pending is *due*; whoever adds something pending to a chunk that is not due makes it due, and the number of
//! chunks that are due or being looked at says when the search is over.

mod columns;
mod tide;

pub(crate) use tide::Tide;

use crate::flow::{CHUNK, Flow};
use columns::{After, Columns, LOST, Number, View};
use std::hash::Hash;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::SeqCst};
use steadfast_explore::{Bound, Budget};

/// What is carried along, and what becomes of it.
pub(crate) trait Story: Sync {
    /// What is known on one way to a state.
    type Column: Clone + Eq + Hash + Send;
    /// What one worker remembers between steps.
    type Memory: Send;

    /// An empty memory.
    fn memory(&self) -> Self::Memory;
    /// The column with which the story begins at an edge of some kind.
    fn start(&self, kind: u32) -> Option<Self::Column>;
    /// The columns after an edge of some kind; or the end, if the step itself is a violation.
    fn after(&self, memory: &mut Self::Memory, before: &Self::Column, kind: u32) -> Result<Vec<Self::Column>, Caught>;
    /// Whether the columns after an edge depend on more than the group of its kind.
    fn depends_on_label(&self, memory: &mut Self::Memory, before: &Self::Column, kind: u32) -> bool;
    /// Whether there is a violation at a site.
    fn violates(&self, memory: &mut Self::Memory, column: &Self::Column, site: u32) -> bool;
    /// Whether everything that can come of the second column can come of the first.
    fn covers(&self, larger: &Self::Column, smaller: &Self::Column) -> bool;
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

/// Flows smaller than this are not worth a second thread.
const PARALLEL_FROM: usize = 4000;

/// Carries a story along a flow, from columns that are there at once and from wherever it begins.
pub(crate) fn sweep<S: Story>(
    story: &S,
    flow: &Flow,
    tide: &Tide,
    initial: &[(u32, S::Column)],
    jobs: usize,
    budget: &Budget<'_>,
) -> Result<SweepResult, Bound> {
    let shared = flow.len() >= PARALLEL_FROM && jobs > 1;
    let columns = Columns::new(shared);
    for (position, column) in initial {
        tide.add::<false>(*position as usize, columns.number(column.clone()), |_, _| false);
    }
    let sweep = Sweep::new(flow, tide, budget);
    let view = || View::new(story, &columns, flow);
    if shared {
        std::thread::scope(|scope| {
            let workers: Vec<_> = (0..jobs).map(|_| scope.spawn(|| sweep.work::<true, S>(view()))).collect();
            let ends = workers.into_iter().map(|worker| worker.join().expect("a worker does not panic"));
            ends.fold(Ok(()), Result::and)
        })?;
    } else {
        sweep.work::<false, S>(view())?;
    }
    budget.release(sweep.bytes.load(SeqCst));
    Ok(SweepResult {
        violation: sweep.caught.load(SeqCst),
        states: sweep.arrivals.load(SeqCst),
        transitions: sweep.transitions.load(SeqCst),
    })
}

struct Sweep<'a> {
    flow: &'a Flow,
    tide: &'a Tide,
    budget: &'a Budget<'a>,
    chunks: Vec<Chunk>,
    /// How many chunks are due or being looked at.
    left: AtomicUsize,
    /// The chunk that is next in turn, counted over all sweeps.
    turn: AtomicUsize,
    ended: AtomicBool,
    caught: AtomicBool,
    transitions: AtomicU64,
    /// How many columns were added, at all positions together.
    arrivals: AtomicU64,
    /// How many bytes were taken from the budget.
    bytes: AtomicU64,
}

#[derive(Debug)]
struct Chunk {
    due: AtomicBool,
    /// Whether nobody has looked at it yet; whoever does so first lets the story begin at its edges.
    untouched: AtomicBool,
}

/// What a worker has of its own.
struct Worker<'c, S: Story> {
    view: View<'c, S>,
    taken: Vec<Number>,
    transitions: u64,
    added: u64,
}

impl<'a> Sweep<'a> {
    fn new(flow: &'a Flow, tide: &'a Tide, budget: &'a Budget<'a>) -> Self {
        let chunks = flow.len().div_ceil(CHUNK);
        let new = |_| Chunk { due: AtomicBool::new(true), untouched: AtomicBool::new(true) };
        Self {
            flow,
            tide,
            budget,
            chunks: (0..chunks).map(new).collect(),
            left: AtomicUsize::new(chunks),
            turn: AtomicUsize::new(0),
            ended: AtomicBool::new(false),
            caught: AtomicBool::new(false),
            transitions: AtomicU64::new(0),
            arrivals: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
        }
    }

    fn work<const SHARED: bool, S: Story>(&self, view: View<'_, S>) -> Result<(), Bound> {
        let mut worker = Worker { view, taken: Vec::new(), transitions: 0, added: 0 };
        let mut fruitless = 0;
        let mut result = Ok(());
        while self.left.load(SeqCst) > 0 && !self.ended.load(SeqCst) {
            let number = self.turn.fetch_add(1, SeqCst) % self.chunks.len();
            let due = &self.chunks[number].due;
            if !due.load(SeqCst) || !due.swap(false, SeqCst) {
                fruitless += 1;
                if fruitless > self.chunks.len() {
                    std::thread::yield_now();
                }
                continue;
            }
            fruitless = 0;
            if let Err(Caught) = self.sweep_chunk::<SHARED, S>(number, &mut worker) {
                self.caught.store(true, SeqCst);
                self.ended.store(true, SeqCst);
            }
            self.left.fetch_sub(1, SeqCst);
            self.arrivals.fetch_add(worker.added, SeqCst);
            let bytes = worker.view.bytes_learned() + self.tide.bytes_aside();
            self.bytes.fetch_add(bytes, SeqCst);
            self.budget.add(std::mem::take(&mut worker.added), bytes);
            result = self.budget.check();
            if result.is_err() {
                self.ended.store(true, SeqCst);
            }
        }
        self.transitions.fetch_add(worker.transitions, SeqCst);
        result
    }

    fn sweep_chunk<const SHARED: bool, S: Story>(
        &self,
        number: usize,
        worker: &mut Worker<'_, S>,
    ) -> Result<(), Caught> {
        let first = self.chunks[number].untouched.swap(false, SeqCst);
        for position in number * CHUNK..((number + 1) * CHUNK).min(self.flow.len()) {
            if first {
                self.begin::<SHARED, S>(position, worker);
            }
            worker.taken.clear();
            self.tide.take::<SHARED>(position, &mut worker.taken);
            if !worker.taken.is_empty() {
                self.carry_on::<SHARED, S>(position, worker)?;
            }
        }
        Ok(())
    }

    /// Lets the story begin at the edges of a position.
    #[inline]
    fn begin<const SHARED: bool, S: Story>(&self, position: usize, worker: &mut Worker<'_, S>) {
        for edge in self.flow.edges(position) {
            let start = worker.view.start(edge.kind);
            if start != LOST {
                self.arrive::<SHARED, S>(edge.target, start, worker);
            }
        }
    }

    /// Takes the pending columns of a position along all its edges.
    #[inline]
    fn carry_on<const SHARED: bool, S: Story>(
        &self,
        position: usize,
        worker: &mut Worker<'_, S>,
    ) -> Result<(), Caught> {
        for at in 0..worker.taken.len() {
            worker.view.judge(self.flow.site_of[position], worker.taken[at])?;
        }
        let edges = self.flow.edges(position);
        worker.transitions += (edges.len() * worker.taken.len()) as u64;
        for edge in edges {
            let group = self.flow.group_of[edge.kind as usize];
            for at in 0..worker.taken.len() {
                match worker.view.after(edge.kind, group, worker.taken[at])? {
                    After::One(LOST) => {}
                    After::One(next) => self.arrive::<SHARED, S>(edge.target, next, worker),
                    After::List(list) => {
                        for at in 0..worker.view.list(list).len() {
                            self.arrive::<SHARED, S>(edge.target, worker.view.list(list)[at], worker);
                        }
                    }
                }
            }
        }
        Ok(())
    }

    #[inline]
    fn arrive<const SHARED: bool, S: Story>(&self, target: u32, column: Number, worker: &mut Worker<'_, S>) {
        let target = target as usize;
        if self.tide.add::<SHARED>(target, column, |larger, smaller| worker.view.covers(larger, smaller)) {
            worker.added += 1;
            let due = &self.chunks[target / CHUNK].due;
            if !due.load(SeqCst) && !due.swap(true, SeqCst) {
                self.left.fetch_add(1, SeqCst);
            }
        }
    }
}
