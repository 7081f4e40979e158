//! One worker of a sweep.

use super::columns::{After, LOST, Number, View};
use super::post::{Arrival, Gift, Parcels};
use super::tide::{Slots, Tide};
use super::{Caught, Story, Sweep};
use std::ops::Range;
use std::sync::atomic::Ordering::SeqCst;
use steadfast_explore::Bound;

/// How many positions have their bits in one word.
const WORD: usize = u64::BITS as usize;
/// Who has fewer chunks with something to do gives none away.
const ENOUGH: usize = 4;

/// What a worker has of its own.
pub(super) struct Worker<'s, 'c, S: Story> {
    sweep: &'s Sweep<'s>,
    number: usize,
    view: View<'c, S>,
    tide: Tide<'s>,
    /// By chunk: whether its positions are this worker's.
    mine: Vec<bool>,
    /// By chunk: whether the story has begun at its positions.
    begun: Vec<bool>,
    /// A bit for each position, on if it is this worker's and something is pending there.
    due: Vec<u64>,
    taken: Vec<Number>,
    /// What is to be sent to each worker.
    outgoing: Vec<Vec<Arrival>>,
    done: Done,
}

/// What a worker has done.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Done {
    pub(super) transitions: u64,
    /// How many columns were added, at all positions together.
    pub(super) added: u64,
    /// How many bytes were taken from the budget.
    pub(super) bytes: u64,
}

impl<'s, 'c, S: Story> Worker<'s, 'c, S> {
    pub(super) fn new(sweep: &'s Sweep<'s>, number: usize, view: View<'c, S>, slots: &'s Slots) -> Self {
        Self {
            sweep,
            number,
            view,
            tide: Tide::new(slots),
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

    /// Takes in those of the first arrivals that are at its positions.
    pub(super) fn take_its_part(&mut self, arrivals: &[Arrival]) {
        for &(position, column) in arrivals {
            if self.is_mine(position as usize) {
                self.keep(position, column);
            }
        }
    }

    /// Works until nobody has anything left to do.
    pub(super) fn work(&mut self) -> Result<(), Bound> {
        let mut from = 0;
        while !self.sweep.ended.load(SeqCst) {
            if let Some(parcels) = self.sweep.post.receive(self.number) {
                self.open(parcels);
            }
            let Some(chunk) = self.with_work(from).next() else {
                self.send_all();
                if self.sweep.post.wait(self.number, &self.sweep.ended) {
                    continue;
                }
                break;
            };
            from = chunk + 1;
            if let Err(Caught) = self.sweep_chunk(chunk) {
                self.sweep.caught.store(true, SeqCst);
                self.sweep.ended.store(true, SeqCst);
            }
            self.send_all();
            self.feed_the_hungry(from);
            let result = self.account();
            if result.is_err() {
                self.sweep.ended.store(true, SeqCst);
                return result;
            }
        }
        Ok(())
    }

    /// Takes in what others have sent. What is for positions that it has given away goes on to their owners.
    fn open(&mut self, parcels: Parcels) {
        for Gift { chunk, begun, due, spilled } in parcels.gifts {
            self.mine[chunk] = true;
            self.begun[chunk] = begun;
            for position in due {
                self.mark(position as usize);
            }
            self.tide.take_over(spilled);
        }
        for (position, column) in parcels.arrivals {
            self.arrive(position, column);
        }
    }

    /// Its chunks with something to do, in the order of the positions, beginning with this one and going round.
    fn with_work(&self, from: usize) -> impl Iterator<Item = usize> {
        let chunks = self.mine.len();
        (from.min(chunks)..chunks).chain(0..from.min(chunks)).filter(|&chunk| {
            self.mine[chunk] && (!self.begun[chunk] || self.next_due(self.sweep.positions(chunk)).is_some())
        })
    }

    /// Lets somebody who has nothing to do have the later half of what is left.
    fn feed_the_hungry(&mut self, from: usize) {
        let Some(hungry) = self.sweep.post.hungry() else { return };
        let left: Vec<usize> = self.with_work(from).collect();
        if left.len() < ENOUGH {
            return;
        }
        let gifts: Vec<Gift> = left[left.len() / 2..].iter().map(|&chunk| self.give_up(chunk)).collect();
        let chunks: Vec<usize> = gifts.iter().map(|gift| gift.chunk).collect();
        let owners = &self.sweep.owners;
        self.sweep
            .post
            .give(hungry, gifts, || chunks.into_iter().for_each(|chunk| owners[chunk].store(hungry, SeqCst)));
    }

    fn give_up(&mut self, chunk: usize) -> Gift {
        let positions = self.sweep.positions(chunk);
        let mut due = Vec::new();
        while let Some(position) = self.next_due(positions.clone()) {
            self.due[position / WORD] &= !(1 << (position % WORD));
            due.push(position as u32);
        }
        self.mine[chunk] = false;
        Gift { chunk, begun: self.begun[chunk], due, spilled: self.tide.hand_over(positions) }
    }

    /// The first of some positions at which something is pending.
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

    /// Tells the budget what was added since the last time.
    fn account(&mut self) -> Result<(), Bound> {
        let columns = self.tide.added_since();
        let bytes = self.view.bytes_learned() + self.tide.bytes_aside();
        self.done.added += columns;
        self.done.bytes += bytes;
        self.sweep.budget.add(columns, bytes);
        self.sweep.budget.check()
    }

    fn sweep_chunk(&mut self, chunk: usize) -> Result<(), Caught> {
        let mut positions = self.sweep.positions(chunk);
        if !std::mem::replace(&mut self.begun[chunk], true) {
            positions.clone().for_each(|position| self.begin(position));
        }
        let ahead = self.view.is_large();
        while let Some(position) = self.next_due(positions.clone()) {
            self.due[position / WORD] &= !(1 << (position % WORD));
            if let Some(next) = ahead.then(|| self.next_due(position + 1..positions.end)).flatten() {
                self.look_ahead(next);
            }
            self.taken.clear();
            self.tide.take(position, &mut self.taken);
            self.carry_on(position)?;
            // What becomes due before this waits for the next turn, unless it is quite close.
            positions.start = positions.start.max(position / WORD * WORD);
        }
        Ok(())
    }

    /// Fetches what will be needed at a position.
    #[inline]
    fn look_ahead(&self, position: usize) {
        let flow = self.sweep.flow;
        for edge in flow.edges(position) {
            self.tide.expect(edge.target as usize);
        }
        self.tide.pending(position, |column| {
            self.view.expect_judgement(flow.site_of[position], column);
            for edge in flow.edges(position) {
                self.view.expect_step(edge.kind, flow.group_of[edge.kind as usize], column);
            }
        });
    }

    /// Lets the story begin at the edges of a position.
    #[inline]
    fn begin(&mut self, position: usize) {
        for edge in self.sweep.flow.edges(position) {
            let start = self.view.start(edge.kind);
            if start != LOST {
                self.arrive(edge.target, start);
            }
        }
    }

    /// Takes the pending columns of a position along all its edges.
    #[inline]
    fn carry_on(&mut self, position: usize) -> Result<(), Caught> {
        let flow = self.sweep.flow;
        for at in 0..self.taken.len() {
            self.view.judge(flow.site_of[position], self.taken[at])?;
        }
        let edges = flow.edges(position);
        self.done.transitions += (edges.len() * self.taken.len()) as u64;
        for edge in edges {
            let group = flow.group_of[edge.kind as usize];
            for at in 0..self.taken.len() {
                match self.view.after(edge.kind, group, self.taken[at])? {
                    After::One(LOST) => {}
                    After::One(next) => self.arrive(edge.target, next),
                    After::List(list) => {
                        for &next in self.view.list(list) {
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
    fn arrive(&mut self, target: u32, column: Number) {
        if self.is_mine(target as usize) {
            self.keep(target, column);
        } else {
            self.send(target, column);
        }
    }

    /// Takes in what has arrived at one of its positions.
    #[inline]
    fn keep(&mut self, position: u32, column: Number) {
        if self.tide.add(position as usize, column, |larger, smaller| self.view.covers(larger, smaller)) {
            self.mark(position as usize);
        }
    }

    #[inline]
    fn mark(&mut self, position: usize) {
        self.due[position / WORD] |= 1 << (position % WORD);
    }

    fn send(&mut self, position: u32, column: Number) {
        let owner = self.sweep.owners[position as usize >> self.sweep.chunk_bits].load(SeqCst);
        self.outgoing[owner].push((position, column));
    }

    fn send_all(&mut self) {
        for (to, parcel) in self.outgoing.iter_mut().enumerate().filter(|(_, parcel)| !parcel.is_empty()) {
            self.sweep.post.send(to, parcel);
        }
    }
}

impl<S: Story> Drop for Worker<'_, '_, S> {
    /// A worker that panics will not send what the others may be waiting for.
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.sweep.ended.store(true, SeqCst);
        }
    }
}
