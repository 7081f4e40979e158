//! Work in several threads, with the results in order.
//!
//! An exploration hands out work for less than a millisecond, hundreds of times. Starting a thread takes a tenth of that, so helpers stay when they are done, look for the next piece of work for
//! a short while, and then sleep.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::Thread;

/// Does the work for every part at the same time, the first of them in this thread. The results are in the order of the parts.
pub fn each<P: Send, T: Send>(parts: Vec<P>, work: impl Fn(P) -> T + Sync) -> Vec<T> {
    let mut parts = parts.into_iter();
    let Some(first) = parts.next() else { return Vec::new() };
    if parts.len() == 0 {
        return vec![work(first)];
    }
    let mut results: Vec<Option<Result<T, Panic>>> = parts.as_slice().iter().map(|_| None).collect();
    let work = |part| catch_unwind(AssertUnwindSafe(|| work(part)));
    let first = {
        let pieces =
            parts.zip(&mut results).map(|(part, result)| -> Piece<'_> { Box::new(|| *result = Some(work(part))) });
        let _others: Vec<Lent<'_>> = pieces.map(Lent::new).collect();
        work(first)
    };
    let others = results.into_iter().map(|result| result.expect("whoever was lent a piece has done it"));
    std::iter::once(first).chain(others).map(|result| result.unwrap_or_else(|panic| resume_unwind(panic))).collect()
}

type Panic = Box<dyn Any + Send>;
/// Something to do. It does not panic.
type Piece<'a> = Box<dyn FnOnce() + Send + 'a>;

/// A helper that has nothing to do.
const IDLE: u8 = 0;
/// It has a piece of work and is not done with it.
const BUSY: u8 = 1;

/// How often to look before letting others run, and then, before going to sleep.
const LOOKS: u32 = 2_000;
const GLANCES: u32 = 50;

/// A thread that waits for work.
struct Helper {
    state: AtomicU8,
    piece: Mutex<Option<Piece<'static>>>,
    /// Who is to be told when it is done.
    asker: Mutex<Option<Thread>>,
}

/// Those who have nothing to do.
static FREE: Mutex<Vec<(Arc<Helper>, Thread)>> = Mutex::new(Vec::new());

/// A piece of work that a helper does. Dropping this waits until it is done.
struct Lent<'a> {
    helper: (Arc<Helper>, Thread),
    /// What the piece borrows.
    _borrowed: std::marker::PhantomData<&'a mut ()>,
}

impl<'a> Lent<'a> {
    fn new(piece: Piece<'a>) -> Self {
        // SAFETY: the piece is not used after `'a`. Whoever has it is done with it, and has dropped it, when this is dropped, and this does not outlive `'a`. It is never leaked: the only place where
        // it is made is `each`.
        #[allow(
            unsafe_code,
            reason = "threads that stay cannot borrow from those who come and go, except by a promise"
        )]
        let piece = unsafe { std::mem::transmute::<Piece<'a>, Piece<'static>>(piece) };
        let free = lock(&FREE).pop();
        let (helper, thread) = free.unwrap_or_else(Helper::start);
        *lock(&helper.asker) = Some(std::thread::current());
        *lock(&helper.piece) = Some(piece);
        helper.state.store(BUSY, Ordering::Release);
        thread.unpark();
        Self { helper: (helper, thread), _borrowed: std::marker::PhantomData }
    }
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        wait_until(&self.helper.0.state, IDLE);
        lock(&FREE).push(self.helper.clone());
    }
}

impl Helper {
    /// Starts a thread that helps for ever.
    fn start() -> (Arc<Self>, Thread) {
        let new = Self { state: AtomicU8::new(IDLE), piece: Mutex::new(None), asker: Mutex::new(None) };
        let helper = Arc::new(new);
        let same = Arc::clone(&helper);
        let thread = std::thread::spawn(move || same.help());
        (helper, thread.thread().clone())
    }

    fn help(&self) {
        loop {
            wait_until(&self.state, BUSY);
            let (piece, asker) = (lock(&self.piece).take(), lock(&self.asker).take());
            if let Some(piece) = piece {
                piece();
            }
            self.state.store(IDLE, Ordering::Release);
            asker.iter().for_each(Thread::unpark);
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whoever changes the state wakes the one who waits for it.
fn wait_until(state: &AtomicU8, wanted: u8) {
    let mut looked = 0;
    while state.load(Ordering::Acquire) != wanted {
        match looked {
            0..LOOKS => std::hint::spin_loop(),
            LOOKS.. if looked < LOOKS + GLANCES => std::thread::yield_now(),
            _ => std::thread::park(),
        }
        looked += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_order() {
        assert_eq!(each(vec![3, 1, 2], |part| part * 10), [30, 10, 20]);
        assert_eq!(each(vec![7], |part| part + 1), [8]);
        assert_eq!(each(Vec::<u8>::new(), |part| part), []);
    }

    #[test]
    fn helpers_are_used_again_from_anywhere() {
        std::thread::scope(|scope| {
            for start in 0..4_u64 {
                scope.spawn(move || {
                    for round in 0..500 {
                        let mut numbers = vec![start, round, 7];
                        let parts: Vec<&mut u64> = numbers.iter_mut().collect();
                        // Helpers may ask for help themselves.
                        let doubled = each(parts, |number| {
                            *number += 1;
                            each(vec![*number, *number], |number| number).iter().sum::<u64>()
                        });
                        assert_eq!(doubled, [2 * start + 2, 2 * round + 2, 16]);
                        assert_eq!(numbers, [start + 1, round + 1, 8]);
                    }
                });
            }
        });
        assert!(lock(&FREE).len() < 100);
    }

    #[test]
    fn a_panic_arrives_after_all_are_done() {
        for bad in 0..3 {
            let done = AtomicU8::new(0);
            let ended = catch_unwind(AssertUnwindSafe(|| {
                each(vec![0, 1, 2], |part| {
                    assert_ne!(part, bad);
                    std::thread::sleep(std::time::Duration::from_millis(5));
                    done.fetch_add(1, Ordering::Relaxed);
                })
            }));
            assert!(ended.is_err());
            assert_eq!(done.into_inner(), 2);
        }
        assert_eq!(each(vec![1, 2], |part| part), [1, 2]);
    }
}
