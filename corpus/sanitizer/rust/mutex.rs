// verdict: silent
//! `Mutex` and `Condvar` under contention. What they protect are atomics that order nothing, so that every edge has to come from the locks.
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Condvar, Mutex};

fn main() {
    let (lock, changed) = (Mutex::new(()), Condvar::new());
    let (counter, twice) = (AtomicUsize::new(0), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                for _ in 0..5 {
                    let _held = lock.lock().unwrap();
                    let next = counter.load(Relaxed) + 1;
                    counter.store(next, Relaxed);
                    twice.store(2 * next, Relaxed);
                    changed.notify_all();
                }
            });
        }
        let mut held = lock.lock().unwrap();
        while counter.load(Relaxed) < 15 {
            held = changed.wait(held).unwrap();
        }
        assert_eq!(twice.load(Relaxed), 30);
    });
}
