//! Snapshot isolation and serializability: what follows from the reads, before anything is tried.
//!
//! Every transaction begins and commits; for serializability both are one event. If r reads x from w, and w' writes x, too, then
//! 1. w' commits before r begins ⇒ w' commits before w begins;
//! 2. w begins before w' commits ⇒ w commits before w' begins, and r begins before w' commits.
//!
//! An append to a list of which the place is seen reads what it is appended to, because transactions that write the same key do not overlap.

use super::check::Ended;
use super::clocks::Clocks;
use super::order::{Order, Unordered};
use super::resolve::Resolved;
use super::violation::{Reason, Violation};
use steadfast_explore::Budget;

/// A history under one of the two criteria.
pub(super) struct Timed<'a> {
    pub(super) resolved: &'a Resolved,
    /// Whether the beginning and the commit are two events.
    split: bool,
    /// Who reads which key from whom; sorted, without repetitions.
    pub(super) reads: Vec<(usize, u32, Option<usize>)>,
    /// Per transaction and key that it writes: who reads that, in the order of the list of transactions.
    readers: rustc_hash::FxHashMap<(Option<usize>, u32), Vec<usize>>,
}

impl<'a> Timed<'a> {
    pub(super) fn new(resolved: &'a Resolved, split: bool) -> Self {
        let mut reads = Vec::new();
        for read in &resolved.reads {
            reads.push((read.reader, read.key, read.source));
            let mut before = None;
            for &writer in read.list.iter().flatten() {
                reads.push((writer, read.key, before));
                before = Some(writer);
            }
        }
        reads.sort_unstable();
        reads.dedup();
        let mut readers: rustc_hash::FxHashMap<_, Vec<usize>> = rustc_hash::FxHashMap::default();
        for &(reader, key, source) in &reads {
            readers.entry((source, key)).or_default().push(reader);
        }
        Self { resolved, split, reads, readers }
    }

    /// The event with which a transaction begins.
    pub(super) fn start(&self, transaction: usize) -> usize {
        if self.split { 2 * transaction } else { transaction }
    }

    /// The event with which it commits.
    pub(super) fn commit(&self, transaction: usize) -> usize {
        if self.split { 2 * transaction + 1 } else { transaction }
    }

    /// The transaction that an event belongs to.
    pub(super) fn owner(&self, event: usize) -> usize {
        if self.split { event / 2 } else { event }
    }

    pub(super) fn readers(&self, source: Option<usize>, key: u32) -> &[usize] {
        self.readers.get(&(source, key)).map_or(&[], |readers| readers)
    }

    /// The events in their chains, with what was read.
    pub(super) fn base(&self) -> Order {
        let places = &self.resolved.places;
        let events = if self.split {
            let both = |&(chain, place): &(u32, u32)| [(chain, 2 * place), (chain, 2 * place + 1)];
            places.iter().flat_map(both).collect()
        } else {
            places.clone()
        };
        let mut order = Order::new(events, self.resolved.first.len());
        for &(reader, key, source) in &self.reads {
            match source {
                Some(source) => order.add(self.commit(source), self.start(reader), Reason::Reads(key)),
                None => self.before_all_writers(&mut order, reader, key),
            }
        }
        order
    }

    /// Who reads the initial value begins before anybody has written the key.
    fn before_all_writers(&self, order: &mut Order, reader: usize, key: u32) {
        for (session, places) in &self.resolved.writers[key as usize] {
            let mut writers = places.iter().map(|&place| self.resolved.number(*session, place));
            if let Some(writer) = writers.find(|&writer| writer != reader) {
                order.add(self.start(reader), self.commit(writer), Reason::ReadsBefore(key));
            }
        }
    }

    /// Everything that follows; an error if it contradicts itself.
    pub(super) fn derived(&self, budget: &Budget<'_>) -> Result<(Order, Clocks), Ended> {
        let mut order = self.base();
        loop {
            let clocks = order.clocks(budget).map_err(|unordered| self.ended(unordered))?;
            let mut added = Vec::new();
            self.older_writes(&clocks, &mut added);
            self.newer_writes(&clocks, &mut added);
            if added.is_empty() {
                return Ok((order, clocks));
            }
            for (from, to, why) in added {
                order.add(from, to, why);
            }
        }
    }

    /// The first rule.
    fn older_writes(&self, clocks: &Clocks, added: &mut Vec<(usize, usize, Reason)>) {
        for &(reader, key, source) in &self.reads {
            let Some(source) = source else { continue };
            for older in self.committed(clocks, self.start(reader), key) {
                let (from, to) = (self.commit(older), self.start(source));
                if older != source && !clocks.before(from, to) {
                    added.push((from, to, Reason::Overwrites(key)));
                }
            }
        }
    }

    /// The second rule.
    fn newer_writes(&self, clocks: &Clocks, added: &mut Vec<(usize, usize, Reason)>) {
        for (newer, keys) in self.resolved.writes.iter().enumerate() {
            for &key in keys {
                for older in self.begun(clocks, newer, key) {
                    let (from, to) = (self.commit(older), self.start(newer));
                    if !clocks.before(from, to) {
                        added.push((from, to, Reason::Overwrites(key)));
                    }
                    for &reader in self.readers(Some(older), key).iter().filter(|&&reader| reader != newer) {
                        let (from, to) = (self.start(reader), self.commit(newer));
                        if !clocks.before(from, to) {
                            added.push((from, to, Reason::ReadsBefore(key)));
                        }
                    }
                }
            }
        }
    }

    /// Of each session, the last writer of the key that commits before the event.
    fn committed(&self, clocks: &Clocks, event: usize, key: u32) -> impl Iterator<Item = usize> {
        let whole = |events: u32| if self.split { events / 2 } else { events };
        self.resolved.last_writers(key, move |session| whole(clocks.count(event, session)))
    }

    /// Of each session, the last other writer of the key that begins before this one commits.
    fn begun(&self, clocks: &Clocks, newer: usize, key: u32) -> impl Iterator<Item = usize> {
        let (own, place) = self.resolved.places[newer];
        let event = self.commit(newer);
        let begun = |events: u32| if self.split { events.div_ceil(2) } else { events };
        let count = move |session| if session == own { place } else { begun(clocks.count(event, session)) };
        self.resolved.last_writers(key, count)
    }

    pub(super) fn ended(&self, unordered: Unordered) -> Ended {
        match unordered {
            Unordered::Bound(bound) => Ended::Bound(bound),
            Unordered::Cycle(arcs) => {
                let links = super::causal::links(self.resolved, &arcs, |event| self.owner(event));
                Ended::Violation(Violation::Cycle { links, session: None })
            }
        }
    }
}
