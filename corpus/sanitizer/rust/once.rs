// verdict: silent
//! `Once`, `OnceLock` and `LazyLock`: whoever comes first does it, the others wait and see what was done.
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{LazyLock, Once, OnceLock};

static ONCE: Once = Once::new();
static CELL: OnceLock<usize> = OnceLock::new();
static LAZY: LazyLock<usize> = LazyLock::new(|| BESIDE[2].swap(3, Relaxed));
static BESIDE: [AtomicUsize; 3] = [const { AtomicUsize::new(0) }; 3];

fn main() {
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                ONCE.call_once(|| BESIDE[0].store(1, Relaxed));
                assert_eq!(BESIDE[0].load(Relaxed), 1);
                let value = CELL.get_or_init(|| {
                    BESIDE[1].store(2, Relaxed);
                    2
                });
                assert_eq!(BESIDE[1].load(Relaxed), *value);
                assert_eq!(*LAZY, 0);
                assert_eq!(BESIDE[2].load(Relaxed), 3);
            });
        }
    });
}
