//! The trait of schedulers, and the list of them. A new one needs a file beside this, a line in `crates/schedule/src/schedulers.rs`, and a line in [`new`].

use super::pct::Pct;
use super::random::Random;
use steadfast_schedule::{Choice, Kind, Setup};

/// A step, as a scheduler sees it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    /// Its place in the log. `None` before there is a second thread, and in a process that has no log.
    pub(super) number: Option<u64>,
    /// What it is: thread, operation, object and code. The choice is not made yet.
    pub(super) what: Choice,
    /// The thread with the turn lets others go first, waits, or has just ended: it is not among the ready threads.
    pub(super) gives_way: bool,
    /// The thread has made the same step many times in a row: it seems to wait for others.
    pub(super) spins: bool,
}

/// Chooses the next thread.
///
/// Threads have numbers, in the order of their creation. The same choices lead to the same steps, so a scheduler must depend only on its setup and the arguments of its methods.
/// It is called with the lock of the whole schedule held: it must be quick, and may call nothing of the program.
pub(super) trait Scheduler: Send {
    /// Which ready thread goes on: an index. There is at least one.
    fn choose(&mut self, step: &Step, ready: &[u32]) -> usize;

    /// Which waiting thread is woken, or times out: an index. There are at least two.
    fn pick(&mut self, step: &Step, waiting: &[u32]) -> usize;

    /// There is a new thread.
    fn begins(&mut self, _thread: u32) {}

    /// A thread has ended.
    fn ends(&mut self, _thread: u32) {}
}

/// A scheduler of this kind.
pub(super) fn new(kind: Kind, setup: Setup) -> Box<dyn Scheduler> {
    match kind {
        Kind::Random => Box::new(Random::new(setup)),
        Kind::Pct => Box::new(Pct::new(setup)),
    }
}
