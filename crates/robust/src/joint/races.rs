//! Data races of plain accesses that exist only because a read goes wrong unnoticed: a wrong read need not synchronise, so accesses may race that are ordered in every run under SC.
//!
//! As in the paper (POPL'21, section 6), a wrong read synchronises with no write. This over-approximates where all stale writes that it could take are release writes: then the search can find a
//! race that does not exist, and the axioms do not confirm its witness. Otherwise there are no other races than those that are found. Lanes are exact:
//!
//! Each plain location has one lane for its writes, and one lane for the reads of each thread. As long as there is no race, happens-before orders the writes, and it orders the reads of one
//! thread. So what a view knows of either is a prefix, and one bit ("not all") is enough. Reads of different threads are not ordered, so one bit for all of them would not be enough: of two
//! threads that read and then each release something, one may not know of the other, but a thread that acquires from both knows both reads.

use crate::lanes::{Block, Lanes};
use crate::models::Shape;
use std::collections::BTreeMap;

/// How many lanes a plain location has.
pub(super) fn lanes(shape: Shape) -> usize {
    1 + shape.threads
}

/// The lanes of plain locations. There are none if the search for races has found all races.
pub(super) struct Races<const N: usize>(BTreeMap<u16, Accesses<N>>);

struct Accesses<const N: usize> {
    writes: Lanes<N>,
    /// By thread.
    reads: Vec<Lanes<N>>,
}

impl<const N: usize> Default for Races<N> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<const N: usize> Races<N> {
    /// Gives a location its lanes, from `first` on.
    pub(super) fn follow(&mut self, loc: u16, first: usize, shape: Shape) {
        let reads = (0..shape.threads).map(|thread| Lanes::one(first + 1 + thread)).collect();
        self.0.insert(loc, Accesses { writes: Lanes::one(first), reads });
    }

    /// The lanes of accesses that conflict with a write (or, if `writes` is false, with a read).
    pub(super) fn with(&self, loc: u16, writes: bool) -> Lanes<N> {
        let Some(accesses) = self.0.get(&loc) else { return Lanes::NONE };
        let reads = accesses.reads.iter().filter(|_| writes);
        reads.fold(accesses.writes, |all, &lane| all | lane)
    }

    /// The lane of a thread's write or read.
    pub(super) fn by(&self, loc: u16, thread: usize, writes: bool) -> Lanes<N> {
        let lane = |accesses: &Accesses<N>| if writes { accesses.writes } else { accesses.reads[thread] };
        self.0.get(&loc).map_or(Lanes::NONE, lane)
    }

    /// Moves the lanes with the threads: the thread at place `i` was at `from[i]`.
    pub(super) fn permute(&self, views: &mut Block<N>, from: &[usize]) {
        for Accesses { reads, .. } in self.0.values() {
            let all = reads.iter().fold(Lanes::NONE, |all, &lane| all | lane);
            views.change(|cell| {
                let moved = reads.iter().zip(from).filter(|(_, before)| !(cell & reads[**before]).is_empty());
                moved.fold(cell & !all, |cell, (&lane, _)| cell | lane)
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::models::{Axis, Cells};

    #[test]
    fn reads_move_with_their_threads() {
        let shape = Shape { threads: 3, locations: 2 };
        let mut races = Races::<1>::default();
        races.follow(1, 0, shape);
        let mut views = Block::new(&[Axis::Thread, Axis::Location], shape, lanes(shape));
        let (writes, [first, second, third]) =
            (races.by(1, 0, true), [0, 1, 2].map(|thread| races.by(1, thread, false)));
        views.set(0, 2, writes | first);
        views.set(1, 1, second | third);
        // The last thread becomes the first.
        let from = [2, 0, 1];
        views.permute(&from);
        races.permute(&mut views, &from);
        assert_eq!(views.get(0, 0), writes | second);
        assert_eq!(views.get(1, 1), third | first);
        assert_eq!((races.with(1, false), races.with(0, true)), (writes, Lanes::NONE));
    }
}
