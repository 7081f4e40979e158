// verdict: silent
// as: seqlock-ra.sf
//! A sequence lock with release and acquire.
use std::sync::atomic::{AtomicU32, Ordering::*};

#[derive(Default)]
struct Sequenced {
    sequence: AtomicU32,
    words: [AtomicU32; 2],
}

impl Sequenced {
    fn write(&self, value: u32) {
        loop {
            let before = self.sequence.load(Acquire);
            if before % 2 == 0 && self.sequence.compare_exchange(before, before + 1, AcqRel, Acquire).is_ok() {
                self.words.iter().for_each(|word| word.store(value, Release));
                return self.sequence.store(before + 2, Release);
            }
        }
    }

    fn read(&self) -> Option<[u32; 2]> {
        let before = self.sequence.load(Acquire);
        let copy = [self.words[0].load(Acquire), self.words[1].load(Acquire)];
        (before % 2 == 0 && self.sequence.load(Acquire) == before).then_some(copy)
    }
}

fn main() {
    let shared = Sequenced::default();
    std::thread::scope(|scope| {
        scope.spawn(|| (1..=2).for_each(|round| shared.write(round)));
        scope.spawn(|| (3..=4).for_each(|round| shared.write(round)));
        scope.spawn(|| {
            for _ in 0..3 {
                assert!(shared.read().is_none_or(|[low, high]| low == high));
            }
        });
    });
}
