//! A parallel map, with the results in order.
//!
//! An exploration hands out jobs of less than a millisecond, hundreds of times. Starting a thread takes a tenth of a millisecond. So helper threads stay when they are done, wait actively for the
//! next job for a short while, and then sleep.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::Thread;

/// Applies `work` to every part in parallel, to the first part in this thread. The results are in the order of the parts.
pub fn parallel_map<P: Send, T: Send>(parts: Vec<P>, work: impl Fn(P) -> T + Sync) -> Vec<T> {
    let mut parts = parts.into_iter();
    let Some(first) = parts.next() else { return Vec::new() };
    if parts.len() == 0 {
        return vec![work(first)];
    }
    let mut results: Vec<Option<Result<T, Panic>>> = parts.as_slice().iter().map(|_| None).collect();
    let work = |part| catch_unwind(AssertUnwindSafe(|| work(part)));
    let first = {
        let jobs = parts.zip(&mut results).map(|(part, result)| -> Job<'_> { Box::new(|| *result = Some(work(part))) });
        let _others: Vec<RunningJob<'_>> = jobs.map(RunningJob::new).collect();
        work(first)
    };
    let others = results.into_iter().map(|result| result.expect("every job has set its result"));
    std::iter::once(first).chain(others).map(|result| result.unwrap_or_else(|panic| resume_unwind(panic))).collect()
}

type Panic = Box<dyn Any + Send>;
/// Work for a helper. It does not panic.
type Job<'a> = Box<dyn FnOnce() + Send + 'a>;

/// The state of a helper without a job.
const IDLE: u8 = 0;
/// The state of a helper with a job that is not done.
const BUSY: u8 = 1;

/// How often a waiting thread looks before it yields, and how often it yields before it sleeps.
const SPINS: u32 = 2_000;
const YIELDS: u32 = 50;

/// A thread that waits for jobs.
struct Helper {
    state: AtomicU8,
    job: Mutex<Option<Job<'static>>>,
    /// The thread to wake when the job is done.
    caller: Mutex<Option<Thread>>,
}

/// All helpers without a job.
static FREE: Mutex<Vec<(Arc<Helper>, Thread)>> = Mutex::new(Vec::new());

/// A job that a helper runs. Dropping this waits until the job is done.
struct RunningJob<'a> {
    helper: (Arc<Helper>, Thread),
    /// The borrows of the job.
    _borrowed: std::marker::PhantomData<&'a mut ()>,
}

impl<'a> RunningJob<'a> {
    fn new(job: Job<'a>) -> Self {
        // SAFETY: the job is not used after `'a`. The helper has run and dropped the job when this value is dropped, and this value does not outlive `'a`. This value is never leaked: it is made only in
        // `parallel_map`, which drops it.
        #[allow(unsafe_code, reason = "a thread that outlives its caller cannot borrow from it in safe code")]
        let job = unsafe { std::mem::transmute::<Job<'a>, Job<'static>>(job) };
        let free = lock(&FREE).pop();
        let (helper, thread) = free.unwrap_or_else(Helper::start);
        *lock(&helper.caller) = Some(std::thread::current());
        *lock(&helper.job) = Some(job);
        helper.state.store(BUSY, Ordering::Release);
        thread.unpark();
        Self { helper: (helper, thread), _borrowed: std::marker::PhantomData }
    }
}

impl Drop for RunningJob<'_> {
    fn drop(&mut self) {
        wait_until(&self.helper.0.state, IDLE);
        lock(&FREE).push(self.helper.clone());
    }
}

impl Helper {
    /// Starts a thread that runs jobs for ever.
    fn start() -> (Arc<Self>, Thread) {
        let new = Self { state: AtomicU8::new(IDLE), job: Mutex::new(None), caller: Mutex::new(None) };
        let helper = Arc::new(new);
        let same = Arc::clone(&helper);
        let thread = std::thread::spawn(move || same.help());
        (helper, thread.thread().clone())
    }

    fn help(&self) {
        loop {
            wait_until(&self.state, BUSY);
            let (job, caller) = (lock(&self.job).take(), lock(&self.caller).take());
            if let Some(job) = job {
                job();
            }
            self.state.store(IDLE, Ordering::Release);
            caller.iter().for_each(Thread::unpark);
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Waits until a state is reached. The thread that changes the state wakes the waiting one.
fn wait_until(state: &AtomicU8, wanted: u8) {
    let mut rounds = 0;
    while state.load(Ordering::Acquire) != wanted {
        match rounds {
            0..SPINS => std::hint::spin_loop(),
            SPINS.. if rounds < SPINS + YIELDS => std::thread::yield_now(),
            _ => std::thread::park(),
        }
        rounds += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_order() {
        assert_eq!(parallel_map(vec![3, 1, 2], |part| part * 10), [30, 10, 20]);
        assert_eq!(parallel_map(vec![7], |part| part + 1), [8]);
        assert_eq!(parallel_map(Vec::<u8>::new(), |part| part), []);
    }

    #[test]
    fn helpers_are_used_again_from_anywhere() {
        std::thread::scope(|scope| {
            for start in 0..4_u64 {
                scope.spawn(move || {
                    for round in 0..500 {
                        let mut numbers = vec![start, round, 7];
                        let parts: Vec<&mut u64> = numbers.iter_mut().collect();
                        // Jobs may start jobs themselves.
                        let doubled = parallel_map(parts, |number| {
                            *number += 1;
                            parallel_map(vec![*number, *number], |number| number).iter().sum::<u64>()
                        });
                        assert_eq!(doubled, [2 * start + 2, 2 * round + 2, 16]);
                        assert_eq!(numbers, [start + 1, round + 1, 8]);
                    }
                });
            }
        });
        assert!(lock(&FREE).len() < 100);
    }

    /// Few steps, for controlled schedules: helpers start, sleep, and are used again, and jobs borrow from their callers.
    #[test]
    fn concurrent_callers_borrow_and_nest() {
        std::thread::scope(|scope| {
            for start in 0..2_u64 {
                scope.spawn(move || {
                    for round in 0..3 {
                        let mut numbers = [start, round];
                        let doubled = parallel_map(numbers.iter_mut().collect(), |number| {
                            *number += 1;
                            parallel_map(vec![*number, *number], |number| number).iter().sum::<u64>()
                        });
                        assert_eq!((doubled, numbers), (vec![2 * start + 2, 2 * round + 2], [start + 1, round + 1]));
                    }
                });
            }
        });
    }

    #[test]
    fn a_panic_arrives_after_all_are_done() {
        for bad in 0..3 {
            let done = AtomicU8::new(0);
            let ended = catch_unwind(AssertUnwindSafe(|| {
                parallel_map(vec![0, 1, 2], |part| {
                    assert_ne!(part, bad);
                    std::thread::sleep(std::time::Duration::from_millis(5));
                    done.fetch_add(1, Ordering::Relaxed);
                })
            }));
            assert!(ended.is_err());
            assert_eq!(done.into_inner(), 2);
        }
        assert_eq!(parallel_map(vec![1, 2], |part| part), [1, 2]);
    }
}
