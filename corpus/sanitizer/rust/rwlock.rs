// verdict: silent
//! `RwLock` with readers and writers that meet.
use std::sync::RwLock;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

fn main() {
    let lock = RwLock::new(());
    let (first, second) = (AtomicUsize::new(0), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                for _ in 0..4 {
                    let _held = lock.write().unwrap();
                    first.store(first.load(Relaxed) + 1, Relaxed);
                    second.store(second.load(Relaxed) + 1, Relaxed);
                }
            });
            scope.spawn(|| {
                for _ in 0..4 {
                    let _held = lock.read().unwrap();
                    assert_eq!(first.load(Relaxed), second.load(Relaxed));
                }
            });
        }
    });
    assert_eq!(first.load(Relaxed), 8);
}
