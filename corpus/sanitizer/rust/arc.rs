// verdict: silent
//! An `Arc`: its last owner, whoever that is, sees what all the others did.
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;

struct Shared([AtomicUsize; 3]);

impl Drop for Shared {
    fn drop(&mut self) {
        self.0.iter().for_each(|part| assert_eq!(part.load(Relaxed), 1));
    }
}

fn main() {
    let shared = Arc::new(Shared([const { AtomicUsize::new(0) }; 3]));
    let threads: Vec<_> = (0..3)
        .map(|mine| {
            let shared = Arc::clone(&shared);
            thread::spawn(move || {
                shared.0[mine].store(1, Relaxed);
                drop(shared);
            })
        })
        .collect();
    drop(shared);
    for thread in threads {
        thread.join().unwrap();
    }
}
