// verdict: silent
// as: ../litmus/sb-seq-cst.sf
//! Store buffering with seq_cst accesses.
use std::sync::atomic::{AtomicU32, Ordering};

static X: AtomicU32 = AtomicU32::new(0);
static Y: AtomicU32 = AtomicU32::new(0);

fn main() {
    let left = std::thread::spawn(|| {
        X.store(1, Ordering::SeqCst);
        Y.load(Ordering::SeqCst)
    });
    let right = std::thread::spawn(|| {
        Y.store(1, Ordering::SeqCst);
        X.load(Ordering::SeqCst)
    });
    left.join().unwrap();
    right.join().unwrap();
}
