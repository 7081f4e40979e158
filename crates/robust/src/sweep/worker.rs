//! One worker of a sweep.

use super::columns::{After, LOST, Number, View};
use super::post::Arrival;
use super::tide::Tide;
use super::{Caught, Story, Sweep};
use std::ops::Range;
use std::sync::atomic::Ordering::SeqCst;
use steadfast_explore::Bound;

/// How many positions have their bits in one word.
const WORD: usize = u64::BITS as usize;
/// How many words are looked at in one go.
const CHUNK: usize = 8;

/// What a worker has of its own.
pub(super) struct Worker<'s, 'c, S: Story> {
    sweep: &'s Sweep<'s>,
    number: usize,
    /// Its positions.
    share: Range<usize>,
    view: View<'c, S>,
    tide: &'s mut Tide,
    /// A bit for each of its positions, on if something is pending there.
    due: Vec<u64>,
    taken: Vec<Number>,
    /// What is to be sent to each other worker.
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
    pub(super) fn new(sweep: &'s Sweep<'s>, number: usize, view: View<'c, S>, tide: &'s mut Tide) -> Self {
        let share = sweep.flow.shares[number].clone();
        Self {
            sweep,
            number,
            view,
            tide,
            due: vec![0; share.len().div_ceil(WORD)],
            share,
            taken: Vec::new(),
            outgoing: vec![Vec::new(); sweep.flow.shares.len()],
            done: Done::default(),
        }
    }

    pub(super) fn done(&self) -> Done {
        self.done
    }

    /// Takes in what has arrived at its positions.
    pub(super) fn take_in(&mut self, arrivals: &[Arrival]) {
        for &(position, column) in arrivals {
            if self.share.contains(&(position as usize)) {
                self.keep(position, column);
            }
        }
    }

    /// Works until nobody has anything left to do.
    pub(super) fn work(&mut self) -> Result<(), Bound> {
        let mut turn = 0;
        while !self.sweep.ended.load(SeqCst) {
            let received = self.sweep.post.receive(self.number);
            self.take_in(&received);
            let Some(next) = self.next(turn) else {
                if self.sweep.post.wait(self.number, &self.sweep.ended) {
                    continue;
                }
                break;
            };
            turn = next + 1;
            if let Err(Caught) = self.sweep_chunk(next) {
                self.sweep.caught.store(true, SeqCst);
                self.sweep.ended.store(true, SeqCst);
            }
            self.send_all();
            let result = self.account();
            if result.is_err() {
                self.sweep.ended.store(true, SeqCst);
                return result;
            }
        }
        Ok(())
    }

    fn chunks(&self) -> usize {
        self.due.len().div_ceil(CHUNK)
    }

    /// The next turn, counted over all sweeps, at which there is something to do: in the first sweep always.
    fn next(&self, from: usize) -> Option<usize> {
        let is_due = |chunk: usize| self.due[self.words(chunk)].iter().any(|word| *word != 0);
        (from..from + self.chunks()).find(|&turn| turn < self.chunks() || is_due(turn % self.chunks()))
    }

    /// The words of a chunk.
    fn words(&self, chunk: usize) -> Range<usize> {
        chunk * CHUNK..((chunk + 1) * CHUNK).min(self.due.len())
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

    fn sweep_chunk(&mut self, turn: usize) -> Result<(), Caught> {
        let words = self.words(turn % self.chunks());
        if turn < self.chunks() {
            let all = words.start * WORD..(words.end * WORD).min(self.share.len());
            all.for_each(|place| self.begin(self.share.start + place));
        }
        for word in words {
            while self.due[word] != 0 {
                let place = word * WORD + self.due[word].trailing_zeros() as usize;
                self.due[word] &= self.due[word] - 1;
                self.taken.clear();
                self.tide.take(place, &mut self.taken);
                self.carry_on(self.share.start + place)?;
            }
        }
        Ok(())
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
                        for at in 0..self.view.list(list).len() {
                            self.arrive(edge.target, self.view.list(list)[at]);
                        }
                    }
                }
            }
        }
        Ok(())
    }

    #[inline]
    fn arrive(&mut self, target: u32, column: Number) {
        if self.share.contains(&(target as usize)) {
            self.keep(target, column);
        } else {
            self.send(target, column);
        }
    }

    /// Takes in what has arrived at one of its positions.
    #[inline]
    fn keep(&mut self, position: u32, column: Number) {
        let place = position as usize - self.share.start;
        if self.tide.add(place, column, |larger, smaller| self.view.covers(larger, smaller)) {
            self.due[place / WORD] |= 1 << (place % WORD);
        }
    }

    fn send(&mut self, position: u32, column: Number) {
        let owner = self.sweep.flow.shares.iter().position(|share| share.contains(&(position as usize)));
        let parcel = &mut self.outgoing[owner.expect("every position has an owner")];
        parcel.push((position, column));
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
