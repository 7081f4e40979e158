//! An append-only vector that threads read without locks: elements are added once and never change or move.
//!
//! With it, workers share numbered elements instead of copying them. Copies for two workers took three times the memory, more than the caches hold.

use std::sync::OnceLock;

/// How many elements the first segment has, as a power of two. Each segment is twice as large as the one before.
const FIRST: u32 = 6;
/// Enough segments for all 32-bit indices.
const SEGMENTS: usize = (u32::BITS - FIRST) as usize;

/// An append-only vector. The caller gives out the indices, each once.
#[derive(Debug)]
pub(crate) struct AppendVec<T> {
    segments: [OnceLock<Box<[OnceLock<T>]>>; SEGMENTS],
}

/// The segment of an index, and the place in it.
#[inline]
fn split(index: u32) -> (usize, usize) {
    let at = index as usize + (1 << FIRST);
    let segment = at.ilog2();
    ((segment - FIRST) as usize, at - (1 << segment))
}

impl<T> AppendVec<T> {
    /// An empty vector.
    pub(crate) fn new() -> Self {
        Self { segments: [const { OnceLock::new() }; SEGMENTS] }
    }

    /// Sets the element at an index that was not used before.
    pub(crate) fn set(&self, index: u32, element: T) {
        let (segment, at) = split(index);
        let room = || (0..1_usize << (segment as u32 + FIRST)).map(|_| OnceLock::new()).collect();
        let was_free = self.segments[segment].get_or_init(room)[at].set(element).is_ok();
        debug_assert!(was_free, "an index is used once");
    }

    /// The element at an index that is set.
    #[inline]
    pub(crate) fn get(&self, index: u32) -> &T {
        let (segment, at) = split(index);
        self.segments[segment].get().and_then(|segment| segment[at].get()).expect("the index is set")
    }
}

#[cfg(test)]
mod tests {
    use super::{AppendVec, FIRST};
    use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

    #[test]
    fn every_element_is_where_it_was_set() {
        let vector = AppendVec::new();
        (0..1000).for_each(|index| vector.set(index, index * 3));
        assert!((0..1000).all(|index| *vector.get(index) == index * 3));
    }

    #[test]
    fn elements_of_one_thread_are_seen_by_another() {
        let vector = AppendVec::new();
        std::thread::scope(|scope| {
            let set = |from: u32| (from..500).step_by(2).for_each(|index| vector.set(index, index.to_string()));
            scope.spawn(move || set(0));
            scope.spawn(move || set(1));
        });
        assert!((0..500).all(|index| *vector.get(index) == index.to_string()));
    }

    /// Few steps, for controlled schedules: elements are read while others are set, also in a segment that is not there yet.
    #[test]
    fn concurrent_threads_read_what_others_have_set() {
        const INDICES: u32 = 4 * (1 << FIRST);
        let (vector, next, done) = (AppendVec::new(), AtomicU32::new(0), [const { AtomicU32::new(u32::MAX) }; 2]);
        std::thread::scope(|scope| {
            for (mine, other) in [(0, 1), (1, 0)] {
                let (vector, next, done) = (&vector, &next, &done);
                scope.spawn(move || {
                    loop {
                        let index = next.fetch_add(1, SeqCst);
                        if index >= INDICES {
                            break;
                        }
                        vector.set(index, Box::new(index * 3));
                        done[mine].store(index, SeqCst);
                        let seen = done[other].load(SeqCst);
                        assert!(seen == u32::MAX || **vector.get(seen) == seen * 3);
                    }
                });
            }
        });
        assert!((0..INDICES).all(|index| **vector.get(index) == index * 3));
    }
}
