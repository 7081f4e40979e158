//! The search for a violation, one stale write at a time.
//!
//! A run under SC and one write in it that gets overwritten: from then on the column of that write (see `column.rs`) says who may still take
//! it. A violation is a thread that is aware of the newest write of the location, may still take the hunted one, and is about to access the location in
//! a way that could take it. Since bits of different writes never interact, hunting every write separately is exact; since
//! all rules are monotone, a column with more bits covers one with fewer. What must be told apart of the hunted write is its location, the class of its
//! value (what some wait or CAS can single out) and its column.
//!
//! The columns are carried along the edges of the graph by `sweep`.

use crate::awareness;
use crate::column::Window;
use crate::flow::{Flow, Kind};
use crate::futures::{Future, Outlooks, Site};
use crate::machine::Machine;
use crate::models::{Axis, MemoryModel};
use crate::ops::{Op, Ops};
use crate::sweep::{Caught, Slots, Story, SweepResult, sweep};
use crate::tracker::{Quarry, Tracker};
use steadfast_explore::{Bound, Budget};

/// Everything that all hunts share.
pub(crate) struct Hunt<'a, M> {
    /// The machine whose graph is searched.
    pub machine: &'a Machine<'a>,
    /// Its states and edges.
    pub flow: &'a Flow,
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

/// The story of one hunt.
struct Chase<'h, 'a, M, const P: usize> {
    hunt: &'h Hunt<'a, M>,
    quarry: Quarry,
}

impl<M: MemoryModel, const P: usize> Story for Chase<'_, '_, M, P> {
    type Column = [u64; P];
    type Memory = ();

    fn memory(&self) {}

    fn start(&self, kind: u32) -> Option<[u64; P]> {
        let kind = self.hunt.flow.kinds[kind as usize];
        let op = self.hunt.ops.all[kind.op as usize];
        let begins = self.quarry.begins_at(&op);
        let bits = begins.then(|| self.hunt.tracker.start::<P>(self.quarry, op.thread, op.event, op.fences))?;
        self.arriving(bits, op, kind)
    }

    fn after(&self, (): &mut (), before: &[u64; P], kind: u32) -> Result<Vec<[u64; P]>, Caught> {
        let kind = self.hunt.flow.kinds[kind as usize];
        let op = self.hunt.ops.all[kind.op as usize];
        let mut bits = *before;
        self.hunt.tracker.step(&mut bits, self.quarry, (op.thread, op.event, op.fences), false);
        Ok(self.arriving(bits, op, kind).into_iter().collect())
    }

    fn looks_at_kinds(&self, _: &[u64; P]) -> bool {
        false
    }

    fn depends_on_label(&self, (): &mut (), _: &[u64; P], _: u32) -> bool {
        false
    }

    /// Whether some thread's next access could take the hunted write and leave SC by it.
    fn violates(&self, (): &mut (), bits: &[u64; P], site: u32) -> bool {
        let Site { locals, touches, .. } = &self.hunt.outlooks.sites[site as usize];
        touches >> self.quarry.loc & 1 == 1
            && locals.iter().enumerate().any(|(thread, &local)| {
                let access = &self.hunt.accesses[self.hunt.machine.class_of[thread]][local as usize];
                self.hunt.tracker.strikes(bits, self.quarry, access, thread) != (false, false)
            })
    }

    #[inline]
    fn covers(&self, larger: &[u64; P], smaller: &[u64; P]) -> bool {
        self.hunt.covering && smaller.iter().zip(larger).all(|(smaller, larger)| smaller & !larger == 0)
    }
}

impl<M: MemoryModel, const P: usize> Chase<'_, '_, M, P> {
    fn arriving(&self, mut bits: [u64; P], op: Op, kind: Kind) -> Option<[u64; P]> {
        self.hunt.permute(&mut bits, op);
        let futures = &self.hunt.outlooks.combinations[kind.to as usize];
        self.hunt.simplify(&mut bits, self.quarry, futures).then_some(bits)
    }
}

impl<M: MemoryModel> Hunt<'_, M> {
    /// Hunts all prey, up to the first success that is `enough`. Returns also which prey was caught.
    pub(crate) fn run<const P: usize>(
        &self,
        prey: &[Quarry],
        enough: impl Fn(Quarry) -> bool,
    ) -> Result<(SweepResult, Vec<Quarry>), Bound> {
        let (mut result, mut caught) = (SweepResult::default(), Vec::new());
        if prey.is_empty() {
            return Ok((result, caught));
        }
        let mut slots = Slots::new(self.flow.len());
        let bytes = slots.bytes() as u64;
        self.budget.add(0, bytes);
        for &quarry in prey {
            let found = sweep(&Chase::<M, P> { hunt: self, quarry }, self.flow, &slots, &[], self.budget)?;
            result.add(found);
            if found.violation {
                caught.push(quarry);
                if enough(quarry) {
                    break;
                }
            }
            slots.clear();
        }
        self.budget.release(bytes);
        caught.sort_unstable();
        Ok((result, caught))
    }

    #[inline]
    fn permute<const P: usize>(&self, bits: &mut [u64; P], op: Op) {
        if op.thread != op.place {
            self.tracker.layout.permute(bits, &self.permutations[op.thread][op.place]);
        }
    }

    /// Clears the bits that can no longer matter. False: nothing can come of this hunt any more.
    pub(crate) fn simplify<const P: usize>(&self, bits: &mut [u64; P], quarry: Quarry, futures: &[Future]) -> bool {
        let flag = self.tracker.layout.flag(bits) && (quarry.race || self.tracker.model.writes_violate());
        let aware = self.tracker.layout.group(bits, 0);
        let on = |set: u64, index: usize| set >> index & 1 == 1;
        let (mut hunters, mut active) = (0_u64, 0_u64);
        for (thread, future) in futures.iter().enumerate() {
            let strikes = if quarry.race {
                on(future.plain, quarry.loc as usize)
            } else {
                on(future.reads, quarry.loc as usize) || (flag && on(future.writes, quarry.loc as usize))
            };
            hunters |= u64::from(strikes && self.tracker.is_open(bits, quarry, thread)) << thread;
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
        self.tracker.model.settle(&mut Window { bits, groups: &self.tracker.layout.groups[views.clone()] }, futures);
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
