// verdict: silent
//! The locks of the standard library, and threads in a scope.
use std::sync::{Condvar, Mutex};

fn main() {
    let (counter, changed) = (Mutex::new(0), Condvar::new());
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                for _ in 0..5 {
                    *counter.lock().unwrap() += 1;
                    changed.notify_all();
                }
            });
        }
        let mut seen = counter.lock().unwrap();
        while *seen < 15 {
            seen = changed.wait(seen).unwrap();
        }
    });
    assert_eq!(counter.into_inner().unwrap(), 15);
}
