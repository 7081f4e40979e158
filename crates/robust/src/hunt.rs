//! The search for a violation, one stale write at a time.
//!
//! A run under SC and one write in it that gets overwritten: from then on the column of that write (see `column.rs`) says who may still take
//! it. A violation is a thread that is aware of the newest write of the location, may still take the hunted one, and is about to access the location in
//! a way that could take it. Since bits of different writes never interact, hunting every write separately is exact; since
//! all rules are monotone, a column with more bits covers one with fewer. What must be told apart of the hunted write is its location, the class of its
//! value (what some wait or CAS can single out) and its column.
//!
//! Hunts for different (location, class) pairs are independent and run in parallel.

use crate::awareness;
use crate::column::Window;
use crate::event::{Event, Fences};
use crate::explored::Explored;
use crate::futures::{Future, Outlooks};
use crate::machine::{Label, Machine};
use crate::models::{Axis, MemoryModel};
use crate::prey::Prey;
use crate::tracker::{Quarry, Tracker};
use rustc_hash::FxHashMap;
use steadfast_explore::largest_first::LargestFirst;
use steadfast_explore::{Bound, Budget, CoverSet, StateId};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

/// What a step does to a monitor. Many edges of the graph do the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Op {
    /// The access.
    pub event: Event,
    /// The fences behind it.
    pub fences: Fences,
    /// The thread that moves.
    pub thread: usize,
    /// Its place afterwards.
    pub place: usize,
}

/// The distinct operations of a graph.
#[derive(Debug)]
pub struct Ops {
    /// By label.
    of_label: Vec<u32>,
    /// By number.
    pub all: Vec<Op>,
}

impl Ops {
    /// Collects the operations of all possible labels.
    pub fn new(machine: &Machine<'_>) -> Self {
        let mut ops = Self { of_label: Vec::new(), all: Vec::new() };
        let mut known: FxHashMap<Op, u32> = FxHashMap::default();
        for (number, (class, transition)) in machine.transitions().iter().enumerate() {
            for (thread, place) in machine.moves(*class as usize) {
                let op = Op { event: transition.event, fences: transition.fences, thread, place };
                let next = ops.all.len() as u32;
                let op_number = *known.entry(op).or_insert(next);
                if op_number == next {
                    ops.all.push(op);
                }
                let label = machine.pack(Label { transition: number as u32, thread, place }) as usize;
                if label >= ops.of_label.len() {
                    ops.of_label.resize(label + 1, u32::MAX);
                }
                ops.of_label[label] = op_number;
            }
        }
        ops
    }

    /// The number of a label's operation.
    #[inline]
    pub fn number(&self, label: u32) -> u32 {
        self.of_label[label as usize]
    }
}

/// Everything that all hunts share.
pub struct Hunt<'a, M> {
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
pub struct HuntResult {
    /// Whether some hunt was successful.
    pub violation: bool,
    /// How many columns were stored.
    pub states: u64,
    /// How many steps were taken.
    pub transitions: u64,
}

impl HuntResult {
    /// Adds up what another search took.
    pub fn add(&mut self, other: Self) {
        self.violation |= other.violation;
        self.states += other.states;
        self.transitions += other.transitions;
    }
}

impl<M: MemoryModel> Hunt<'_, M> {
    /// Hunts all prey, up to the first success if that is enough. Returns also which prey was caught. A bound ends it, unless one success is enough
    /// and there was one before.
    pub fn run<const P: usize>(&self, prey: &[Prey], one: bool, jobs: usize) -> Result<(HuntResult, Vec<Quarry>), Bound> {
        let (next, found) = (AtomicUsize::new(0), AtomicBool::new(false));
        let caught = Mutex::new(Vec::new());
        let (states, transitions) = (AtomicU64::new(0), AtomicU64::new(0));
        let worker = || -> Result<(), Bound> {
            let mut search = Search::<P>::new(self.graph.id_bound());
            self.budget.add(0, search.cover.bytes() as u64);
            while let Some(prey) = prey.get(next.fetch_add(1, Ordering::Relaxed)) {
                let outcome = self.hunt(&mut search, prey, &found);
                states.fetch_add(search.cover.len() as u64, Ordering::Relaxed);
                transitions.fetch_add(search.transitions, Ordering::Relaxed);
                search.clear(self.budget);
                if outcome? {
                    caught.lock().expect("no panic while locked").push(prey.quarry);
                    found.store(one, Ordering::Relaxed);
                }
                if found.load(Ordering::Relaxed) {
                    break;
                }
            }
            Ok(())
        };
        let outcomes: Vec<Result<(), Bound>> = if jobs <= 1 || self.graph.len() < 2000 {
            vec![worker()]
        } else {
            std::thread::scope(|scope| {
                let handles: Vec<_> = (0..jobs).map(|_| scope.spawn(worker)).collect();
                handles.into_iter().map(|handle| handle.join().expect("a hunter does not panic")).collect()
            })
        };
        if !found.load(Ordering::Relaxed) {
            outcomes.into_iter().collect::<Result<(), Bound>>()?;
        }
        let mut caught = caught.into_inner().expect("no panic while locked");
        caught.sort_unstable();
        let violation = !caught.is_empty();
        Ok((HuntResult { violation, states: states.into_inner(), transitions: transitions.into_inner() }, caught))
    }

    /// Follows one location and class of values to the end. True if there is a violation.
    fn hunt<const P: usize>(
        &self,
        search: &mut Search<P>,
        prey: &Prey,
        found: &AtomicBool,
    ) -> Result<bool, Bound> {
        for &(op, target) in &prey.starts {
            let outlook = self.outlooks.of_state[target as usize];
            let column = search.memo(START, op, outlook, |_| {
                let op = self.ops.all[op as usize];
                let mut bits = self.tracker.start::<P>(prey.quarry, op.thread, op.event, op.fences);
                self.permute(&mut bits, op);
                self.simplify(&mut bits, prey, &self.outlooks.combinations[outlook as usize]).then_some(bits)
            });
            search.insert(target, column, self.covering);
        }
        let mut expanded = 0_u64;
        while let Some(node) = search.queue.pop() {
            if search.cover.is_covered(node) {
                continue;
            }
            let (state, column) = search.cover.get(node);
            let touched = self.outlooks.touches[state as usize] >> prey.quarry.loc & 1 == 1;
            if touched && self.violates(&search.columns[column as usize], prey, state) {
                return Ok(true);
            }
            for edge in self.graph.edges(state) {
                search.transitions += 1;
                let outlook = edge.note;
                let op = self.ops.number(edge.label);
                let next = search.memo(column, op, outlook, |bits| {
                    let (mut bits, op) = (*bits, self.ops.all[op as usize]);
                    self.tracker.step(&mut bits, prey.quarry, (op.thread, op.event, op.fences), false);
                    self.permute(&mut bits, op);
                    self.simplify(&mut bits, prey, &self.outlooks.combinations[outlook as usize]).then_some(bits)
                });
                search.insert(edge.target, next, self.covering);
            }
            expanded += 1;
            if expanded % 4096 == 0 {
                search.book(self.budget);
                self.budget.check()?;
                if found.load(Ordering::Relaxed) {
                    return Ok(false);
                }
            }
        }
        search.book(self.budget);
        Ok(false)
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
    pub fn simplify<const P: usize>(&self, bits: &mut [u64; P], prey: &Prey, futures: &[Future]) -> bool {
        let flag = self.tracker.layout.flag(bits) && (prey.quarry.race || self.tracker.model.writes_violate());
        let views = awareness::FIELDS.len();
        let aware = self.tracker.layout.group(bits, 0);
        let on = |set: u64, index: usize| set >> index & 1 == 1;
        let (mut hunters, mut active) = (0_u64, 0_u64);
        for (thread, future) in futures.iter().enumerate() {
            let strikes = match prey.quarry.race {
                true => on(future.plain, prey.quarry.loc as usize),
                false => on(future.reads, prey.quarry.loc as usize) || (flag && on(future.writes, prey.quarry.loc as usize)),
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
            let unaware = futures.iter().enumerate().filter(|&(thread, _)| !on(aware, thread)).map(|(_, future)| future);
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

/// In place of a column: the hunt begins here.
const START: u32 = u32::MAX - 1;
/// In place of a column: nothing can come of it.
const LOST: u32 = u32::MAX;

/// The state of one worker's current hunt.
struct Search<const P: usize> {
    cover: CoverSet,
    queue: LargestFirst,
    /// The distinct columns of this hunt; they are few, and so are the steps between them.
    columns: Vec<[u64; P]>,
    numbers: FxHashMap<[u64; P], u32>,
    /// Column, operation and outlook of the target: the next column.
    steps: FxHashMap<(u32, u32, u32), u32>,
    transitions: u64,
    booked: (u64, u64),
}

impl<const P: usize> Search<P> {
    fn new(keys: usize) -> Self {
        Self {
            cover: CoverSet::new(keys, P),
            queue: LargestFirst::default(),
            columns: Vec::new(),
            numbers: FxHashMap::default(),
            steps: FxHashMap::default(),
            transitions: 0,
            booked: (0, 0),
        }
    }

    #[inline]
    fn memo(&mut self, column: u32, op: u32, outlook: u32, step: impl FnOnce(&[u64; P]) -> Option<[u64; P]>) -> u32 {
        if let Some(&next) = self.steps.get(&(column, op, outlook)) {
            return next;
        }
        let next = match step(self.columns.get(column as usize).unwrap_or(&[0; P])) {
            None => LOST,
            Some(bits) => *self.numbers.entry(bits).or_insert_with(|| {
                self.columns.push(bits);
                self.columns.len() as u32 - 1
            }),
        };
        self.steps.insert((column, op, outlook), next);
        next
    }

    #[inline]
    fn insert(&mut self, state: StateId, column: u32, covering: bool) {
        let Some(bits) = self.columns.get(column as usize) else { return };
        let added = if covering {
            self.cover.insert(state, bits, column)
        } else {
            self.cover.insert_exact(state, bits, column)
        };
        if let Some(node) = added {
            self.queue.push(node, bits.iter().map(|word| word.count_ones()).sum());
        }
    }

    fn book(&mut self, budget: &Budget<'_>) {
        let bytes = self.cover.len() * (P * 8 + 24) + self.steps.len() * 32 + self.columns.len() * P * 24;
        let now = (self.cover.len() as u64, bytes as u64);
        budget.add(now.0 - self.booked.0, now.1 - self.booked.1);
        self.booked = now;
    }

    fn clear(&mut self, budget: &Budget<'_>) {
        budget.release(self.booked.1);
        self.booked = (0, 0);
        self.transitions = 0;
        self.cover.clear();
        self.queue.clear();
        self.columns.clear();
        self.numbers.clear();
        self.steps.clear();
    }
}
