//! Generations of a barrier: which arrivals a barrier releases together, and so orders.
//!
//! A fast thread can arrive again, and release what it did in between, before a slow thread has acquired the clock of the first round. So the clock belongs to a *generation*; the next one
//! begins when a thread arrives again. With more threads than the barrier waits for, the runtime cannot know which arrivals were released together: all threads that arrive while others have not left
//! then belong to one generation. This orders too much, so it can hide a violation, but not invent one.

use crate::engine::SyncClock;
use crate::lock::Lock;
use std::sync::Arc;
use std::vec::Vec;

/// The newest generation of a barrier. Waiting threads share ownership, because the barrier may be destroyed before all of them have acquired its clock.
#[derive(Default)]
pub(crate) struct Generations(Option<Arc<Lock<Generation>>>);

/// The threads that a barrier releases together.
pub(crate) struct Generation {
    /// What the threads did before they arrived.
    pub(crate) clock: SyncClock,
    /// The first threads that arrived, at most as many as the barrier waits for.
    members: Vec<usize>,
    arrived: usize,
    left: usize,
}

impl Generation {
    fn new() -> Self {
        Self { clock: SyncClock::new(), members: Vec::new(), arrived: 0, left: 0 }
    }

    /// A thread arrives.
    fn arrive(&mut self, thread: usize, count: usize) {
        self.arrived += 1;
        // With more threads than the barrier waits for, a generation may never end, and its members do not matter.
        if self.arrived <= count {
            self.members.push(thread);
        }
    }

    /// A thread leaves; it acquires the clock.
    pub(crate) fn leave(&mut self) -> &mut Self {
        self.left += 1;
        self
    }

    /// Whether a thread that arrives now belongs to the next generation.
    fn is_closed_to(&self, thread: usize, count: usize) -> bool {
        self.left == self.arrived || self.arrived == count && self.members.contains(&thread)
    }
}

impl Generations {
    /// A thread arrives at a barrier that waits for `count` threads.
    pub(crate) fn join(&mut self, thread: usize, count: usize) -> Arc<Lock<Generation>> {
        let open = self.0.take().filter(|generation| !generation.lock().is_closed_to(thread, count));
        let generation = open.unwrap_or_else(|| Arc::new(Lock::new(Generation::new())));
        generation.lock().arrive(thread, count);
        self.0 = Some(Arc::clone(&generation));
        generation
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same(one: &Arc<Lock<Generation>>, other: &Arc<Lock<Generation>>) -> bool {
        Arc::ptr_eq(one, other)
    }

    #[test]
    fn a_thread_that_arrives_again_begins_another_generation() {
        let mut generations = Generations::default();
        let [first, second] = [1, 2].map(|thread| generations.join(thread, 2));
        assert!(same(&first, &second));
        first.lock().leave();
        // The second thread has not left yet.
        let again = generations.join(1, 2);
        assert!(!same(&again, &second));
        second.lock().leave();
        assert!(same(&again, &generations.join(2, 2)));
    }

    #[test]
    fn threads_that_may_be_released_together_share_a_generation() {
        let mut generations = Generations::default();
        let all = [1, 2, 3].map(|thread| generations.join(thread, 2));
        assert!(same(&all[0], &all[2]));
        // The first has met one of the others, and now meets the one that is left.
        all[0].lock().leave();
        let again = generations.join(1, 2);
        assert!(same(&again, &all[1]));
        let _ = [&all[1], &all[2], &again].map(|generation| generation.lock().leave().left);
        assert!(!same(&again, &generations.join(4, 2)));
    }

    #[test]
    fn a_generation_without_end_does_not_grow() {
        let mut generations = Generations::default();
        let first = generations.join(0, 2);
        for thread in 1..1000 {
            assert!(same(&first, &generations.join(thread % 5, 2)));
            first.lock().leave();
        }
        assert!(first.lock().members.len() <= 2);
    }
}
