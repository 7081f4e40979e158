//! Two producers and two consumers at a bounded and at an unbounded queue.
use crossbeam_queue::{ArrayQueue, SegQueue};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

const ITEMS: usize = 40;

fn main() {
    let (bounded, unbounded) = (ArrayQueue::new(4), SegQueue::new());
    let taken = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                for item in 0..ITEMS {
                    let mut boxed = Box::new(item);
                    while let Err(back) = bounded.push(boxed) {
                        boxed = back;
                        std::thread::yield_now();
                    }
                    unbounded.push(Box::new(item));
                }
            });
            scope.spawn(|| {
                while taken.load(Relaxed) < 4 * ITEMS {
                    for item in [bounded.pop(), unbounded.pop()].into_iter().flatten() {
                        assert!(*item < ITEMS);
                        taken.fetch_add(1, Relaxed);
                    }
                    std::thread::yield_now();
                }
            });
        }
    });
}
