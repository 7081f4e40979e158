//! How many steps a run makes, learnt from the runs before it. PCT spreads its changes of priorities over so many steps: if it expects more than there are, most changes never come.

use std::collections::VecDeque;

/// The numbers of steps of the last runs.
#[derive(Clone, Debug, Default)]
pub struct Lengths(VecDeque<u64>);

/// How many runs are remembered. A run that was long by chance is forgotten after so many others.
const REMEMBERED: usize = 16;

impl Lengths {
    /// A run that ended by itself made so many steps.
    pub fn add(&mut self, steps: u64) {
        if self.0.len() == REMEMBERED {
            self.0.pop_front();
        }
        self.0.push_back(steps);
    }

    /// What to expect of the next one: the most, because a change that comes too late only misses a run, and a step that no change can come to is never tried.
    pub fn expected(&self) -> Option<u64> {
        self.0.iter().copied().max()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_of_the_last_runs_counts() {
        let mut lengths = Lengths::default();
        assert_eq!(lengths.expected(), None);
        for steps in [30, 900, 20] {
            lengths.add(steps);
        }
        assert_eq!(lengths.expected(), Some(900));
        (0..15).for_each(|_| lengths.add(25));
        assert_eq!(lengths.expected(), Some(25));
    }
}
