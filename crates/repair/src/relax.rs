//! Finds what a robust program does not need.
//!
//! The search is greedy: the most expensive place comes first, and takes the cheapest form with which the program stays robust. Robustness is monotone, so what fails once fails always, and
//! one pass gives a maximal set of weakenings. A second pass, in which nothing may change any more, checks this.

use crate::checker::{Assignment, CheckedText, Checker, Stop};
use crate::fix::changes;
use crate::{Change, Task};
use steadfast_robust::{Outcome, Verdict};

/// The result of [`relax`].
#[derive(Clone, Debug)]
pub enum Relaxed {
    /// These changes keep the program robust, its assertions true and its plain accesses free of races; no further change does. If there are none, the program needs everything.
    Weakened {
        /// In the order of the text. Their costs are what they save.
        changes: Vec<Change>,
        /// The savings of all changes.
        saved: u32,
        /// The new text, its program and the verdict.
        result: Box<CheckedText>,
        /// How many programs were checked.
        checks: u64,
        /// How many places have weaker forms.
        sites: usize,
    },
    /// The program is not robust as it is.
    NotRobust(Box<Outcome>),
    /// There is no answer.
    Stopped(Stop),
}

/// Finds a maximal set of weakenings that keep a program robust.
pub fn relax(task: &Task<'_>) -> Relaxed {
    Relaxation { checker: task.checker() }.run().unwrap_or_else(Relaxed::Stopped)
}

struct Relaxation<'a> {
    checker: Checker<'a>,
}

impl Relaxation<'_> {
    fn run(&mut self) -> Result<Relaxed, Stop> {
        let now = self.checker.check_assignment(&[])?;
        if !matches!(now.outcome.verdict, Verdict::Robust) {
            return Ok(Relaxed::NotRobust(Box::new(now.outcome)));
        }
        self.checker.slots = self.checker.context.weaker();
        let mut choice = vec![0; self.checker.slots.len()];
        while self.pass(&mut choice)? {}
        let result = Box::new(self.checker.check_assignment(&choice)?);
        let mut changes = changes(&self.checker.slots, &choice);
        let target = self.checker.context.target;
        for change in &mut changes {
            change.cost = target.form(change.from).saturating_sub(target.form(change.to));
        }
        let saved = changes.iter().map(|change| change.cost).sum();
        Ok(Relaxed::Weakened { changes, saved, result, checks: self.checker.checks, sites: self.checker.slots.len() })
    }

    /// Weakens every slot as far as possible. Returns whether a slot became weaker.
    fn pass(&mut self, choice: &mut Assignment) -> Result<bool, Stop> {
        let target = self.checker.context.target;
        let cost = |slot: usize, option: usize| target.form(self.checker.slots[slot].choices[option].form);
        let mut order: Vec<usize> = (0..choice.len()).collect();
        order.sort_by_key(|&slot| std::cmp::Reverse(cost(slot, choice[slot])));
        let options: Vec<Vec<usize>> = order.iter().map(|&slot| self.weaker(slot, choice[slot])).collect();
        let mut changed = false;
        for (slot, options) in order.into_iter().zip(options) {
            for option in options {
                let old = std::mem::replace(&mut choice[slot], option);
                if self.checker.is_robust(choice)? {
                    changed = true;
                    break;
                }
                choice[slot] = old;
            }
        }
        Ok(changed)
    }

    /// The options of a slot that are weaker than the given one, weakest first.
    fn weaker(&self, slot: usize, than: usize) -> Vec<usize> {
        let (choices, target) = (&self.checker.slots[slot].choices, self.checker.context.target);
        let mut options: Vec<usize> = (0..choices.len())
            .filter(|&option| option != than && choices[than].form.covers(choices[option].form))
            .collect();
        let strength = |option: usize| choices.iter().filter(|other| choices[option].form.covers(other.form)).count();
        options.sort_by_key(|&option| (target.form(choices[option].form), strength(option)));
        options
    }
}
