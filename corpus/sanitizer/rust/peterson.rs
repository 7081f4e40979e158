// verdict: violation
// as: peterson-sc.sf
//! Peterson's lock with release and acquire, and no fences.
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::*};

static WANTS: [AtomicBool; 2] = [const { AtomicBool::new(false) }; 2];
static VICTIM: AtomicUsize = AtomicUsize::new(0);

fn process(id: usize) {
    for _ in 0..3 {
        WANTS[id].store(true, Release);
        VICTIM.store(id, Release);
        while WANTS[1 - id].load(Acquire) && VICTIM.load(Acquire) == id {}
        WANTS[id].store(false, Release);
    }
}

fn main() {
    std::thread::scope(|scope| (0..2).for_each(|id| drop(scope.spawn(move || process(id)))));
}
