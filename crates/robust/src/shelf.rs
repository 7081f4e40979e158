//! Things that are put somewhere once and never change, which everybody can look at without waiting.
//!
//! Workers used to copy what others had numbered. With two of them everything was in memory three times, and the caches could not hold it.

use std::sync::OnceLock;

/// How many things are on the first board, as a power of two. Each board has twice the room of the one before.
const FIRST: u32 = 6;
/// As many boards as 32 bits can number things.
const BOARDS: usize = (u32::BITS - FIRST) as usize;

/// A shelf with numbered places.
#[derive(Debug)]
pub(crate) struct Shelf<T> {
    boards: [OnceLock<Box<[OnceLock<T>]>>; BOARDS],
}

/// On which board a place is, and where there.
#[inline]
fn split(place: u32) -> (usize, usize) {
    let at = place as usize + (1 << FIRST);
    let board = at.ilog2();
    ((board - FIRST) as usize, at - (1 << board))
}

impl<T> Shelf<T> {
    /// With nothing on it.
    pub(crate) fn new() -> Self {
        Self { boards: [const { OnceLock::new() }; BOARDS] }
    }

    /// Puts something at a free place.
    pub(crate) fn put(&self, place: u32, thing: T) {
        let (board, at) = split(place);
        let room = || (0..1_usize << (board as u32 + FIRST)).map(|_| OnceLock::new()).collect();
        let was_free = self.boards[board].get_or_init(room)[at].set(thing).is_ok();
        debug_assert!(was_free, "a place is used once");
    }

    /// What is at a place, where somebody has put something.
    #[inline]
    pub(crate) fn get(&self, place: u32) -> &T {
        let (board, at) = split(place);
        self.boards[board].get().and_then(|board| board[at].get()).expect("numbers are given to what is there")
    }
}

#[cfg(test)]
mod tests {
    use super::Shelf;

    #[test]
    fn everything_is_where_it_was_put() {
        let shelf = Shelf::new();
        (0..1000).for_each(|place| shelf.put(place, place * 3));
        assert!((0..1000).all(|place| *shelf.get(place) == place * 3));
    }

    #[test]
    fn what_one_has_put_there_another_sees() {
        let shelf = Shelf::new();
        std::thread::scope(|scope| {
            let put = |from: u32| (from..500).step_by(2).for_each(|place| shelf.put(place, place.to_string()));
            scope.spawn(move || put(0));
            scope.spawn(move || put(1));
        });
        assert!((0..500).all(|place| *shelf.get(place) == place.to_string()));
    }
}
