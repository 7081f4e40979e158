//! What a robust program could do without.
//!
//! Greedy: the place that costs most comes first, and takes the cheapest form with which the program stays robust. What fails once fails forever, because robustness is
//! monotone, so one pass gives a maximal set of weakenings; a second pass, in which nothing may change any more, shows it.

use crate::fix::changes;
use crate::oracle::{Assignment, Judged, Oracle, Stop};
use crate::{Change, Task};
use steadfast_robust::{Outcome, Verdict};

/// What came out of [`relax`].
#[derive(Clone, Debug)]
pub enum Relaxed {
    /// These changes keep the program robust, its assertions true and its plain accesses free of races, and no further one does. None: it has nothing to spare.
    Weakened {
        /// In the order of the text; their costs are what they save.
        changes: Vec<Change>,
        /// What they save together.
        saved: u32,
        /// The new text, its program and the verdict.
        result: Box<Judged>,
        /// How many programs were checked.
        checks: u64,
        /// How many places could be weaker on paper.
        sites: usize,
    },
    /// The program is not robust to begin with.
    NotRobust(Box<Outcome>),
    /// There is no answer.
    Stopped(Stop),
}

/// Looks for a maximal set of weakenings that a program survives.
pub fn relax(task: &Task<'_>) -> Relaxed {
    Relaxation { oracle: task.oracle() }.run().unwrap_or_else(Relaxed::Stopped)
}

struct Relaxation<'a> {
    oracle: Oracle<'a>,
}

impl Relaxation<'_> {
    fn run(&mut self) -> Result<Relaxed, Stop> {
        let now = self.oracle.judge(&[])?;
        if !matches!(now.outcome.verdict, Verdict::Robust) {
            return Ok(Relaxed::NotRobust(Box::new(now.outcome)));
        }
        self.oracle.slots = self.oracle.context.weaker();
        let mut choice = vec![0; self.oracle.slots.len()];
        while self.pass(&mut choice)? {}
        let result = Box::new(self.oracle.judge(&choice)?);
        let mut changes = changes(&self.oracle.slots, &choice);
        let target = self.oracle.context.target;
        for change in &mut changes {
            change.cost = target.form(change.from).saturating_sub(target.form(change.to));
        }
        let saved = changes.iter().map(|change| change.cost).sum();
        Ok(Relaxed::Weakened { changes, saved, result, checks: self.oracle.checks, sites: self.oracle.slots.len() })
    }

    /// Weakens every slot as far as possible. True if one of them became weaker.
    fn pass(&mut self, choice: &mut Assignment) -> Result<bool, Stop> {
        let target = self.oracle.context.target;
        let cost = |slot: usize, option: usize| target.form(self.oracle.slots[slot].choices[option].form);
        let mut order: Vec<usize> = (0..choice.len()).collect();
        order.sort_by_key(|&slot| std::cmp::Reverse(cost(slot, choice[slot])));
        let options: Vec<Vec<usize>> = order.iter().map(|&slot| self.weaker(slot, choice[slot])).collect();
        let mut changed = false;
        for (slot, options) in order.into_iter().zip(options) {
            for option in options {
                let old = std::mem::replace(&mut choice[slot], option);
                if self.oracle.is_robust(choice)? {
                    changed = true;
                    break;
                }
                choice[slot] = old;
            }
        }
        Ok(changed)
    }

    /// The options of a slot that are weaker than the given one, the weakest first.
    fn weaker(&self, slot: usize, than: usize) -> Vec<usize> {
        let (choices, target) = (&self.oracle.slots[slot].choices, self.oracle.context.target);
        let mut options: Vec<usize> = (0..choices.len())
            .filter(|&option| option != than && choices[than].form.covers(choices[option].form))
            .collect();
        let strength = |option: usize| choices.iter().filter(|other| choices[option].form.covers(other.form)).count();
        options.sort_by_key(|&option| (target.form(choices[option].form), strength(option)));
        options
    }
}
