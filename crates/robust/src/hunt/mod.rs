//! The search for a violation, one stale write at a time.
//!
//! A run under SC and one write in it that gets overwritten: from then on the column of that write (see `column.rs`) says who may still take
//! it. A violation is a thread that is aware of the newest write of the location, may still take the hunted one, and is about to access the location in
//! a way that could take it. Since bits of different writes never interact, hunting every write separately is exact; since
//! all rules are monotone, a column with more bits covers one with fewer. What must be told apart of the hunted write is its location, the class of its
//! value (what some wait or CAS can single out) and its column.
//!
//! Several workers share one hunt (`relay`): each owns a part of the states and sends on what belongs to another.

mod relay;
mod search;

use crate::awareness;
use crate::column::Window;
use crate::explored::Explored;
use crate::futures::{Future, Outlooks};
use crate::machine::Machine;
use crate::models::{Axis, MemoryModel};
use crate::ops::{Op, Ops};
use crate::prey::Prey;
use crate::tracker::{Quarry, Tracker};
use relay::Relay;
use search::{START, Search};
use steadfast_explore::{Bound, Budget, Edge, StateId};

/// Everything that all hunts share.
pub(crate) struct Hunt<'a, M> {
    /// The machine whose graph is searched.
    pub machine: &'a Machine<'a>,
    /// Its states and edges.
    pub graph: &'a dyn Explored,
    /// The rules.
    pub tracker: &'a Tracker<'a, M>,
    /// What the edges do to a monitor.
    pub ops: &'a Ops,
    /// What threads can still do, by state.
    pub outlooks: &'a Outlooks,
    /// The accesses of local states, by class.
    pub accesses: &'a [Vec<crate::automaton::Access>],
    /// Whether columns with more bits cover those with fewer.
    pub covering: bool,
    /// Thread permutations by (thread, place).
    pub permutations: &'a [Vec<Vec<usize>>],
    /// The shared budget.
    pub budget: &'a Budget<'a>,
}

/// What all hunts together found.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct HuntResult {
    /// Whether some hunt was successful.
    pub violation: bool,
    /// How many columns were stored.
    pub states: u64,
    /// How many steps were taken.
    pub transitions: u64,
}

impl HuntResult {
    /// Adds up what another search took.
    pub(crate) fn add(&mut self, other: Self) {
        self.violation |= other.violation;
        self.states += other.states;
        self.transitions += other.transitions;
    }
}

/// Graphs smaller than this are not worth a second thread.
const PARALLEL_FROM: usize = 4000;

impl<M: MemoryModel> Hunt<'_, M> {
    /// Hunts all prey, up to the first success if that is enough. Returns also which prey was caught. A bound ends it, unless one success is enough
    /// and there was one before.
    pub(crate) fn run<const P: usize>(
        &self,
        prey: &[Prey],
        one: bool,
        jobs: usize,
    ) -> Result<(HuntResult, Vec<Quarry>), Bound> {
        let jobs = if self.graph.len() < PARALLEL_FROM { 1 } else { jobs.max(1) };
        let keys = self.graph.id_bound().div_ceil(jobs);
        let mut searches: Vec<Search<P>> =
            prey.first().into_iter().flat_map(|_| 0..jobs).map(|_| Search::new(keys)).collect();
        self.budget.add(0, searches.iter().map(|search| search.cover.bytes() as u64).sum());
        let (mut result, mut caught) = (HuntResult::default(), Vec::new());
        for prey in prey {
            let success = Relay::new(self, prey, jobs).run(&mut searches);
            for search in &mut searches {
                result.states += search.cover.len() as u64;
                result.transitions += search.transitions;
                search.clear(self.budget);
            }
            if success? {
                caught.push(prey.quarry);
                if one {
                    break;
                }
            }
        }
        caught.sort_unstable();
        result.violation = !caught.is_empty();
        Ok((result, caught))
    }

    /// The column with which a hunt starts.
    fn start<const P: usize>(&self, search: &mut Search<P>, prey: &Prey, op: u32, outlook: u32) -> u32 {
        search.memo(START, op, outlook, |_| {
            let op = self.ops.all[op as usize];
            let mut bits = self.tracker.start::<P>(prey.quarry, op.thread, op.event, op.fences);
            self.permute(&mut bits, op);
            self.simplify(&mut bits, prey, &self.outlooks.combinations[outlook as usize]).then_some(bits)
        })
    }

    /// The column after a step.
    #[inline]
    fn step<const P: usize>(&self, search: &mut Search<P>, prey: &Prey, column: u32, edge: &Edge) -> u32 {
        let op = self.ops.number(edge.label);
        search.memo(column, op, edge.note, |bits| {
            let (mut bits, op) = (*bits, self.ops.all[op as usize]);
            self.tracker.step(&mut bits, prey.quarry, (op.thread, op.event, op.fences), false);
            self.permute(&mut bits, op);
            self.simplify(&mut bits, prey, &self.outlooks.combinations[edge.note as usize]).then_some(bits)
        })
    }

    /// Whether some thread's next access could take the hunted write and leave SC by it.
    fn violates<const P: usize>(&self, bits: &[u64; P], prey: &Prey, state: StateId) -> bool {
        (0..self.tracker.layout.shape.threads).any(|thread| {
            let class = self.machine.class_of[thread];
            let access = &self.accesses[class][self.graph.local(state, thread) as usize];
            self.tracker.strikes(bits, prey.quarry, access, thread) != (false, false)
        })
    }

    #[inline]
    fn permute<const P: usize>(&self, bits: &mut [u64; P], op: Op) {
        if op.thread != op.place {
            self.tracker.layout.permute(bits, &self.permutations[op.thread][op.place]);
        }
    }

    /// Clears the bits that can no longer matter. False: nothing can come of this hunt any more.
    pub(crate) fn simplify<const P: usize>(&self, bits: &mut [u64; P], prey: &Prey, futures: &[Future]) -> bool {
        let flag = self.tracker.layout.flag(bits) && (prey.quarry.race || self.tracker.model.writes_violate());
        let views = awareness::FIELDS.len();
        let aware = self.tracker.layout.group(bits, 0);
        let on = |set: u64, index: usize| set >> index & 1 == 1;
        let (mut hunters, mut active) = (0_u64, 0_u64);
        for (thread, future) in futures.iter().enumerate() {
            let strikes = if prey.quarry.race {
                on(future.plain, prey.quarry.loc as usize)
            } else {
                on(future.reads, prey.quarry.loc as usize) || (flag && on(future.writes, prey.quarry.loc as usize))
            };
            let cells = Window { bits, groups: &self.tracker.layout.groups[views..] };
            hunters |= u64::from(strikes && self.tracker.model.open(&cells, thread, false)) << thread;
            active |= u64::from(future.active) << thread;
        }
        if hunters == 0 {
            return false;
        }
        if hunters & !aware == 0 {
            self.tracker.layout.keep(bits, 0, hunters);
            self.tracker.layout.keep(bits, 1, 0);
            self.tracker.layout.keep(bits, 2, 0);
        } else {
            let unaware =
                futures.iter().enumerate().filter(|&(thread, _)| !on(aware, thread)).map(|(_, future)| future);
            let (writes, reads) = unaware.fold((0, 0), |(w, r), future| (w | future.writes, r | future.reads));
            self.tracker.layout.keep(bits, 0, active);
            self.tracker.layout.keep(bits, 1, writes);
            self.tracker.layout.keep(bits, 2, reads);
        }
        self.simplify_views(bits, futures, active);
        true
    }

    /// A thread without a future needs no cells; a location's cells are only looked at by threads that still have some of their own.
    fn simplify_views<const P: usize>(&self, bits: &mut [u64; P], futures: &[Future], active: u64) {
        let views = awareness::FIELDS.len()..self.tracker.layout.groups.len();
        let mut open = 0;
        for field in views.clone().filter(|&field| self.tracker.layout.groups[field].axis == Axis::Thread) {
            self.tracker.layout.keep(bits, field, active);
            open |= self.tracker.layout.group(bits, field);
        }
        let looking = futures.iter().enumerate().filter(|(thread, _)| open >> thread & 1 == 1);
        let looked_at = looking.fold(0, |all, (_, future)| all | future.reads | future.writes);
        for field in views.filter(|&field| self.tracker.layout.groups[field].axis == Axis::Location) {
            self.tracker.layout.keep(bits, field, looked_at);
        }
    }
}
