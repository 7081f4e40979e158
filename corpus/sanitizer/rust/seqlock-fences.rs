// verdict: violation
// as: seqlock-fence.sf
//! A sequence lock with relaxed data and fences: not robust, and correct all the same. What does not belong together is thrown away.
use std::sync::atomic::{AtomicU32, Ordering::*, fence};

static SEQUENCE: AtomicU32 = AtomicU32::new(0);
static LOW: AtomicU32 = AtomicU32::new(0);
static HIGH: AtomicU32 = AtomicU32::new(0);

fn write(value: u32) {
    let before = SEQUENCE.load(Relaxed);
    SEQUENCE.store(before + 1, Relaxed);
    fence(Release);
    LOW.store(value, Relaxed);
    HIGH.store(value, Relaxed);
    SEQUENCE.store(before + 2, Release);
}

fn read() -> Option<(u32, u32)> {
    let before = SEQUENCE.load(Acquire);
    let (high, low) = (HIGH.load(Relaxed), LOW.load(Relaxed));
    fence(Acquire);
    (before % 2 == 0 && SEQUENCE.load(Relaxed) == before).then_some((low, high))
}

fn main() {
    std::thread::scope(|scope| {
        scope.spawn(|| (1..=3).for_each(write));
        for _ in 0..2 {
            scope.spawn(|| {
                for _ in 0..3 {
                    assert!(read().is_none_or(|(low, high)| low == high));
                }
            });
        }
    });
}
