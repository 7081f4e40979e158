//! Repeats a run from its choice log.
//!
//! Every step is compared with the step in the log: thread, operation, object and code. From the first step that differs, or whose choice is impossible, the run is not a repetition any more, and another
//! scheduler goes on; the same happens after the end of the log (the log of a crashed run ends abruptly). `steadfast run` compares the logs of both runs, and reports a difference.

use super::scheduler::{Scheduler, Step};
use steadfast_schedule::{CHOICE_BYTES, Choice};

/// The choices of a log.
pub(super) struct Replay {
    records: &'static [[u8; CHOICE_BYTES]],
    /// The scheduler that goes on after them. It knows all threads from the beginning.
    then: Box<dyn Scheduler>,
    diverged: bool,
}

impl Replay {
    pub(super) fn new(records: &'static [[u8; CHOICE_BYTES]], then: Box<dyn Scheduler>) -> Self {
        Self { records, then, diverged: false }
    }

    /// Which of these threads the log chooses at this step.
    fn repeat(&mut self, step: &Step, among: &[u32]) -> Option<usize> {
        let number = step.number.filter(|_| !self.diverged)?;
        let record = self.records.get(usize::try_from(number).ok()?)?;
        let recorded = Choice::from_bytes(record).filter(|recorded| recorded.is_same_step(&step.what));
        let chosen = recorded.and_then(|recorded| among.iter().position(|&thread| thread == recorded.chosen));
        self.diverged = chosen.is_none();
        chosen
    }
}

impl Scheduler for Replay {
    fn choose(&mut self, step: &Step, ready: &[u32]) -> usize {
        self.repeat(step, ready).unwrap_or_else(|| self.then.choose(step, ready))
    }

    fn pick(&mut self, step: &Step, waiting: &[u32]) -> usize {
        self.repeat(step, waiting).unwrap_or_else(|| self.then.pick(step, waiting))
    }

    fn begins(&mut self, thread: u32) {
        self.then.begins(thread);
    }

    fn ends(&mut self, thread: u32) {
        self.then.ends(thread);
    }
}

#[cfg(test)]
mod tests {
    use super::super::scheduler;
    use super::*;
    use steadfast_schedule::{Kind, Operation, Setup};

    fn step(number: u64, operation: Operation) -> Step {
        Step {
            number: Some(number),
            what: Choice { thread: 0, operation, ..Choice::NONE },
            gives_way: false,
            spins: false,
        }
    }

    /// A log in which thread 0 loads at every step, and these threads are chosen.
    fn replay(chosen: &[u32]) -> Replay {
        let record = |&chosen: &u32| Choice { chosen, ..step(0, Operation::Load).what }.to_bytes();
        let records: Vec<_> = chosen.iter().map(record).collect();
        Replay::new(records.leak(), scheduler::new(Kind::Random, Setup::default()))
    }

    #[test]
    fn the_choices_are_repeated_until_the_end() {
        let mut replay = replay(&[7, 5, 7, 6]);
        let indices: Vec<_> = (0..4).map(|number| replay.choose(&step(number, Operation::Load), &[5, 6, 7])).collect();
        assert_eq!(indices, [2, 0, 2, 1]);
        assert!(replay.choose(&step(4, Operation::Load), &[5, 6, 7]) < 3);
        assert!(!replay.diverged);
    }

    #[test]
    fn another_step_or_an_impossible_choice_ends_it() {
        for (operation, ready) in [(Operation::Store, [5, 7]), (Operation::Load, [5, 6])] {
            let mut replay = replay(&[7, 5]);
            assert!(replay.choose(&step(0, operation), &ready) < 2);
            assert!(replay.diverged);
            assert_eq!(replay.repeat(&step(1, Operation::Load), &[5, 7]), None);
        }
    }
}
