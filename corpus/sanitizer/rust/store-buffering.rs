// verdict: violation
// as: ../litmus/sb.sf
//! Store buffering with release and acquire.
use std::sync::atomic::{AtomicU32, Ordering};

static X: AtomicU32 = AtomicU32::new(0);
static Y: AtomicU32 = AtomicU32::new(0);

fn main() {
    let left = std::thread::spawn(|| {
        X.store(1, Ordering::Release);
        Y.load(Ordering::Acquire)
    });
    let right = std::thread::spawn(|| {
        Y.store(1, Ordering::Release);
        X.load(Ordering::Acquire)
    });
    left.join().unwrap();
    right.join().unwrap();
}
