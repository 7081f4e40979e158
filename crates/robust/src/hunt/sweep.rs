//! One hunt: workers sweep over the flow, again and again, until no column is pending anywhere.
//!
//! Most edges lead forward, so the first sweep does nearly everything. Workers take chunks of positions in turn and go through the flow side by side. A chunk with something pending is *due*;
//! whoever adds something pending to a chunk that is not due makes it due, and the number of chunks that are due or being looked at says when the hunt is over.

use super::columns::{Columns, LOST, Number, View};
use super::tide::Tide;
use super::{Hunt, HuntResult};
use crate::flow::{CHUNK, Flow};
use crate::models::MemoryModel;
use crate::tracker::Quarry;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::SeqCst};
use steadfast_explore::Bound;

pub(super) struct Sweep<'h, 'a, M> {
    hunt: &'h Hunt<'a, M>,
    quarry: Quarry,
    tide: &'h Tide,
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
}

#[derive(Debug)]
struct Chunk {
    due: AtomicBool,
    /// Whether nobody has looked at it yet; whoever does so first lets hunts begin at its edges.
    untouched: AtomicBool,
}

/// What a worker has of its own.
struct Worker<'c, const P: usize> {
    view: View<'c, P>,
    taken: Vec<Number>,
    transitions: u64,
    added: u64,
}

/// The quarry was caught.
struct Caught;

impl<'h, 'a, M: MemoryModel> Sweep<'h, 'a, M> {
    pub(super) fn new(hunt: &'h Hunt<'a, M>, quarry: Quarry, tide: &'h Tide) -> Self {
        let chunks = hunt.flow.len().div_ceil(CHUNK);
        let new = |_| Chunk { due: AtomicBool::new(true), untouched: AtomicBool::new(true) };
        Self {
            hunt,
            quarry,
            tide,
            chunks: (0..chunks).map(new).collect(),
            left: AtomicUsize::new(chunks),
            turn: AtomicUsize::new(0),
            ended: AtomicBool::new(false),
            caught: AtomicBool::new(false),
            transitions: AtomicU64::new(0),
            arrivals: AtomicU64::new(0),
        }
    }

    fn flow(&self) -> &'h Flow {
        self.hunt.flow
    }

    /// Follows the quarry to the end.
    pub(super) fn run<const P: usize>(&self, jobs: usize) -> Result<HuntResult, Bound> {
        let columns = Columns::<P>::new();
        let view = || View::new(&columns, self.flow().kinds.len(), self.hunt.outlooks.sites.len());
        if jobs == 1 {
            self.work::<false, P>(view())?;
        } else {
            std::thread::scope(|scope| {
                let workers: Vec<_> = (0..jobs).map(|_| scope.spawn(|| self.work::<true, P>(view()))).collect();
                let ends = workers.into_iter().map(|worker| worker.join().expect("a hunter does not panic"));
                ends.fold(Ok(()), Result::and)
            })?;
        }
        Ok(HuntResult {
            violation: self.caught.load(SeqCst),
            states: self.arrivals.load(SeqCst),
            transitions: self.transitions.load(SeqCst),
        })
    }

    fn work<const SHARED: bool, const P: usize>(&self, view: View<'_, P>) -> Result<(), Bound> {
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
            if let Err(Caught) = self.sweep_chunk::<SHARED, P>(number, &mut worker) {
                self.caught.store(true, SeqCst);
                self.ended.store(true, SeqCst);
            }
            self.left.fetch_sub(1, SeqCst);
            self.arrivals.fetch_add(worker.added, SeqCst);
            self.hunt.budget.add(std::mem::take(&mut worker.added), 0);
            result = self.hunt.budget.check();
            if result.is_err() {
                self.ended.store(true, SeqCst);
            }
        }
        self.transitions.fetch_add(worker.transitions, SeqCst);
        result
    }

    fn sweep_chunk<const SHARED: bool, const P: usize>(
        &self,
        number: usize,
        worker: &mut Worker<'_, P>,
    ) -> Result<(), Caught> {
        let first = self.chunks[number].untouched.swap(false, SeqCst);
        for position in number * CHUNK..((number + 1) * CHUNK).min(self.flow().len()) {
            if first {
                self.begin::<SHARED, P>(position, worker);
            }
            worker.taken.clear();
            self.tide.take::<SHARED>(position, &mut worker.taken);
            if !worker.taken.is_empty() {
                self.carry_on::<SHARED, P>(position, worker)?;
            }
        }
        Ok(())
    }

    /// Lets hunts begin at the edges of a position.
    #[inline]
    fn begin<const SHARED: bool, const P: usize>(&self, position: usize, worker: &mut Worker<'_, P>) {
        for edge in self.flow().edges(position) {
            let kind = edge.kind as usize;
            let start = worker.view.start(kind, || self.hunt.start(self.quarry, self.flow().kinds[kind]));
            if start != LOST {
                self.arrive::<SHARED, P>(edge.target, start, worker);
            }
        }
    }

    /// Takes the pending columns of a position along all its edges.
    #[inline]
    fn carry_on<const SHARED: bool, const P: usize>(
        &self,
        position: usize,
        worker: &mut Worker<'_, P>,
    ) -> Result<(), Caught> {
        let site = self.flow().site_of[position] as usize;
        for at in 0..worker.taken.len() {
            if !worker.view.is_harmless(site, worker.taken[at]) {
                self.judge(site, worker.taken[at], &mut worker.view)?;
            }
        }
        let edges = self.flow().edges(position);
        worker.transitions += (edges.len() * worker.taken.len()) as u64;
        for edge in edges {
            let kind = edge.kind as usize;
            for at in 0..worker.taken.len() {
                let step = |bits: &[u64; P]| self.hunt.after(self.quarry, bits, self.flow().kinds[kind]);
                let next = worker.view.after(kind, worker.taken[at], step);
                if next != LOST {
                    self.arrive::<SHARED, P>(edge.target, next, worker);
                }
            }
        }
        Ok(())
    }

    #[inline]
    fn arrive<const SHARED: bool, const P: usize>(&self, target: u32, column: Number, worker: &mut Worker<'_, P>) {
        let target = target as usize;
        let covers = |larger, smaller| self.hunt.covering && worker.view.covers(larger, smaller);
        if self.tide.add::<SHARED>(target, column, covers) {
            worker.added += 1;
            let due = &self.chunks[target / CHUNK].due;
            if !due.load(SeqCst) && !due.swap(true, SeqCst) {
                self.left.fetch_add(1, SeqCst);
            }
        }
    }

    /// Whether some thread's next access at this site could take the hunted write and leave SC by it.
    #[cold]
    fn judge<const P: usize>(&self, site: usize, column: Number, view: &mut View<'_, P>) -> Result<(), Caught> {
        if self.hunt.violates(view.column(column), self.quarry, &self.hunt.outlooks.sites[site]) {
            return Err(Caught);
        }
        view.judge_harmless(site, column);
        Ok(())
    }
}
