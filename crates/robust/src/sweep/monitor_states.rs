//! The monitor states of one search, each with a number, and the steps between them.
//!
//! There are few different monitor states and few kinds of edges, so nearly every step is computed only once. All workers share states and steps ([`MonitorStates`]): a new state gets its
//! number under a lock; everything else is read and written without one. Each worker has its own table for the steps of the first states, which are needed most ([`WorkerCache`]).

use super::harmless::HarmlessCache;
use super::steps::{Steps, Table};
use super::{Monitor, ViolationFound};
use crate::append_vec::AppendVec;
use crate::flow::Flow;
use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;
use std::hash::{BuildHasher, Hash};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Mutex, OnceLock};

/// The number of a monitor state.
pub(super) type MonitorId = u32;
/// In place of a number: no violation can follow any more.
pub(super) const DROPPED: MonitorId = MonitorId::MAX;
/// In place of a number: not computed yet.
pub(super) const UNKNOWN: MonitorId = MonitorId::MAX - 1;
/// In place of a number: the step depends on the kind of the edge, not only on its group.
const BY_KIND: MonitorId = MonitorId::MAX - 2;
/// Numbers from here on stand for lists of several monitor states.
const LISTS: MonitorId = 1 << 30;
/// Steps of states below this number are found without hashing.
const FIRST: usize = 512;

/// All monitor states, in several parts so that workers seldom wait for each other's locks. A state's number is `place * parts + part`. The second half of the parts is for states whose steps
/// depend on the kind of an edge, so the number tells that.
pub(super) struct MonitorStates<C> {
    parts: Vec<Part<C>>,
    steps: Steps,
    /// Lists of states that follow one step together.
    lists: AppendVec<Box<[MonitorId]>>,
    list_count: AtomicU32,
    harmless: HarmlessCache,
}

/// This many steps, with what belongs to them, fit into a processor's cache.
const LARGE: usize = 1 << 13;
/// After this many new steps at most, a worker reports them to the shared table.
const REPORT_EVERY: usize = 64;
/// How many parts there are if there are several workers.
const PARTS: usize = 32;

struct Part<C> {
    states: AppendVec<C>,
    /// The places of all states, by hash.
    places: Mutex<HashTable<u32>>,
}

impl<C: Eq + Hash> MonitorStates<C> {
    /// An empty set, for a flow and this many workers.
    pub(super) fn new(flow: &Flow, workers: usize) -> Self {
        let part = |_| Part { states: AppendVec::new(), places: Mutex::new(HashTable::new()) };
        Self {
            parts: (0..if workers > 1 { PARTS } else { 2 }).map(part).collect(),
            // Groups and kinds have numbers of their own.
            steps: Steps::new(flow.kinds.len() * 2, flow.len() / 2),
            lists: AppendVec::new(),
            list_count: AtomicU32::new(0),
            harmless: HarmlessCache::new(flow.len()),
        }
    }

    /// The bytes that are in use before any state is added.
    pub(super) fn bytes(&self) -> u64 {
        self.steps.newest().bytes() + self.harmless.bytes()
    }

    /// The state with a number. The number of parts is a power of two.
    #[inline]
    fn get(&self, number: MonitorId) -> &C {
        let parts = self.parts.len();
        self.parts[number as usize & (parts - 1)].states.get(number >> parts.trailing_zeros())
    }

    /// Whether the steps of the state with this number depend on the kind of an edge.
    #[inline]
    fn depends_on_kind(&self, number: MonitorId) -> bool {
        number as usize & (self.parts.len() / 2) != 0
    }

    /// Finds a state or adds it. Returns its number and whether it is new.
    fn intern(&self, state: C, depends_on_kind: bool) -> (MonitorId, bool) {
        let count = self.parts.len();
        let hash = FxBuildHasher.hash_one(&state);
        // The hash table inside the part uses the other bits of the hash.
        let part = (hash >> 32) as usize & (count / 2 - 1) | if depends_on_kind { count / 2 } else { 0 };
        let Part { states, places } = &self.parts[part];
        let mut places = places.lock().expect("no panic while locked");
        let number = |place: u32| place * count as MonitorId + part as MonitorId;
        if let Some(&place) = places.find(hash, |&place| *states.get(place) == state) {
            return (number(place), false);
        }
        let place = places.len() as u32;
        assert!(place < LISTS / count as MonitorId, "there are more states than numbers");
        states.set(place, state);
        places.insert_unique(hash, place, |&place| FxBuildHasher.hash_one(states.get(place)));
        (number(place), true)
    }
}

/// Finds a state of a monitor or adds it. Returns its number and how many bytes were allocated.
pub(super) fn intern<S: Monitor>(monitor: &S, states: &MonitorStates<S::State>, state: S::State) -> (MonitorId, u64) {
    let depends_on_kind = monitor.depends_on_kind(&state);
    let elsewhere = monitor.heap_bytes(&state);
    let (number, new) = states.intern(state, depends_on_kind);
    // The vector and the hash table may have room for twice as many.
    let here = 2 * (size_of::<OnceLock<S::State>>() + size_of::<u64>());
    (number, if new { (here + elsewhere) as u64 } else { 0 })
}

/// What one worker caches.
pub(super) struct WorkerCache<'c, S: Monitor> {
    monitor: &'c S,
    shared: &'c MonitorStates<S::State>,
    cache: S::Cache,
    /// By kind of edge: the state in which the monitor starts there.
    starts: Vec<MonitorId>,
    /// By group of edges, then by number of the state before: the number of the state after, or of a list.
    rows: Vec<Vec<MonitorId>>,
    /// The same for states with large numbers, and by kind of edge where the group does not suffice.
    steps: &'c Table,
    /// The bytes that were allocated for states, lists and tables since [`Self::bytes_learned`] was last called.
    bytes: u64,
    /// How many bytes the monitor's cache had then.
    cache_bytes: usize,
    /// How many steps were added to tables, and how many of them are not yet reported.
    put: usize,
    unreported: usize,
}

/// The states after a step.
pub(super) enum After {
    /// One state, or none ([`DROPPED`]).
    One(MonitorId),
    /// The states of a list.
    List(MonitorId),
}

impl<'c, S: Monitor> WorkerCache<'c, S> {
    pub(super) fn new(monitor: &'c S, shared: &'c MonitorStates<S::State>, flow: &Flow) -> Self {
        let kinds = flow.kinds.len();
        Self {
            monitor,
            shared,
            cache: monitor.cache(),
            starts: vec![UNKNOWN; kinds],
            rows: vec![Vec::new(); kinds],
            steps: shared.steps.newest(),
            bytes: 0,
            cache_bytes: 0,
            put: 0,
            unreported: 0,
        }
    }

    /// About how many bytes were allocated since this was last called.
    pub(super) fn bytes_learned(&mut self) -> u64 {
        let before = std::mem::replace(&mut self.cache_bytes, self.monitor.cache_bytes(&self.cache));
        std::mem::take(&mut self.bytes) + self.cache_bytes.saturating_sub(before) as u64
    }

    /// Finds a state or adds it, and returns its number.
    fn intern(&mut self, state: S::State) -> MonitorId {
        let (number, bytes) = intern(self.monitor, self.shared, state);
        self.bytes += bytes;
        number
    }

    /// Whether the first state covers the second.
    #[inline]
    pub(super) fn covers(&self, larger: MonitorId, smaller: MonitorId) -> bool {
        self.monitor.covers(self.shared.get(larger), self.shared.get(smaller))
    }

    /// The state in which the monitor starts after an edge of this kind.
    #[inline]
    pub(super) fn start(&mut self, kind: u32) -> MonitorId {
        let at = kind as usize;
        if self.starts[at] == UNKNOWN {
            self.starts[at] = self.monitor.start(kind).map_or(DROPPED, |state| self.intern(state));
        }
        self.starts[at]
    }

    /// The states after an edge of this kind and group.
    #[inline]
    pub(super) fn after(&mut self, kind: u32, group: u32, before: MonitorId) -> Result<After, ViolationFound> {
        let mut next = if self.shared.depends_on_kind(before) {
            BY_KIND
        } else {
            let known = if (before as usize) < FIRST {
                self.rows[group as usize].get(before as usize).copied().filter(|&next| next != UNKNOWN)
            } else {
                self.steps.get(group, before)
            };
            match known {
                Some(next) => next,
                None => self.learn(kind, group, before)?,
            }
        };
        if next == BY_KIND {
            let edge = self.by_kind(kind);
            next = match self.steps.get(edge, before) {
                Some(next) => next,
                None => self.learn_step(edge, before, |cache| cache.step(kind, before))?,
            };
        }
        Ok(if (LISTS..BY_KIND).contains(&next) { After::List(next - LISTS) } else { After::One(next) })
    }

    /// The number under which steps along edges of this kind are stored, beside those of groups.
    #[inline]
    fn by_kind(&self, kind: u32) -> u32 {
        self.rows.len() as u32 + kind
    }

    /// Whether there are more steps than fit into a processor's cache.
    pub(super) fn is_large(&self) -> bool {
        self.put > LARGE
    }

    /// Prefetches the word of a step.
    #[inline]
    pub(super) fn prefetch_step(&self, kind: u32, group: u32, before: MonitorId) {
        if self.shared.depends_on_kind(before) {
            self.steps.prefetch(self.by_kind(kind), before);
        } else if before as usize >= FIRST {
            self.steps.prefetch(group, before);
        }
    }

    /// Prefetches the word of a check.
    #[inline]
    pub(super) fn prefetch_check(&self, site: u32, number: MonitorId) {
        self.shared.harmless.prefetch(site, number);
    }

    pub(super) fn list(&self, list: MonitorId) -> &'c [MonitorId] {
        self.shared.lists.get(list)
    }

    #[cold]
    fn learn(&mut self, kind: u32, group: u32, before: MonitorId) -> Result<MonitorId, ViolationFound> {
        let next = self.learn_step(group, before, |cache| {
            let by_kind = cache.monitor.depends_on_label(&mut cache.cache, cache.shared.get(before), kind);
            if by_kind { Ok(BY_KIND) } else { cache.step(kind, before) }
        })?;
        if (before as usize) < FIRST {
            let row = &mut self.rows[group as usize];
            if row.len() <= before as usize {
                let room = row.capacity();
                row.resize(before as usize + 1, UNKNOWN);
                self.bytes += ((row.capacity() - room) * size_of::<MonitorId>()) as u64;
            }
            row[before as usize] = next;
        }
        Ok(next)
    }

    /// A step that is not in the newest table that this worker knows. Another worker may have put it into a newer one.
    #[cold]
    fn learn_step(
        &mut self,
        edge: u32,
        before: MonitorId,
        compute: impl FnOnce(&mut Self) -> Result<MonitorId, ViolationFound>,
    ) -> Result<MonitorId, ViolationFound> {
        let steps = &self.shared.steps;
        self.steps = steps.newest();
        let known = self.steps.get(edge, before).or_else(|| steps.get_from_older(self.steps, edge, before));
        if let Some(known) = known {
            return Ok(known);
        }
        let next = compute(self)?;
        if self.steps.put(edge, before, next) {
            self.put += 1;
            self.unreported += 1;
            if self.unreported >= REPORT_EVERY.min(self.steps.len() / 16).max(1) {
                self.bytes += steps.note(self.steps, std::mem::take(&mut self.unreported));
            }
        }
        Ok(next)
    }

    fn step(&mut self, kind: u32, before: MonitorId) -> Result<MonitorId, ViolationFound> {
        let states = self.monitor.after(&mut self.cache, self.shared.get(before), kind)?;
        let numbers: Vec<MonitorId> = states.into_iter().map(|state| self.intern(state)).collect();
        Ok(match numbers[..] {
            [] => DROPPED,
            [one] => one,
            _ => {
                let list = self.shared.list_count.fetch_add(1, Relaxed);
                self.bytes += (size_of_val(&numbers[..]) + 2 * size_of::<OnceLock<Box<[MonitorId]>>>()) as u64;
                self.shared.lists.set(list, numbers.into());
                LISTS + list
            }
        })
    }

    /// Fails if the state is a violation at the site. Pairs that are known to be harmless are not checked again.
    #[inline]
    pub(super) fn check(&mut self, site: u32, number: MonitorId) -> Result<(), ViolationFound> {
        if self.shared.harmless.contains(site, number) { Ok(()) } else { self.check_uncached(site, number) }
    }

    #[cold]
    fn check_uncached(&mut self, site: u32, number: MonitorId) -> Result<(), ViolationFound> {
        if self.monitor.violates(&mut self.cache, self.shared.get(number), site) {
            return Err(ViolationFound);
        }
        self.shared.harmless.insert(site, number);
        Ok(())
    }
}
