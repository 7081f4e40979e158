//! One owner that pushes and pops, two thieves that steal one by one and in batches.
use crossbeam_deque::{Injector, Steal, Worker};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

const ITEMS: usize = 60;

fn main() {
    let taken = AtomicUsize::new(0);
    let injector = Injector::new();
    let worker = Worker::new_lifo();
    let stealers = [worker.stealer(), worker.stealer()];
    std::thread::scope(|scope| {
        for (number, stealer) in stealers.iter().enumerate() {
            let (taken, injector) = (&taken, &injector);
            scope.spawn(move || {
                let mine = Worker::new_fifo();
                while taken.load(Relaxed) < 2 * ITEMS {
                    let found = if number == 0 { stealer.steal() } else { stealer.steal_batch_and_pop(&mine) };
                    let found = found.or_else(|| injector.steal_batch_and_pop(&mine));
                    if let Steal::Success(_) = found {
                        taken.fetch_add(1, Relaxed);
                    }
                    while mine.pop().is_some() {
                        taken.fetch_add(1, Relaxed);
                    }
                    std::thread::yield_now();
                }
            });
        }
        for item in 0..ITEMS {
            worker.push(Box::new(item));
            injector.push(Box::new(item));
            if item % 3 == 0 && worker.pop().is_some() {
                taken.fetch_add(1, Relaxed);
            }
        }
        while worker.pop().is_some() {
            taken.fetch_add(1, Relaxed);
        }
    });
    assert_eq!(taken.load(Relaxed), 2 * ITEMS);
}
