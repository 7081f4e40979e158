// verdict: silent
//! `park` and `unpark`, and a `Barrier`.
use std::sync::Barrier;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;

static MESSAGE: AtomicUsize = AtomicUsize::new(0);
static ANSWERS: [AtomicUsize; 3] = [const { AtomicUsize::new(0) }; 3];

fn main() {
    let waiter = thread::spawn(|| {
        // It may be woken for nothing.
        while MESSAGE.load(Relaxed) == 0 {
            thread::park();
        }
        MESSAGE.store(2, Relaxed);
    });
    MESSAGE.store(1, Relaxed);
    waiter.thread().unpark();
    waiter.join().unwrap();
    assert_eq!(MESSAGE.load(Relaxed), 2);

    let barrier = Barrier::new(3);
    thread::scope(|scope| {
        for mine in 0..3 {
            let barrier = &barrier;
            scope.spawn(move || {
                for round in 0..3 {
                    ANSWERS[mine].store(round, Relaxed);
                    barrier.wait();
                    ANSWERS.iter().for_each(|answer| assert_eq!(answer.load(Relaxed), round));
                    barrier.wait();
                }
            });
        }
    });
}
