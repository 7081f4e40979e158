//! One worker of a sweep.

use super::arrivals::{Arrivals, Slots};
use super::inboxes::{Arrival, Messages, StolenChunk};
use super::monitor_states::{After, DROPPED, MonitorId, WorkerCache};
use super::{Monitor, Sweep, ViolationFound};
use std::ops::Range;
use std::sync::atomic::Ordering::SeqCst;
use steadfast_explore::Bound;

/// How many positions share a word of bits.
const WORD: usize = u64::BITS as usize;
/// A worker with fewer busy chunks does not share.
const FEWEST_TO_SHARE: usize = 4;

/// The state of one worker.
pub(super) struct Worker<'s, 'c, S: Monitor> {
    sweep: &'s Sweep<'s>,
    number: usize,
    cache: WorkerCache<'c, S>,
    arrivals: Arrivals<'s>,
    /// By chunk: whether this worker owns it.
    mine: Vec<bool>,
    /// By chunk: whether the monitor was started at its positions.
    begun: Vec<bool>,
    /// One bit per position: on if this worker owns it and it has pending states.
    due: Vec<u64>,
    taken: Vec<MonitorId>,
    /// By worker: what is to be sent to it.
    outgoing: Vec<Vec<Arrival>>,
    done: Done,
}

/// What a worker did.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Done {
    pub(super) transitions: u64,
    /// How many states were added, at all positions together.
    pub(super) added: u64,
    /// How many bytes it took from the budget.
    pub(super) bytes: u64,
}

impl<'s, 'c, S: Monitor> Worker<'s, 'c, S> {
    pub(super) fn new(sweep: &'s Sweep<'s>, number: usize, cache: WorkerCache<'c, S>, slots: &'s Slots) -> Self {
        Self {
            sweep,
            number,
            cache,
            arrivals: Arrivals::new(slots),
            mine: sweep.owners.iter().map(|owner| owner.load(SeqCst) == number).collect(),
            begun: vec![false; sweep.owners.len()],
            due: vec![0; sweep.flow.len().div_ceil(WORD)],
            taken: Vec::new(),
            outgoing: vec![Vec::new(); sweep.flow.shares.len()],
            done: Done::default(),
        }
    }

    pub(super) fn done(&self) -> Done {
        self.done
    }

    /// Takes the initial arrivals at its own positions.
    pub(super) fn take_initial(&mut self, arrivals: &[Arrival]) {
        for &(position, state) in arrivals {
            if self.is_mine(position as usize) {
                self.keep(position, state);
            }
        }
    }

    /// Works until no worker has anything left to do.
    pub(super) fn work(&mut self) -> Result<(), Bound> {
        let mut from = 0;
        while !self.sweep.ended.load(SeqCst) {
            if let Some(messages) = self.sweep.inboxes.receive(self.number) {
                self.take_messages(messages);
            }
            let Some(chunk) = self.busy_chunks(from).next() else {
                self.send_all();
                if self.sweep.inboxes.wait(self.number, &self.sweep.ended) {
                    continue;
                }
                break;
            };
            from = chunk + 1;
            if let Err(ViolationFound) = self.sweep_chunk(chunk) {
                self.sweep.violation.store(true, SeqCst);
                self.sweep.ended.store(true, SeqCst);
            }
            self.send_all();
            self.share_work(from);
            let result = self.account();
            if result.is_err() {
                self.sweep.ended.store(true, SeqCst);
                return result;
            }
        }
        Ok(())
    }

    /// Takes in the messages of others. Arrivals at positions that it no longer owns go on to the new owners.
    fn take_messages(&mut self, messages: Messages) {
        for StolenChunk { chunk, begun, due, spilled } in messages.chunks {
            self.mine[chunk] = true;
            self.begun[chunk] = begun;
            for position in due {
                self.mark_due(position as usize);
            }
            self.arrivals.take_over(spilled);
        }
        for (position, state) in messages.arrivals {
            self.arrive(position, state);
        }
    }

    /// Its chunks with work to do, in the order of the positions, from this chunk on and round.
    fn busy_chunks(&self, from: usize) -> impl Iterator<Item = usize> {
        let chunks = self.mine.len();
        (from.min(chunks)..chunks).chain(0..from.min(chunks)).filter(|&chunk| {
            self.mine[chunk] && (!self.begun[chunk] || self.next_due(self.sweep.positions(chunk)).is_some())
        })
    }

    /// Gives the second half of its busy chunks to a worker that asks for work.
    fn share_work(&mut self, from: usize) {
        let Some(idle) = self.sweep.inboxes.take_request() else { return };
        let left: Vec<usize> = self.busy_chunks(from).collect();
        if left.len() < FEWEST_TO_SHARE {
            return;
        }
        let stolen: Vec<StolenChunk> = left[left.len() / 2..].iter().map(|&chunk| self.release_chunk(chunk)).collect();
        let chunks: Vec<usize> = stolen.iter().map(|chunk| chunk.chunk).collect();
        let owners = &self.sweep.owners;
        self.sweep
            .inboxes
            .send_chunks(idle, stolen, || chunks.into_iter().for_each(|chunk| owners[chunk].store(idle, SeqCst)));
    }

    fn release_chunk(&mut self, chunk: usize) -> StolenChunk {
        let positions = self.sweep.positions(chunk);
        let mut due = Vec::new();
        while let Some(position) = self.next_due(positions.clone()) {
            self.due[position / WORD] &= !(1 << (position % WORD));
            due.push(position as u32);
        }
        self.mine[chunk] = false;
        StolenChunk { chunk, begun: self.begun[chunk], due, spilled: self.arrivals.hand_over(positions) }
    }

    /// The first of these positions with pending states.
    #[inline]
    fn next_due(&self, positions: Range<usize>) -> Option<usize> {
        let (first, last) = (positions.start / WORD, positions.end.div_ceil(WORD));
        (first..last).find_map(|word| {
            let mut bits = self.due[word];
            if word == first {
                bits &= u64::MAX << (positions.start % WORD);
            }
            let position = word * WORD + bits.trailing_zeros() as usize;
            (bits != 0 && position < positions.end).then_some(position)
        })
    }

    /// Adds what is new since the last time to the budget.
    fn account(&mut self) -> Result<(), Bound> {
        let states = self.arrivals.added_since();
        let bytes = self.cache.bytes_learned() + self.arrivals.spilled_bytes();
        self.done.added += states;
        self.done.bytes += bytes;
        self.sweep.budget.add(states, bytes);
        self.sweep.budget.check()
    }

    fn sweep_chunk(&mut self, chunk: usize) -> Result<(), ViolationFound> {
        let mut positions = self.sweep.positions(chunk);
        if !std::mem::replace(&mut self.begun[chunk], true) {
            positions.clone().for_each(|position| self.begin(position));
        }
        let prefetches = self.cache.is_large();
        while let Some(position) = self.next_due(positions.clone()) {
            self.due[position / WORD] &= !(1 << (position % WORD));
            if let Some(next) = prefetches.then(|| self.next_due(position + 1..positions.end)).flatten() {
                self.prefetch_position(next);
            }
            self.taken.clear();
            self.arrivals.take(position, &mut self.taken);
            self.carry_on(position)?;
            // A position before this word that gets a new state waits for the next sweep.
            positions.start = positions.start.max(position / WORD * WORD);
        }
        Ok(())
    }

    /// Prefetches what will be needed at a position.
    #[inline]
    fn prefetch_position(&self, position: usize) {
        let flow = self.sweep.flow;
        for edge in flow.edges(position) {
            self.arrivals.prefetch(edge.target as usize);
        }
        self.arrivals.pending(position, |state| {
            self.cache.prefetch_check(flow.site_of[position], state);
            for edge in flow.edges(position) {
                self.cache.prefetch_step(edge.kind, flow.group_of[edge.kind as usize], state);
            }
        });
    }

    /// Starts the monitor at the edges of a position.
    #[inline]
    fn begin(&mut self, position: usize) {
        for edge in self.sweep.flow.edges(position) {
            let start = self.cache.start(edge.kind);
            if start != DROPPED {
                self.arrive(edge.target, start);
            }
        }
    }

    /// Carries the pending states of a position along all its edges.
    #[inline]
    fn carry_on(&mut self, position: usize) -> Result<(), ViolationFound> {
        let flow = self.sweep.flow;
        for at in 0..self.taken.len() {
            self.cache.check(flow.site_of[position], self.taken[at])?;
        }
        let edges = flow.edges(position);
        self.done.transitions += (edges.len() * self.taken.len()) as u64;
        for edge in edges {
            let group = flow.group_of[edge.kind as usize];
            for at in 0..self.taken.len() {
                match self.cache.after(edge.kind, group, self.taken[at])? {
                    After::One(DROPPED) => {}
                    After::One(next) => self.arrive(edge.target, next),
                    After::List(list) => {
                        for &next in self.cache.list(list) {
                            self.arrive(edge.target, next);
                        }
                    }
                }
            }
        }
        Ok(())
    }

    #[inline]
    fn is_mine(&self, position: usize) -> bool {
        self.mine[position >> self.sweep.chunk_bits]
    }

    #[inline]
    fn arrive(&mut self, target: u32, state: MonitorId) {
        if self.is_mine(target as usize) {
            self.keep(target, state);
        } else {
            self.send(target, state);
        }
    }

    /// Adds a state at one of its own positions.
    #[inline]
    fn keep(&mut self, position: u32, state: MonitorId) {
        if self.arrivals.add(position as usize, state, |larger, smaller| self.cache.covers(larger, smaller)) {
            self.mark_due(position as usize);
        }
    }

    #[inline]
    fn mark_due(&mut self, position: usize) {
        self.due[position / WORD] |= 1 << (position % WORD);
    }

    fn send(&mut self, position: u32, state: MonitorId) {
        let owner = self.sweep.owners[position as usize >> self.sweep.chunk_bits].load(SeqCst);
        self.outgoing[owner].push((position, state));
    }

    fn send_all(&mut self) {
        for (to, batch) in self.outgoing.iter_mut().enumerate().filter(|(_, batch)| !batch.is_empty()) {
            self.sweep.inboxes.send(to, batch);
        }
    }
}

impl<S: Monitor> Drop for Worker<'_, '_, S> {
    /// A worker that panics does not send what the others may be waiting for, so it ends the search.
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.sweep.ended.store(true, SeqCst);
        }
    }
}
