//! Searches for an order, event by event, after everything that follows from the reads was derived.
//!
//! A state is the position in every session. That is enough: a key that some transaction must still read holds the value that it must read, because no transaction may write it before that;
//! and the contents of the other keys do not matter. So no state is visited twice, and the search is exact.
//!
//! The event with the fewest predecessors is tried first, because it probably ran first. Commits come before begins, because transactions that overlap restrict each other. A transaction that
//! writes nothing restricts no other one: if it may come next, it does.

use super::check::Ended;
use super::clocks::Clocks;
use super::derive::Timed;
use super::order::{Order, Unordered};
use super::violation::{Reason, Violation};
use rustc_hash::{FxHashMap, FxHashSet};
use steadfast_explore::Budget;

/// Searches for an order that explains all reads.
pub(super) fn search(timed: &Timed<'_>, order: &Order, clocks: &Clocks, budget: &Budget<'_>) -> Result<(), Ended> {
    let mut search = HistorySearch::new(timed, order, clocks);
    let mut seen: FxHashSet<Box<[u32]>> = FxHashSet::default();
    seen.insert(search.done.clone().into());
    // By step: the events that may come next, and how many of them were tried.
    let mut steps = vec![(search.possible(), 0)];
    let mut best: Vec<usize> = Vec::new();
    let bytes = (search.done.len() * 4 + 32) as u64;
    while let Some((possible, tried)) = steps.last_mut() {
        if search.path.len() == order.places().len() {
            return Ok(());
        }
        let Some(&event) = possible.get(*tried) else {
            steps.pop();
            search.undo();
            continue;
        };
        *tried += 1;
        search.run(event);
        if search.path.len() > best.len() {
            best.clone_from(&search.path);
        }
        if !seen.insert(search.done.clone().into()) {
            search.undo();
            continue;
        }
        budget.add(1, bytes);
        if seen.len().is_multiple_of(256) {
            budget.check().map_err(Ended::Bound)?;
        }
        steps.push((search.possible(), 0));
    }
    Err(no_order(timed, &best, budget))
}

/// The content of a key.
#[derive(Clone, Copy, Default)]
struct KeyContent {
    by: Option<usize>,
    /// How many transactions still have to read it.
    wanted: usize,
    /// How many transactions that write it have begun and not committed.
    open: usize,
}

struct HistorySearch<'a> {
    timed: &'a Timed<'a>,
    order: &'a Order,
    clocks: &'a Clocks,
    /// The first event of each session.
    first: Vec<usize>,
    /// How many events each session has.
    lengths: Vec<u32>,
    done: Vec<u32>,
    held: Vec<KeyContent>,
    /// The earlier contents of keys, for backtracking.
    log: Vec<Vec<(u32, KeyContent)>>,
    path: Vec<usize>,
    /// By event, how many events come before it.
    ranks: Vec<u64>,
    /// By transaction, its reads.
    reads: FxHashMap<usize, Vec<(u32, Option<usize>)>>,
}

impl<'a> HistorySearch<'a> {
    fn new(timed: &'a Timed<'a>, order: &'a Order, clocks: &'a Clocks) -> Self {
        let sessions = timed.resolved.first.len();
        let mut lengths = vec![0; sessions];
        order.places().iter().for_each(|&(session, _)| lengths[session as usize] += 1);
        let first = (0..sessions).scan(0, |next, session| {
            let now = *next;
            *next += lengths[session] as usize;
            Some(now)
        });
        let mut reads: FxHashMap<usize, Vec<(u32, Option<usize>)>> = FxHashMap::default();
        for &(reader, key, source) in &timed.reads {
            reads.entry(reader).or_default().push((key, source));
        }
        let past = |event: usize| (0..sessions as u32).map(|session| u64::from(clocks.count(event, session))).sum();
        let keys = timed.resolved.writers.len() as u32;
        let held = (0..keys).map(|key| KeyContent { wanted: timed.readers(None, key).len(), ..KeyContent::default() });
        Self {
            timed,
            order,
            clocks,
            first: first.collect(),
            held: held.collect(),
            lengths,
            done: vec![0; sessions],
            log: Vec::new(),
            path: Vec::new(),
            ranks: (0..order.places().len()).map(past).collect(),
            reads,
        }
    }

    /// The events that may come next, the best one first.
    fn possible(&self) -> Vec<usize> {
        let next = (0..self.done.len()).filter(|&session| self.done[session] < self.lengths[session]);
        let events = next.map(|session| self.first[session] + self.done[session] as usize);
        let mut possible: Vec<usize> = events.filter(|&event| self.is_possible(event)).collect();
        let harmless = |event: &&usize| self.timed.resolved.writes[self.timed.owner(**event)].is_empty();
        if let Some(&event) = possible.iter().find(harmless) {
            return vec![event];
        }
        let commits = |event: usize| event == self.timed.commit(self.timed.owner(event));
        possible.sort_by_key(|&event| (!commits(event), self.ranks[event]));
        possible
    }

    fn is_possible(&self, event: usize) -> bool {
        if (0..self.done.len()).any(|session| self.clocks.count(event, session as u32) > self.done[session]) {
            return false;
        }
        let transaction = self.timed.owner(event);
        let reads = self.reads.get(&transaction).map_or(&[][..], |reads| reads);
        let begins = event == self.timed.start(transaction);
        let commits = event == self.timed.commit(transaction);
        let reads_fit = || reads.iter().all(|&(key, source)| self.held[key as usize].by == source);
        let writes_fit = || {
            self.timed.resolved.writes[transaction].iter().all(|&key| {
                let held = self.held[key as usize];
                let mine = usize::from(begins && reads.iter().any(|read| read.0 == key));
                held.wanted == mine && held.open == usize::from(!begins)
            })
        };
        (!begins || reads_fit()) && (!commits || writes_fit())
    }

    fn run(&mut self, event: usize) {
        let transaction = self.timed.owner(event);
        let (begins, commits) = (event == self.timed.start(transaction), event == self.timed.commit(transaction));
        let mut log = Vec::new();
        if begins {
            for &(key, _) in self.reads.get(&transaction).into_iter().flatten() {
                log.push((key, self.held[key as usize]));
                self.held[key as usize].wanted -= 1;
            }
        }
        for &key in &self.timed.resolved.writes[transaction] {
            log.push((key, self.held[key as usize]));
            let held = &mut self.held[key as usize];
            if begins {
                held.open += 1;
            }
            if commits {
                let wanted = self.timed.readers(Some(transaction), key).len();
                *held = KeyContent { by: Some(transaction), wanted, open: held.open - 1 };
            }
        }
        self.done[self.order.places()[event].0 as usize] += 1;
        self.path.push(event);
        self.log.push(log);
    }

    fn undo(&mut self) {
        let (Some(event), Some(log)) = (self.path.pop(), self.log.pop()) else { return };
        self.done[self.order.places()[event].0 as usize] -= 1;
        for (key, held) in log.into_iter().rev() {
            self.held[key as usize] = held;
        }
    }
}

/// A contradiction for one order of the writes: the one of the longest run, followed by the other events.
fn no_order(timed: &Timed<'_>, best: &[usize], budget: &Budget<'_>) -> Ended {
    let mut rank = vec![usize::MAX; timed.resolved.ids.len()];
    for (at, &event) in best.iter().enumerate() {
        rank[timed.owner(event)] = at;
    }
    let mut order = timed.base();
    for (key, writers) in timed.resolved.writers.iter().enumerate() {
        let key = key as u32;
        let all = writers.iter().flat_map(|(session, places)| {
            places.iter().map(|&place| timed.resolved.number(*session, place)).collect::<Vec<_>>()
        });
        let mut all: Vec<usize> = all.collect();
        all.sort_by_key(|&writer| (rank[writer], writer));
        for pair in all.windows(2) {
            order.add(timed.commit(pair[0]), timed.start(pair[1]), Reason::Overwrites(key));
            for &reader in timed.readers(Some(pair[0]), key).iter().filter(|&&reader| reader != pair[1]) {
                order.add(timed.start(reader), timed.commit(pair[1]), Reason::ReadsBefore(key));
            }
        }
    }
    match order.clocks(budget) {
        Err(Unordered::Cycle(arcs)) => {
            let links = super::causal::links(timed.resolved, &arcs, |event| timed.owner(event));
            Ended::Violation(Violation::NoOrder { links })
        }
        Err(Unordered::Bound(bound)) => Ended::Bound(bound),
        Ok(_) => Ended::Violation(Violation::NoOrder { links: Vec::new() }),
    }
}
