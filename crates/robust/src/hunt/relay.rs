//! One hunt by several workers.
//!
//! A state belongs to the worker that its number says. A worker looks only at its own states, keeps its own columns and antichains, and sends successors that
//! belong to another in batches. The hunt is over when nobody has anything left to do and nothing is on its way.

use super::{Hunt, Search};
use crate::models::MemoryModel;
use crate::prey::Prey;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use steadfast_explore::{Bound, StateId};

/// How many columns are sent at a time.
const BATCH: usize = 512;
/// How many nodes are looked at between two looks at the mail.
const STRETCH: usize = 1024;

type Mail<const P: usize> = Vec<(StateId, [u64; P])>;

pub(super) struct Relay<'h, 'a, M, const P: usize> {
    hunt: &'h Hunt<'a, M>,
    prey: &'h Prey,
    jobs: usize,
    inboxes: Vec<Mutex<Mail<P>>>,
    /// How much mail waits in each inbox.
    waiting: Vec<AtomicUsize>,
    /// How many workers have something to do.
    active: AtomicUsize,
    /// How often a worker that had nothing to do found mail.
    wakings: AtomicUsize,
    success: AtomicBool,
    stopped: AtomicBool,
}

impl<'h, 'a, M: MemoryModel, const P: usize> Relay<'h, 'a, M, P> {
    pub(super) fn new(hunt: &'h Hunt<'a, M>, prey: &'h Prey, jobs: usize) -> Self {
        Self {
            hunt,
            prey,
            jobs,
            inboxes: (0..jobs).map(|_| Mutex::default()).collect(),
            waiting: (0..jobs).map(|_| AtomicUsize::new(0)).collect(),
            active: AtomicUsize::new(jobs),
            wakings: AtomicUsize::new(0),
            success: AtomicBool::new(false),
            stopped: AtomicBool::new(false),
        }
    }

    /// Follows the prey to the end. True if it was caught.
    pub(super) fn run(&self, searches: &mut [Search<P>]) -> Result<bool, Bound> {
        let outcome = match searches {
            [alone] => self.work(0, alone),
            _ => std::thread::scope(|scope| {
                let spawn = |(me, search)| scope.spawn(move || self.work(me, search));
                let workers: Vec<_> = searches.iter_mut().enumerate().map(spawn).collect();
                workers.into_iter().try_for_each(|worker| worker.join().expect("a hunter does not panic"))
            }),
        };
        if self.success.load(SeqCst) {
            return Ok(true);
        }
        outcome.map(|()| false)
    }

    fn owner(&self, state: StateId) -> usize {
        state as usize % self.jobs
    }

    fn key(&self, state: StateId) -> u32 {
        state / self.jobs as u32
    }

    fn work(&self, me: usize, search: &mut Search<P>) -> Result<(), Bound> {
        let mut outboxes: Vec<Mail<P>> = vec![Vec::new(); self.jobs];
        for &(op, target) in self.prey.starts.iter().filter(|(_, target)| self.owner(*target) == me) {
            let column = self.hunt.start(search, self.prey, op, self.hunt.outlooks.of_state[target as usize]);
            search.insert(self.key(target), column, self.hunt.covering);
        }
        loop {
            self.read_mail(me, search);
            let busy = self.stretch(me, search, &mut outboxes);
            search.book(self.hunt.budget);
            if let Err(bound) = self.hunt.budget.check() {
                self.stopped.store(true, SeqCst);
                return Err(bound);
            }
            if self.stopped.load(SeqCst) {
                return Ok(());
            }
            if !busy {
                (0..self.jobs).for_each(|other| self.send(other, &mut outboxes[other]));
                if !self.wait_for_mail(me) {
                    return Ok(());
                }
            }
        }
    }

    /// Looks at some nodes. False: there are none left.
    fn stretch(&self, me: usize, search: &mut Search<P>, outboxes: &mut [Mail<P>]) -> bool {
        for _ in 0..STRETCH {
            let Some(node) = search.queue.pop() else { return false };
            if search.cover.is_covered(node) {
                continue;
            }
            let (key, column) = search.cover.get(node);
            let state = key * self.jobs as u32 + me as u32;
            let touched = self.hunt.outlooks.touches[state as usize] >> self.prey.quarry.loc & 1 == 1;
            if touched && self.hunt.violates(&search.columns[column as usize], self.prey, state) {
                self.success.store(true, SeqCst);
                self.stopped.store(true, SeqCst);
                return false;
            }
            for edge in self.hunt.graph.edges(state) {
                search.transitions += 1;
                let next = self.hunt.step(search, self.prey, column, edge);
                let owner = self.owner(edge.target);
                if owner == me {
                    search.insert(self.key(edge.target), next, self.hunt.covering);
                } else if let Some(bits) = search.columns.get(next as usize) {
                    outboxes[owner].push((edge.target, *bits));
                    if outboxes[owner].len() >= BATCH {
                        self.send(owner, &mut outboxes[owner]);
                    }
                }
            }
        }
        true
    }

    fn send(&self, to: usize, mail: &mut Mail<P>) {
        if !mail.is_empty() {
            let mut inbox = self.inboxes[to].lock().expect("no panic while locked");
            self.waiting[to].fetch_add(mail.len(), SeqCst);
            inbox.append(mail);
        }
    }

    fn read_mail(&self, me: usize, search: &mut Search<P>) {
        if self.waiting[me].load(SeqCst) == 0 {
            return;
        }
        let mail = {
            let mut inbox = self.inboxes[me].lock().expect("no panic while locked");
            self.waiting[me].store(0, SeqCst);
            std::mem::take(&mut *inbox)
        };
        for (state, bits) in mail {
            let column = search.number(bits);
            search.insert(self.key(state), column, self.hunt.covering);
        }
    }

    /// Waits until there is mail. False: the hunt is over.
    fn wait_for_mail(&self, me: usize) -> bool {
        self.active.fetch_sub(1, SeqCst);
        loop {
            if self.stopped.load(SeqCst) {
                return false;
            }
            if self.waiting[me].load(SeqCst) > 0 {
                // Awake first, read later: whoever sees no mail and nobody awake may conclude that it is over, unless somebody woke up in between.
                self.wakings.fetch_add(1, SeqCst);
                self.active.fetch_add(1, SeqCst);
                return true;
            }
            let wakings = self.wakings.load(SeqCst);
            let nothing_left = self.active.load(SeqCst) == 0 && self.waiting.iter().all(|mail| mail.load(SeqCst) == 0);
            if nothing_left && self.wakings.load(SeqCst) == wakings {
                return false;
            }
            std::thread::yield_now();
        }
    }
}
