//! The causal criteria: what has to come before what, because of what was read although something else was known.

use super::check::Ended;
use super::clocks::Clocks;
use super::order::{Arc, Order, Unordered};
use super::resolve::{Read, Resolved};
use super::violation::{Link, Reason, Violation};
use steadfast_explore::Budget;

/// Session order and reads-from, with their clocks.
pub(super) struct Causal<'a> {
    resolved: &'a Resolved,
    clocks: Clocks,
}

/// A write that has to come before another one of the same key.
type Forced = (usize, usize, u32);

impl<'a> Causal<'a> {
    pub(super) fn new(resolved: &'a Resolved, budget: &Budget<'_>) -> Result<Self, Ended> {
        let clocks = base(resolved).clocks(budget).map_err(|unordered| ended(resolved, unordered, None))?;
        Ok(Self { resolved, clocks })
    }

    /// Causal convergence: all that every transaction forces fits into one order.
    pub(super) fn convergence(&self, budget: &Budget<'_>) -> Result<(), Ended> {
        let mut order = base(self.resolved);
        for read in &self.resolved.reads {
            for (one, other, key) in self.forced(read)? {
                order.add(one, other, Reason::Overwrites(key));
            }
        }
        order.clocks(budget).map(drop).map_err(|unordered| ended(self.resolved, unordered, None))
    }

    /// Weak causal consistency: all that one transaction forces fits into one order.
    pub(super) fn weak(&self, budget: &Budget<'_>) -> Result<(), Ended> {
        for reads in self.resolved.reads.chunk_by(|one, other| one.reader == other.reader) {
            budget.check().map_err(Ended::Bound)?;
            let mut forced = Vec::new();
            for read in reads {
                forced.extend(self.forced(read)?);
            }
            if self.contradict(&forced) {
                return Err(self.weak_cycle(reads[0].reader, &forced, budget));
            }
        }
        Ok(())
    }

    /// What a read forces: those it knows of come before the one that it reads from. Only what does not hold anyway.
    fn forced(&self, read: &Read) -> Result<Vec<Forced>, Ended> {
        if let Some(list) = &read.list {
            return self.forced_by_list(read, list);
        }
        let mut forced = Vec::new();
        for newer in self.known(read) {
            match read.source {
                Some(source) if source == newer || self.clocks.before(newer, source) => {}
                Some(source) if !self.clocks.before(source, newer) => forced.push((newer, source, read.key)),
                _ => return Err(stale(self.resolved, read, newer)),
            }
        }
        Ok(forced)
    }

    /// The writers of the key that the reader knows of; of each session only the last.
    fn known(&self, read: &Read) -> impl Iterator<Item = usize> {
        self.resolved.last_writers(read.key, |session| self.clocks.count(read.reader, session))
    }

    /// A list has everything that the reader knows of in it, and its order is seen.
    fn forced_by_list(&self, read: &Read, list: &[usize]) -> Result<Vec<Forced>, Ended> {
        all_in_list(self.resolved, read, list, &self.clocks)?;
        let pairs = list.windows(2).filter(|pair| !self.clocks.before(pair[0], pair[1]));
        Ok(pairs.map(|pair| (pair[0], pair[1], read.key)).collect())
    }

    /// Whether what is forced contradicts itself or the causal order: a chain of it leads back to where it began.
    fn contradict(&self, forced: &[Forced]) -> bool {
        let follows = |one: usize, other: usize| self.clocks.until(forced[one].1, forced[other].0);
        let degree = |other: usize| (0..forced.len()).filter(|&one| follows(one, other)).count();
        let mut degrees: Vec<usize> = (0..forced.len()).map(degree).collect();
        let mut ready: Vec<usize> = (0..forced.len()).filter(|&at| degrees[at] == 0).collect();
        let mut next = 0;
        while let Some(&one) = ready.get(next) {
            next += 1;
            for other in (0..forced.len()).filter(|&other| follows(one, other)) {
                degrees[other] -= 1;
                if degrees[other] == 0 {
                    ready.push(other);
                }
            }
        }
        ready.len() < forced.len()
    }

    fn weak_cycle(&self, reader: usize, forced: &[Forced], budget: &Budget<'_>) -> Ended {
        let mut order = base(self.resolved);
        for &(one, other, key) in forced {
            order.add(one, other, Reason::Overwrites(key));
        }
        let session = self.resolved.ids[reader].session;
        match order.clocks(budget) {
            Err(unordered) => ended(self.resolved, unordered, Some(session)),
            Ok(_) => Ended::Violation(Violation::Cycle { links: Vec::new(), session: Some(session) }),
        }
    }

    /// Causal memory: all that the reads of a session force, one after the other, fits into one order.
    pub(super) fn memory(&self, budget: &Budget<'_>) -> Result<(), Ended> {
        for session in 0..self.resolved.first.len() as u32 {
            let mut reads = self.resolved.reads.iter().filter(|read| self.resolved.ids[read.reader].session == session);
            if reads.next().is_some() {
                self.memory_of(session, budget)?;
            }
        }
        Ok(())
    }

    fn memory_of(&self, session: u32, budget: &Budget<'_>) -> Result<(), Ended> {
        let resolved = self.resolved;
        let last = (0..resolved.ids.len()).rev().find(|&one| resolved.ids[one].session == session);
        let Some(last) = last else { return Ok(()) };
        let mine = |read: &&Read| resolved.ids[read.reader].session == session;
        let mut order = self.past(last);
        for read in resolved.reads.iter().filter(mine) {
            for pair in read.list.iter().flat_map(|list| list.windows(2)) {
                order.add(pair[0], pair[1], Reason::Overwrites(read.key));
            }
        }
        loop {
            let clocks = order.clocks(budget).map_err(|unordered| ended(resolved, unordered, Some(session)))?;
            let mut changed = false;
            for read in resolved.reads.iter().filter(mine) {
                if let Some(list) = &read.list {
                    all_in_list(resolved, read, list, &clocks)?;
                    continue;
                }
                for newer in resolved.last_writers(read.key, |other| clocks.count(read.reader, other)) {
                    match read.source {
                        Some(source) if clocks.until(newer, source) => {}
                        Some(source) => {
                            order.add(newer, source, Reason::Overwrites(read.key));
                            changed = true;
                        }
                        None => return Err(stale(resolved, read, newer)),
                    }
                }
            }
            if !changed {
                return Ok(());
            }
        }
    }

    /// The causal order up to a transaction. The others stay unordered, which makes no difference.
    fn past(&self, last: usize) -> Order {
        let mut order = Order::new(self.resolved.places.clone(), self.resolved.first.len());
        for (source, reader, why) in self.resolved.reads_from() {
            if self.clocks.until(reader, last) {
                order.add(source, reader, why);
            }
        }
        order
    }
}

/// A list without something that comes before its reader is stale.
fn all_in_list(resolved: &Resolved, read: &Read, list: &[usize], clocks: &Clocks) -> Result<(), Ended> {
    let mut missing = resolved.writers[read.key as usize].iter().flat_map(|(session, places)| {
        let known = places.partition_point(|&place| place < clocks.count(read.reader, *session));
        places[..known].iter().map(|&place| resolved.number(*session, place))
    });
    // All of the list comes before the reader, so counting would do, but then nobody could be named.
    match missing.find(|writer| !list.contains(writer)) {
        Some(newer) => Err(stale(resolved, read, newer)),
        None => Ok(()),
    }
}

fn stale(resolved: &Resolved, read: &Read, newer: usize) -> Ended {
    let id = |number: usize| resolved.ids[number];
    Ended::Violation(Violation::StaleRead {
        reader: id(read.reader),
        key: read.key,
        source: read.source.map(id),
        newer: id(newer),
    })
}

/// Session order and reads-from.
fn base(resolved: &Resolved) -> Order {
    let mut order = Order::new(resolved.places.clone(), resolved.first.len());
    resolved.reads_from().for_each(|(source, reader, why)| order.add(source, reader, why));
    order
}

fn ended(resolved: &Resolved, unordered: Unordered, session: Option<u32>) -> Ended {
    match unordered {
        Unordered::Bound(bound) => Ended::Bound(bound),
        Unordered::Cycle(arcs) => {
            Ended::Violation(Violation::Cycle { links: links(resolved, &arcs, |at| at), session })
        }
    }
}

/// Arcs between events as links between transactions; what stays in one transaction is left out, and a way through a session is one link.
pub(super) fn links(resolved: &Resolved, arcs: &[Arc], owner: impl Fn(usize) -> usize) -> Vec<Link> {
    let mut links: Vec<Link> = Vec::new();
    for arc in arcs {
        let [from, to] = [arc.from, arc.to].map(|event| resolved.ids[owner(event as usize)]);
        match links.last_mut() {
            _ if from == to => {}
            Some(last) if arc.why == Reason::Session && last.why == Reason::Session => last.to = to,
            _ => links.push(Link { from, to, why: arc.why }),
        }
    }
    links
}
