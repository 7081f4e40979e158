//! The location clocks of appendix A, with its slips corrected, and psc′ and `psc_F` in the same form.
//!
//! A clock maps locations to timestamps, the numbers of their writes. Timestamps that do not count read-modify-writes, and the clocks of overwritten values, are kept as in the paper; so
//! this shares with the engine neither the clocks nor the log.

use super::simulation::{AtomicAccess, Effect, Question, Twin};
use std::collections::BTreeMap;
use steadfast_clocks::Supported;
use steadfast_graph::Order;
use steadfast_ir::FenceOrder;

/// Timestamps of locations, or of values of locations. What is missing is before everything.
type Stamps<K> = BTreeMap<K, i64>;

fn join<K: Ord + Copy>(into: &mut Stamps<K>, from: &Stamps<K>) {
    for (&key, &stamp) in from {
        let mine = into.entry(key).or_insert(stamp);
        *mine = stamp.max(*mine);
    }
}

/// W and M of each location and T of each thread, for a relation that contains mo and fr.
#[derive(Clone, Debug, Default)]
struct Order3<K> {
    threads: BTreeMap<usize, Stamps<K>>,
    writes: BTreeMap<usize, Stamps<K>>,
    accesses: BTreeMap<usize, Stamps<K>>,
}

impl<K: Ord + Copy> Order3<K> {
    /// The paper's UPDATELSC, which the new write has already entered in M.
    fn update(&mut self, access: &AtomicAccess) {
        let thread = self.threads.entry(access.thread).or_default();
        if access.effect == Effect::Read {
            join(thread, self.writes.entry(access.location).or_default());
            join(self.accesses.entry(access.location).or_default(), thread);
        } else {
            join(thread, self.accesses.entry(access.location).or_default());
            self.accesses.insert(access.location, thread.clone());
            self.writes.insert(access.location, thread.clone());
        }
    }

    fn enter(&mut self, location: usize, key: K, stamp: i64) {
        self.accesses.entry(location).or_default().insert(key, stamp);
    }

    fn of(&self, thread: usize, key: K) -> Option<i64> {
        self.threads.get(&thread)?.get(&key).copied()
    }
}

/// The clocks c, a, r of a thread and w of a location.
#[derive(Clone, Debug, Default)]
struct Views {
    current: BTreeMap<usize, Stamps<usize>>,
    acquirable: BTreeMap<usize, Stamps<usize>>,
    released: BTreeMap<usize, Stamps<usize>>,
    writes: BTreeMap<usize, Stamps<usize>>,
}

impl Views {
    fn of(&self, thread: usize, location: usize) -> i64 {
        self.current.get(&thread).and_then(|clock| clock.get(&location)).copied().unwrap_or(0)
    }

    fn read(&mut self, access: &AtomicAccess) {
        let learned = self.writes.entry(access.location).or_default().clone();
        join(self.acquirable.entry(access.thread).or_default(), &learned);
        if access.order.acquire {
            join(self.current.entry(access.thread).or_default(), &learned);
        }
    }

    fn write(&mut self, access: &AtomicAccess) {
        let source = if access.order.release { &self.current } else { &self.released };
        let published = source.get(&access.thread).cloned().unwrap_or_default();
        match access.effect {
            Effect::Update(_) => join(self.writes.entry(access.location).or_default(), &published),
            _ => {
                self.writes.insert(access.location, published);
            }
        }
    }

    fn fence(&mut self, thread: usize, order: FenceOrder) {
        if order.is_acquire() {
            self.current.insert(thread, self.acquirable.get(&thread).cloned().unwrap_or_default());
        }
        if order.is_release() {
            self.released.insert(thread, self.current.get(&thread).cloned().unwrap_or_default());
        }
    }
}

/// The happens-before clocks: views with the access's own timestamp.
#[derive(Clone, Debug, Default)]
struct HappensBefore(Views);

impl HappensBefore {
    fn access(&mut self, access: &AtomicAccess, own: i64) {
        let views = &mut self.0;
        views.writes.entry(access.location).or_default().insert(access.location, own);
        for clocks in [&mut views.current, &mut views.acquirable] {
            clocks.entry(access.thread).or_default().insert(access.location, own);
        }
        if !matches!(access.effect, Effect::Write(_)) {
            views.read(access);
        }
        if access.effect != Effect::Read {
            views.write(access);
            views.writes.entry(access.location).or_default().insert(access.location, own);
        }
    }
}

/// The number of a location that no program has.
const GHOST: usize = usize::MAX;

/// All clocks of a run.
#[derive(Clone, Debug)]
pub(crate) struct LocationClocks {
    model: Supported,
    memory: BTreeMap<usize, u8>,
    /// How many writes there were, and how many that are not read-modify-writes.
    count: BTreeMap<usize, i64>,
    plain_count: BTreeMap<usize, i64>,
    before: Order3<usize>,
    plain_before: Order3<usize>,
    values: Order3<(usize, u8)>,
    plain_values: Order3<(usize, u8)>,
    hb: HappensBefore,
    plain_hb: HappensBefore,
    sc: Order3<usize>,
    plain_sc: Order3<usize>,
    fences: FenceClocks,
    plain_fences: FenceClocks,
}

/// T\_f and X, and M\_f and W\_f.
#[derive(Clone, Debug, Default)]
struct FenceClocks {
    fenced: Views,
    pending: Views,
    by_access: BTreeMap<usize, Stamps<usize>>,
    by_write: BTreeMap<usize, Stamps<usize>>,
}

impl FenceClocks {
    fn access(&mut self, access: &AtomicAccess) {
        let writes = access.effect != Effect::Read;
        if !matches!(access.effect, Effect::Write(_)) {
            self.fenced.read(access);
            self.pending.read(access);
        }
        let source = if writes { &self.by_access } else { &self.by_write };
        let learned = source.get(&access.location).cloned().unwrap_or_default();
        join(self.pending.current.entry(access.thread).or_default(), &learned);
        join(self.pending.acquirable.entry(access.thread).or_default(), &learned);
        let fenced = self.fenced.current.entry(access.thread).or_default();
        join(self.by_access.entry(access.location).or_default(), fenced);
        if writes {
            self.by_write.insert(access.location, self.by_access[&access.location].clone());
            self.fenced.write(access);
            self.pending.write(access);
        }
    }

    /// A fence; `current` is T\_c after its acquire part.
    fn fence(&mut self, thread: usize, order: FenceOrder, current: &Stamps<usize>, primitive: bool) {
        if order.is_acquire() {
            self.fenced.fence(thread, FenceOrder::Acquire);
            self.pending.fence(thread, FenceOrder::Acquire);
        }
        if order == FenceOrder::SeqCst && primitive {
            let pending = self.pending.current.get(&thread).cloned().unwrap_or_default();
            let fenced = self.fenced.current.entry(thread).or_default();
            join(fenced, current);
            join(fenced, &pending);
            self.fenced.acquirable.insert(thread, fenced.clone());
        }
        if order.is_release() {
            self.fenced.fence(thread, FenceOrder::Release);
            self.pending.fence(thread, FenceOrder::Release);
        }
    }
}

impl LocationClocks {
    pub(crate) fn new(model: Supported) -> Self {
        Self {
            model,
            memory: BTreeMap::new(),
            count: BTreeMap::new(),
            plain_count: BTreeMap::new(),
            before: Order3::default(),
            plain_before: Order3::default(),
            values: Order3::default(),
            plain_values: Order3::default(),
            hb: HappensBefore::default(),
            plain_hb: HappensBefore::default(),
            sc: Order3::default(),
            plain_sc: Order3::default(),
            fences: FenceClocks::default(),
            plain_fences: FenceClocks::default(),
        }
    }

    fn orders(&self, order: Order) -> bool {
        order.seq_cst && self.model != Supported::AcqRel
    }

    /// The lower bounds for reads and for writes.
    fn bounds(&self, thread: usize, x: usize, order: Order) -> (i64, i64) {
        let bound = |hb: &HappensBefore, fences: &FenceClocks, sc: &Order3<usize>| {
            let ordered = if self.orders(order) { sc.of(thread, x).unwrap_or(0) } else { 0 };
            hb.0.of(thread, x).max(fences.fenced.of(thread, x)).max(ordered)
        };
        (bound(&self.hb, &self.fences, &self.sc), bound(&self.plain_hb, &self.plain_fences, &self.plain_sc))
    }

    /// Appendix A: a new overwritten value, then the new write.
    fn enter(&mut self, access: &AtomicAccess) {
        let x = access.location;
        let (count, plain_count) =
            (self.count.get(&x).copied().unwrap_or(0), self.plain_count.get(&x).copied().unwrap_or(0));
        let old = self.memory.get(&x).copied().unwrap_or(0);
        let seq_cst = self.orders(access.order);
        if let Effect::Write(value) | Effect::Update(value) = access.effect {
            self.values.enter(x, (x, old), count);
            self.before.enter(x, x, count + 1);
            self.count.insert(x, count + 1);
            if seq_cst {
                self.sc.enter(x, x, count + 1);
            }
            self.memory.insert(x, value);
        }
        if let Effect::Write(_) = access.effect {
            self.plain_values.enter(x, (x, old), plain_count);
            self.plain_before.enter(x, x, plain_count + 1);
            self.plain_count.insert(x, plain_count + 1);
        }
        if seq_cst && access.effect != Effect::Read {
            let stamp = self.plain_count.get(&x).copied().unwrap_or(0);
            self.plain_sc.enter(x, x, stamp);
        }
    }

    fn order_seq_cst(&mut self, access: &AtomicAccess) {
        if self.orders(access.order) {
            self.sc.update(access);
            self.plain_sc.update(access);
        } else if access.effect != Effect::Read {
            self.sc.writes.remove(&access.location);
            self.plain_sc.writes.remove(&access.location);
        }
    }
}

impl Twin for LocationClocks {
    fn add_location(&mut self, value: u8) {
        let number = self.memory.len();
        self.memory.insert(number, value);
    }

    fn violates(&self, thread: usize, x: usize, question: Question, order: Order) -> bool {
        let (reads, writes) = self.bounds(thread, x, order);
        let value = |v: u8| reads <= self.values.of(thread, (x, v)).unwrap_or(-1);
        match question {
            Question::Read => reads < self.before.of(thread, x).unwrap_or(0),
            Question::Write | Question::Update => writes < self.plain_before.of(thread, x).unwrap_or(0),
            Question::ReadOf(v) => value(v),
            Question::ReadOther(v) => (0..=u8::MAX).filter(|&u| u != v).any(value),
            Question::UpdateOf(v) => writes <= self.plain_values.of(thread, (x, v)).unwrap_or(-1),
        }
    }

    fn access(&mut self, access: AtomicAccess) {
        self.enter(&access);
        self.values.update(&access);
        self.plain_values.update(&access);
        self.before.update(&access);
        self.plain_before.update(&access);
        self.hb.access(&access, self.count.get(&access.location).copied().unwrap_or(0));
        self.plain_hb.access(&access, self.plain_count.get(&access.location).copied().unwrap_or(0));
        self.order_seq_cst(&access);
        self.fences.access(&access);
        self.plain_fences.access(&access);
    }

    fn fence(&mut self, thread: usize, order: FenceOrder) {
        let primitive = self.model == Supported::Rc11;
        for (hb, fences) in [(&mut self.hb, &mut self.fences), (&mut self.plain_hb, &mut self.plain_fences)] {
            if order.is_acquire() {
                hb.0.fence(thread, FenceOrder::Acquire);
            }
            if order == FenceOrder::SeqCst && self.model == Supported::Rc20 {
                let f = AtomicAccess { thread, location: GHOST, effect: Effect::Update(0), order: Order::ACQ_REL };
                hb.access(&f, 0);
            }
            let current = hb.0.current.entry(thread).or_default().clone();
            fences.fence(thread, order, &current, primitive);
            if order.is_release() {
                hb.0.fence(thread, FenceOrder::Release);
            }
        }
    }
}
