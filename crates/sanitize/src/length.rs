//! The expected number of steps of a run, learnt from earlier runs. PCT spreads its priority changes over this number: if it is too large, most changes never happen.

use std::collections::VecDeque;

/// The numbers of steps of the last runs.
#[derive(Clone, Debug, Default)]
pub struct Lengths(VecDeque<u64>);

/// How many runs are remembered. A run that was long by chance is forgotten after this many others.
const REMEMBERED: usize = 16;

impl Lengths {
    /// Adds the number of steps of a run that ended by itself.
    pub fn add(&mut self, steps: u64) {
        if self.0.len() == REMEMBERED {
            self.0.pop_front();
        }
        self.0.push_back(steps);
    }

    /// The expected number for the next run: the largest so far. If it is too large, some runs have fewer changes; if it were too small, the later steps would never have one.
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
