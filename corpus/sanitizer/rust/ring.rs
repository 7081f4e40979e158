// verdict: violation
// as: wait-free-ring-loop.sf
//! A ring buffer for one producer and one consumer that both go on: correct, but not robust. A side can believe for longer than when threads take turns that the ring is empty or full.
use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicUsize, Ordering::*};

const SIZE: usize = 3;

#[derive(Default)]
struct Ring {
    head: AtomicUsize,
    tail: AtomicUsize,
    slots: [UnsafeCell<u32>; SIZE],
}

// SAFETY: a slot belongs to the producer until `head` moves past it, and then to the consumer until `tail` does.
unsafe impl Sync for Ring {}

impl Ring {
    fn push(&self, value: u32) {
        let head = self.head.load(Relaxed);
        if (head + 1) % SIZE != self.tail.load(Acquire) {
            unsafe { *self.slots[head].get() = value };
            self.head.store((head + 1) % SIZE, Release);
        }
    }

    fn pop(&self) -> Option<u32> {
        let tail = self.tail.load(Relaxed);
        (tail != self.head.load(Acquire)).then(|| {
            let value = unsafe { *self.slots[tail].get() };
            self.tail.store((tail + 1) % SIZE, Release);
            value
        })
    }
}

fn main() {
    let ring = Ring::default();
    std::thread::scope(|scope| {
        scope.spawn(|| (1..=12).for_each(|value| ring.push(value)));
        scope.spawn(|| (0..12).for_each(|_| assert!(ring.pop().is_none_or(|value| value > 0))));
    });
}
