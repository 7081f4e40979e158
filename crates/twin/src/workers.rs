//! Several workers that take numbers and count what comes of them.

use std::sync::atomic::{AtomicU64, Ordering};

/// What all workers have counted together. A worker takes the next number, from 0, and passes it to `count` until that returns false.
pub(crate) fn counted<T: Default + Send>(
    jobs: usize,
    count: impl Fn(&mut T, u64) -> bool + Sync,
    plus: impl Fn(T, T) -> T,
) -> T {
    let next = AtomicU64::new(0);
    let worker = || {
        let mut tally = T::default();
        while count(&mut tally, next.fetch_add(1, Ordering::Relaxed)) {}
        tally
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..jobs.max(1)).map(|_| scope.spawn(worker)).collect();
        let tallies = workers.into_iter().map(|worker| worker.join().expect("a worker does not panic"));
        tallies.fold(T::default(), plus)
    })
}
