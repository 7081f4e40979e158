//! The search for violations, one stale write at a time.
//!
//! The search follows a run under SC, and one write of that run that gets overwritten. From then on, the monitor state of that write (see `monitor_layout.rs`) says which threads may still take
//! it. There is a violation when a thread is aware of the newest write of the location, may still take the stale write, and its next access could take it. Facts about different writes never
//! interact, so it is exact to search for every write separately. All rules are monotone, so a monitor state with more bits covers one with fewer. Two stale writes need separate searches if they
//! differ in location or in the class of their value (what some wait or CAS can tell apart).
//!
//! `sweep` carries the monitor states along the edges of the state graph.

use crate::awareness;
use crate::flow::{Flow, Kind};
use crate::machine::Machine;
use crate::models::{Axis, MemoryModel};
use crate::monitor_layout::CellView;
use crate::ops::{Op, Ops};
use crate::remaining::{Remaining, Site, Sites};
use crate::sweep::{Monitor, Slots, SweepResult, ViolationFound, sweep};
use crate::tracker::{StaleWrite, Tracker};
use steadfast_explore::{Bound, Budget};

/// What all searches share.
pub(crate) struct SingleSearch<'a, M> {
    /// The machine whose graph is searched.
    pub machine: &'a Machine<'a>,
    /// Its states and edges.
    pub flow: &'a Flow,
    /// The rules for one stale write.
    pub tracker: &'a Tracker<'a, M>,
    /// What each edge does to a monitor.
    pub ops: &'a Ops,
    /// What the threads can still do, by state.
    pub sites: &'a Sites,
    /// The next accesses, by class of threads and local state.
    pub accesses: &'a [Vec<crate::automaton::NextAccess>],
    /// Whether monitor states with more bits cover those with fewer.
    pub covering: bool,
    /// Permutations of threads, by thread and place.
    pub permutations: &'a [Vec<Vec<usize>>],
    /// The shared budget.
    pub budget: &'a Budget<'a>,
}

/// The monitor of one stale write.
struct SingleMonitor<'h, 'a, M, const P: usize> {
    search: &'h SingleSearch<'a, M>,
    stale_write: StaleWrite,
}

impl<M: MemoryModel, const P: usize> Monitor for SingleMonitor<'_, '_, M, P> {
    type State = [u64; P];
    type Cache = ();

    fn cache(&self) {}

    fn start(&self, kind: u32) -> Option<[u64; P]> {
        let kind = self.search.flow.kinds[kind as usize];
        let op = self.search.ops.all[kind.op as usize];
        let begins = self.stale_write.begins_at(&op);
        let bits = begins.then(|| self.search.tracker.start::<P>(self.stale_write, op.thread, op.event, op.fences))?;
        self.arriving(bits, op, kind)
    }

    fn after(&self, (): &mut (), before: &[u64; P], kind: u32) -> Result<Vec<[u64; P]>, ViolationFound> {
        let kind = self.search.flow.kinds[kind as usize];
        let op = self.search.ops.all[kind.op as usize];
        let mut bits = *before;
        self.search.tracker.step(&mut bits, self.stale_write, (op.thread, op.event, op.fences), false);
        Ok(self.arriving(bits, op, kind).into_iter().collect())
    }

    fn depends_on_kind(&self, _: &[u64; P]) -> bool {
        false
    }

    fn depends_on_label(&self, (): &mut (), _: &[u64; P], _: u32) -> bool {
        false
    }

    /// Whether the next access of some thread could take the stale write and thereby leave SC.
    fn violates(&self, (): &mut (), bits: &[u64; P], site: u32) -> bool {
        let Site { locals, touches, .. } = &self.search.sites.all[site as usize];
        touches >> self.stale_write.loc & 1 == 1
            && locals.iter().enumerate().any(|(thread, &local)| {
                let access = &self.search.accesses[self.search.machine.class_of[thread]][local as usize];
                self.search.tracker.leaves_sc(bits, self.stale_write, access, thread) != (false, false)
            })
    }

    #[inline]
    fn covers(&self, larger: &[u64; P], smaller: &[u64; P]) -> bool {
        self.search.covering && smaller.iter().zip(larger).all(|(smaller, larger)| smaller & !larger == 0)
    }
}

impl<M: MemoryModel, const P: usize> SingleMonitor<'_, '_, M, P> {
    fn arriving(&self, mut bits: [u64; P], op: Op, kind: Kind) -> Option<[u64; P]> {
        self.search.permute(&mut bits, op);
        let remaining = &self.search.sites.remaining[kind.remaining as usize];
        self.search.simplify(&mut bits, self.stale_write, remaining).then_some(bits)
    }
}

impl<M: MemoryModel> SingleSearch<'_, M> {
    /// Searches for each stale write in turn, until one that is `enough` leads to a violation. Also returns the stale writes that lead to violations.
    pub(crate) fn run<const P: usize>(
        &self,
        stale_writes: &[StaleWrite],
        enough: impl Fn(StaleWrite) -> bool,
    ) -> Result<(SweepResult, Vec<StaleWrite>), Bound> {
        let (mut result, mut violating) = (SweepResult::default(), Vec::new());
        if stale_writes.is_empty() {
            return Ok((result, violating));
        }
        let mut slots = Slots::new(self.flow.len());
        let bytes = slots.bytes() as u64;
        self.budget.add(0, bytes);
        for &stale_write in stale_writes {
            let found =
                sweep(&SingleMonitor::<M, P> { search: self, stale_write }, self.flow, &slots, &[], self.budget)?;
            result.add(found);
            if found.violation {
                violating.push(stale_write);
                if enough(stale_write) {
                    break;
                }
            }
            slots.clear();
        }
        self.budget.release(bytes);
        violating.sort_unstable();
        Ok((result, violating))
    }

    #[inline]
    fn permute<const P: usize>(&self, bits: &mut [u64; P], op: Op) {
        if op.thread != op.place {
            self.tracker.layout.permute(bits, &self.permutations[op.thread][op.place]);
        }
    }

    /// Clears the bits that can no longer matter. Returns false if no violation can follow.
    pub(crate) fn simplify<const P: usize>(
        &self,
        bits: &mut [u64; P],
        stale_write: StaleWrite,
        remaining: &[Remaining],
    ) -> bool {
        let flag = self.tracker.layout.flag(bits) && (stale_write.race || self.tracker.model.writes_violate());
        let aware = self.tracker.layout.get_field(bits, 0);
        let on = |set: u64, index: usize| set >> index & 1 == 1;
        let (mut candidates, mut active) = (0_u64, 0_u64);
        for (thread, rest) in remaining.iter().enumerate() {
            let leaves_sc = if stale_write.race {
                on(rest.plain, stale_write.loc as usize)
            } else {
                on(rest.reads, stale_write.loc as usize) || (flag && on(rest.writes, stale_write.loc as usize))
            };
            candidates |= u64::from(leaves_sc && self.tracker.is_open(bits, stale_write, thread)) << thread;
            active |= u64::from(rest.active) << thread;
        }
        if candidates == 0 {
            return false;
        }
        if candidates & !aware == 0 {
            self.tracker.layout.keep_in_field(bits, 0, candidates);
            self.tracker.layout.keep_in_field(bits, 1, 0);
            self.tracker.layout.keep_in_field(bits, 2, 0);
        } else {
            let unaware = remaining.iter().enumerate().filter(|&(thread, _)| !on(aware, thread)).map(|(_, rest)| rest);
            let (writes, reads) = unaware.fold((0, 0), |(w, r), rest| (w | rest.writes, r | rest.reads));
            self.tracker.layout.keep_in_field(bits, 0, active);
            self.tracker.layout.keep_in_field(bits, 1, writes);
            self.tracker.layout.keep_in_field(bits, 2, reads);
        }
        self.simplify_views(bits, remaining, active);
        true
    }

    /// Clears the views of threads that make no more accesses, and those of locations that no thread with bits of its own accesses any more.
    fn simplify_views<const P: usize>(&self, bits: &mut [u64; P], remaining: &[Remaining], active: u64) {
        let views = awareness::FIELDS.len()..self.tracker.layout.fields.len();
        self.tracker
            .model
            .settle(&mut CellView { bits, fields: &self.tracker.layout.fields[views.clone()] }, remaining);
        let mut open = 0;
        for field in views.clone().filter(|&field| self.tracker.layout.fields[field].axis == Axis::Thread) {
            self.tracker.layout.keep_in_field(bits, field, active);
            open |= self.tracker.layout.get_field(bits, field);
        }
        let looking = remaining.iter().enumerate().filter(|(thread, _)| open >> thread & 1 == 1);
        let looked_at = looking.fold(0, |all, (_, rest)| all | rest.reads | rest.writes);
        for field in views.filter(|&field| self.tracker.layout.fields[field].axis == Axis::Location) {
            self.tracker.layout.keep_in_field(bits, field, looked_at);
        }
    }
}
