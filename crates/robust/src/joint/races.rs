//! Races of plain accesses, where reads may go wrong without being noticed: such a read need not synchronise, and then accesses race that are ordered in every run under SC.
//!
//! As in the paper (POPL'21, section 6), a read that goes wrong synchronises with nobody. That is too much where every stale write that it could take was released, too: then a race is reported that does not
//! exist, and the witness is not confirmed. Else a race that is not reported does not exist, and lanes add nothing to that:
//!
//! For every plain location there is a lane for its writes and one for the reads of each thread. As long as there is no race, writes are ordered by happens-before, and so are the reads of one
//! thread. So what somebody knows of either is a prefix, and a bit for "not all" says it all. Reads of different threads are not ordered, and one bit for all of them would not be: of two
//! who read and then each release something, one may not know of the other, but who acquires both knows both.

use crate::lanes::{Block, Lanes};
use crate::models::Shape;
use std::collections::BTreeMap;

/// How many lanes a plain location has.
pub(super) fn lanes(shape: Shape) -> usize {
    1 + shape.threads
}

/// The lanes of plain locations. None are followed where hunts have shown all that there is.
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
    /// Follows a location with as many lanes as it takes, from a first one on.
    pub(super) fn follow(&mut self, loc: u16, first: usize, shape: Shape) {
        let reads = (0..shape.threads).map(|thread| Lanes::one(first + 1 + thread)).collect();
        self.0.insert(loc, Accesses { writes: Lanes::one(first), reads });
    }

    /// The lanes of accesses that conflict with a write, or with a read.
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

    /// Threads have moved: the one at place `i` was at `from[i]`.
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
        // The last one becomes the first.
        let from = [2, 0, 1];
        views.permute(&from);
        races.permute(&mut views, &from);
        assert_eq!(views.get(0, 0), writes | second);
        assert_eq!(views.get(1, 1), third | first);
        assert_eq!((races.with(1, false), races.with(0, true)), (writes, Lanes::NONE));
    }
}
