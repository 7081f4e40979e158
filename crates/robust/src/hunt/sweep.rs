//! One hunt: workers sweep over the flow, again and again, until no column is pending anywhere.
//!
//! Most edges lead forward, so the first sweep does nearly everything. Workers take chunks of positions in turn and go through the flow side by side. A chunk with something pending is *due*;
//! whoever adds something pending to a chunk that is not due makes it due, and the number of chunks that are due or being looked at says when the hunt is over.

use super::columns::{Columns, TooNarrow, View};
use super::tide::Tide;
use super::{Hunt, HuntResult};
use crate::flow::{CHUNK, Flow};
use crate::models::MemoryModel;
use crate::tracker::Quarry;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::SeqCst};
use steadfast_explore::Bound;

pub(super) struct Sweep<'h, 'a, M, const P: usize> {
    hunt: &'h Hunt<'a, M>,
    quarry: Quarry,
    columns: Columns<P>,
    due: Vec<AtomicBool>,
    /// How many chunks are due or being looked at.
    left: AtomicUsize,
    /// The chunk that is next in turn, counted over all sweeps.
    turn: AtomicUsize,
    ended: AtomicBool,
    caught: AtomicBool,
    too_narrow: AtomicBool,
    transitions: AtomicU64,
    /// How many columns were added, at all positions together.
    arrivals: AtomicU64,
}

/// Why a worker stops early.
enum Stop {
    TooNarrow,
    Caught,
}

impl From<TooNarrow> for Stop {
    fn from(_: TooNarrow) -> Self {
        Self::TooNarrow
    }
}

/// What a worker uses for every state anew.
struct Scratch {
    taken: Vec<u64>,
    arriving: Vec<u64>,
    transitions: u64,
    added: u64,
}

impl<'h, 'a, M: MemoryModel, const P: usize> Sweep<'h, 'a, M, P> {
    pub(super) fn new(hunt: &'h Hunt<'a, M>, quarry: Quarry) -> Self {
        let chunks = hunt.flow.len().div_ceil(CHUNK);
        Self {
            hunt,
            quarry,
            columns: Columns::new(hunt.outlooks.combinations.len()),
            due: (0..chunks).map(|_| AtomicBool::new(true)).collect(),
            left: AtomicUsize::new(chunks),
            turn: AtomicUsize::new(0),
            ended: AtomicBool::new(false),
            caught: AtomicBool::new(false),
            too_narrow: AtomicBool::new(false),
            transitions: AtomicU64::new(0),
            arrivals: AtomicU64::new(0),
        }
    }

    fn flow(&self) -> &'h Flow {
        self.hunt.flow
    }

    /// Follows the quarry to the end.
    pub(super) fn run(&mut self, tide: &mut Tide, jobs: usize) -> Result<HuntResult, Bound> {
        let sizes = (self.flow().kinds.len(), self.hunt.outlooks.sites.len(), self.hunt.outlooks.combinations.len());
        let mut views: Vec<View<P>> = (0..jobs).map(|_| View::new(sizes, tide.width, self.hunt.covering)).collect();
        loop {
            match &mut views[..] {
                [alone] => self.work::<false>(alone, tide)?,
                several => self.work_together(several, tide)?,
            }
            if !*self.too_narrow.get_mut() {
                return Ok(HuntResult {
                    violation: *self.caught.get_mut(),
                    states: *self.arrivals.get_mut(),
                    transitions: *self.transitions.get_mut(),
                });
            }
            self.widen(tide, &mut views);
        }
    }

    fn work_together(&self, views: &mut [View<P>], tide: &Tide) -> Result<(), Bound> {
        std::thread::scope(|scope| {
            let spawn = |view| scope.spawn(move || self.work::<true>(view, tide));
            let workers: Vec<_> = views.iter_mut().map(spawn).collect();
            workers.into_iter().map(|worker| worker.join().expect("a hunter does not panic")).fold(Ok(()), Result::and)
        })
    }

    fn widen(&mut self, tide: &mut Tide, views: &mut [View<P>]) {
        let width = tide.width * 2;
        self.hunt.budget.add(0, tide.bytes() as u64);
        *tide = tide.widened(width);
        views.iter_mut().for_each(|view| view.widen(width));
        self.due.iter_mut().for_each(|due| *due.get_mut() = true);
        *self.left.get_mut() = self.due.len();
        *self.turn.get_mut() = 0;
        *self.too_narrow.get_mut() = false;
        *self.ended.get_mut() = false;
    }

    fn work<const SHARED: bool>(&self, view: &mut View<P>, tide: &Tide) -> Result<(), Bound> {
        let mut scratch =
            Scratch { taken: vec![0; tide.width], arriving: vec![0; tide.width], transitions: 0, added: 0 };
        let mut fruitless = 0;
        let mut result = Ok(());
        while self.left.load(SeqCst) > 0 && !self.ended.load(SeqCst) {
            let chunk = self.turn.fetch_add(1, SeqCst) % self.due.len();
            if !self.due[chunk].load(SeqCst) || !self.due[chunk].swap(false, SeqCst) {
                fruitless += 1;
                if fruitless > self.due.len() {
                    std::thread::yield_now();
                }
                continue;
            }
            fruitless = 0;
            match self.sweep_chunk::<SHARED>(chunk, view, tide, &mut scratch) {
                Ok(()) => {}
                Err(Stop::Caught) => self.end(&self.caught),
                Err(Stop::TooNarrow) => self.end(&self.too_narrow),
            }
            self.left.fetch_sub(1, SeqCst);
            self.arrivals.fetch_add(scratch.added, SeqCst);
            self.hunt.budget.add(std::mem::take(&mut scratch.added), 0);
            result = self.hunt.budget.check();
            if result.is_err() {
                self.ended.store(true, SeqCst);
            }
        }
        self.transitions.fetch_add(scratch.transitions, SeqCst);
        result
    }

    fn end(&self, why: &AtomicBool) {
        why.store(true, SeqCst);
        self.ended.store(true, SeqCst);
    }

    fn sweep_chunk<const SHARED: bool>(
        &self,
        chunk: usize,
        view: &mut View<P>,
        tide: &Tide,
        scratch: &mut Scratch,
    ) -> Result<(), Stop> {
        for position in chunk * CHUNK..((chunk + 1) * CHUNK).min(self.flow().len()) {
            if tide.take::<SHARED>(position, &mut scratch.taken) {
                let done = self.carry_on::<SHARED>(position, view, tide, scratch);
                if done.is_err() {
                    tide.put_back(position, &scratch.taken);
                    return done;
                }
            }
        }
        Ok(())
    }

    /// Takes the pending columns of a position along all its edges.
    #[inline]
    fn carry_on<const SHARED: bool>(
        &self,
        position: usize,
        view: &mut View<P>,
        tide: &Tide,
        Scratch { taken, arriving, transitions, added }: &mut Scratch,
    ) -> Result<(), Stop> {
        let site = self.flow().site_of[position] as usize;
        if !view.is_harmless(site, taken) {
            self.judge(site, view, taken)?;
        }
        for edge in self.flow().edges(position) {
            let kind = self.flow().kinds[edge.kind as usize];
            let step = |number, bits: &[u64; P]| self.hunt.after(self.quarry, number, bits, kind);
            *transitions +=
                view.image(&self.columns, (edge.kind as usize, kind.from, kind.to), taken, arriving, step)?;
            let target = edge.target as usize;
            let new = tide.absorb::<SHARED, P>(target, arriving, &view.catalogues[kind.to as usize]);
            if new > 0 {
                *added += u64::from(new);
                let due = &self.due[target / CHUNK];
                if !due.load(SeqCst) && !due.swap(true, SeqCst) {
                    self.left.fetch_add(1, SeqCst);
                }
            }
        }
        Ok(())
    }

    /// Whether some thread's next access at this site could take the hunted write and leave SC by it.
    #[cold]
    fn judge(&self, site: usize, view: &mut View<P>, taken: &[u64]) -> Result<(), Stop> {
        let place = &self.hunt.outlooks.sites[site];
        for number in crate::flow::ones(taken).filter(|&number| number != super::columns::START as usize) {
            let bits = view.column(&self.columns, place.outlook, number)?;
            if self.hunt.violates(&bits, self.quarry, place) {
                return Err(Stop::Caught);
            }
        }
        view.judge_harmless(site, taken);
        Ok(())
    }
}
