//! Uniformly random steps.

use super::scheduler::{Scheduler, Step};
use steadfast_random::Rng;
use steadfast_schedule::Setup;

/// Chooses among all ready threads, at every step. A thread that spins is not chosen as long as there are others.
pub(super) struct Random {
    numbers: Rng,
}

impl Random {
    pub(super) fn new(setup: Setup) -> Self {
        Self { numbers: Rng::new(setup.seed) }
    }
}

impl Scheduler for Random {
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
