//! Uniformly random steps.

use super::generator::Generator;
use super::scheduler::{Scheduler, Step};
use steadfast_schedule::Setup;

/// Chooses among all who are ready, at every step anew. A thread that spins does not count as long as there are others.
pub(super) struct Random {
    numbers: Generator,
}

impl Random {
    pub(super) fn new(setup: Setup) -> Self {
        let mut numbers = Generator::new(setup.seed);
        // Seeds mean the same schedules as when this scheduler and PCT were one, and drew the same numbers in the beginning.
        for _ in 1..setup.depth.min(super::pct::MOST_CHANGES as u64 + 1) {
            numbers.next();
        }
        Self { numbers }
    }
}

impl Scheduler for Random {
    fn begins(&mut self, _thread: u32) {
        // For the same reason.
        self.numbers.next();
    }

    fn choose(&mut self, step: &Step, ready: &[u32]) -> usize {
        let spinning = ready.iter().position(|&thread| step.spins && thread == step.what.thread);
        let Some(spinning) = spinning.filter(|_| ready.len() > 1) else { return self.numbers.below(ready.len()) };
        let chosen = self.numbers.below(ready.len() - 1);
        if chosen < spinning { chosen } else { chosen + 1 }
    }

    fn pick(&mut self, _step: &Step, waiting: &[u32]) -> usize {
        self.numbers.below(waiting.len())
    }
}
