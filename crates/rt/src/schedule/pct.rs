//! PCT (Burckhardt, Kothari, Musuvathi, Nagarakatte: *A randomized scheduler with probabilistic guarantees of finding bugs*, ASPLOS'10): random priorities that change at a few random steps.
//!
//! Guarantee: a bug that needs `depth` ordered events among `n` threads in a run of `length` steps is found with a probability of at least 1 / (n · length^(depth − 1)), if the run is as long as expected.
//!
//! Deviation: a thread that spins would keep its priority for ever. So a thread that makes the same step again and again, or many steps in a row, or that
//! yields, gets the lowest priority.

use super::scheduler::{Scheduler, Step};
use std::collections::BTreeMap;
use steadfast_random::Rng;
use steadfast_schedule::Setup;

/// Priorities that change at a few steps.
pub(super) struct Pct {
    numbers: Rng,
    step: u64,
    /// The steps at which the priority changes.
    changes: [u64; MOST_CHANGES],
    priorities: BTreeMap<u32, u64>,
    /// The lowest priority so far.
    lowest: u64,
    /// The thread that has made the last steps, and the step at which it began.
    favourite: u32,
    since: u64,
}

/// The maximum number of changes.
const MOST_CHANGES: usize = 16;
/// How many steps a thread makes in a row before others get a chance: a longer loop may wait for them.
const LONG: u64 = 500;
/// The highest of the priorities that threads are set back to; those that they begin with are above.
const BACK: u64 = 1 << 32;

impl Pct {
    pub(super) fn new(setup: Setup) -> Self {
        let mut numbers = Rng::new(setup.seed);
        let mut changes = [u64::MAX; MOST_CHANGES];
        let wanted = usize::try_from(setup.depth.saturating_sub(1)).unwrap_or(usize::MAX);
        for change in changes.iter_mut().take(wanted) {
            *change = numbers.below(usize::try_from(setup.length.max(1)).unwrap_or(usize::MAX)) as u64;
        }
        Self {
            numbers,
            step: 0,
            changes,
            priorities: BTreeMap::new(),
            lowest: BACK,
            favourite: steadfast_schedule::NOBODY,
            since: 0,
        }
    }

    /// The thread gets the lowest priority.
    fn set_back(&mut self, thread: u32) {
        self.lowest -= 1;
        self.priorities.insert(thread, self.lowest);
    }
}

impl Scheduler for Pct {
    fn begins(&mut self, thread: u32) {
        self.priorities.insert(thread, BACK + 1 + self.numbers.below(1 << 32) as u64);
    }

    fn ends(&mut self, thread: u32) {
        self.priorities.remove(&thread);
    }

    fn choose(&mut self, step: &Step, ready: &[u32]) -> usize {
        self.step += 1;
        let thread = step.what.thread;
        if step.gives_way {
            self.set_back(thread);
        }
        // A thread that gives way or has ended is not the favourite any more.
        let current = if step.gives_way { steadfast_schedule::NOBODY } else { thread };
        if self.favourite != current {
            (self.favourite, self.since) = (current, self.step);
        }
        let greedy = self.step - self.since > LONG;
        if current != steadfast_schedule::NOBODY && (step.spins || greedy || self.changes.contains(&self.step)) {
            self.since = self.step;
            self.set_back(current);
        }
        let priority = |&(_, thread): &(usize, &u32)| self.priorities.get(thread).copied().unwrap_or(0);
        ready.iter().enumerate().max_by_key(priority).map_or(0, |(index, _)| index)
    }

    fn pick(&mut self, _step: &Step, waiting: &[u32]) -> usize {
        self.numbers.below(waiting.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use steadfast_schedule::Choice;

    /// Which steps of a run with two threads are given to the other one.
    fn changes(seed: u64, length: u64) -> Vec<u64> {
        let mut pct = Pct::new(Setup { seed, depth: 2, length });
        pct.begins(0);
        pct.begins(1);
        let mut current = 0;
        (1..=length)
            .filter(|_| {
                let step = Step {
                    number: None,
                    what: Choice { thread: current, ..Choice::NONE },
                    gives_way: false,
                    spins: false,
                };
                let before = current;
                current = pct.choose(&step, &[0, 1]) as u32;
                current != before
            })
            .collect()
    }

    #[test]
    fn there_is_one_change_at_any_step_within_the_length() {
        let mut seen = std::collections::BTreeSet::new();
        for seed in 0..400 {
            let at = changes(seed, 20);
            // The first step may already belong to the other thread, whose priority is higher.
            assert!(at.len() <= 2, "{at:?}");
            seen.extend(at);
        }
        assert!((1..20).all(|step| seen.contains(&step)), "{seen:?}");
    }
}
