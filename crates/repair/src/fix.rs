//! Finds the cheapest repair.

use crate::checker::{Assignment, CheckedText, Checker, Stop};
use crate::hitting::{Demand, Problem};
use crate::slots::{Slot, strongest};
use crate::{Change, Task};
use steadfast_robust::{Outcome, Verdict};

/// The result of [`fix`].
#[derive(Clone, Debug)]
pub enum Fixed {
    /// The program is robust as it is.
    Already(Box<Outcome>),
    /// These changes make it robust, and no cheaper ones do.
    Repaired {
        /// In the order of the text.
        changes: Vec<Change>,
        /// The cost of all changes.
        cost: u32,
        /// The new text, its program and the verdict.
        result: Box<CheckedText>,
        /// How many programs were checked.
        checks: u64,
        /// How many places for changes there were.
        sites: usize,
    },
    /// The program fails under SC, and no fence changes that.
    FailsUnderSc(Box<Outcome>),
    /// Even with all allowed changes it is not robust or has a race.
    Impossible {
        /// The program with all changes, and its verdict.
        strongest: Box<CheckedText>,
        /// How many places for changes there were.
        sites: usize,
    },
    /// There is no answer.
    Stopped(Stop),
}

/// Finds the cheapest changes that make a program robust.
pub fn fix(task: &Task<'_>) -> Fixed {
    Repair { checker: task.checker(), strongest: Vec::new(), demands: Vec::new() }.run().unwrap_or_else(Fixed::Stopped)
}

struct Repair<'a> {
    checker: Checker<'a>,
    /// The strongest choice of every slot.
    strongest: Assignment,
    demands: Vec<Demand>,
}

impl Repair<'_> {
    fn run(&mut self) -> Result<Fixed, Stop> {
        let now = self.checker.check_assignment(&[])?;
        match now.outcome.verdict {
            Verdict::Robust => return Ok(Fixed::Already(Box::new(now.outcome))),
            Verdict::Failed(_) => return Ok(Fixed::FailsUnderSc(Box::new(now.outcome))),
            _ => {}
        }
        self.checker.slots = self.checker.context.stronger(&now.outcome.spins);
        self.strongest = self.checker.slots.iter().map(strongest).collect();
        if !self.checker.is_robust(&self.strongest.clone())? {
            let strongest = Box::new(self.checker.check_assignment(&self.strongest.clone())?);
            return Ok(Fixed::Impossible { strongest, sites: self.checker.slots.len() });
        }
        let cheapest = self.search()?;
        self.finish(&cheapest)
    }

    /// Checks the cheapest choice that meets all demands. If it does not repair, a new demand follows from it.
    fn search(&mut self) -> Result<Assignment, Stop> {
        let costs: Vec<Vec<u32>> = self.checker.slots.iter().map(costs).collect();
        let stronger: Vec<Vec<u64>> = self.checker.slots.iter().map(stronger).collect();
        loop {
            let problem = Problem { costs: &costs, stronger: &stronger, demands: &self.demands };
            let candidate = problem.solve().unwrap_or_else(|| self.strongest.clone());
            if self.checker.is_robust(&candidate)? {
                return Ok(candidate);
            }
            let grown = self.grown(candidate)?;
            let demand = grown.iter().zip(&self.checker.slots).map(|(&choice, slot)| !weaker(slot, choice));
            self.demands.push(demand.zip(&stronger).map(|(options, all)| options & all[0]).collect());
        }
    }

    /// Adds changes to a choice that does not repair, as long as it does not repair. Adds many changes at a time, and fewer where many would repair.
    fn grown(&mut self, mut choice: Assignment) -> Result<Assignment, Stop> {
        let all: Vec<usize> = (0..choice.len()).filter(|&slot| choice[slot] != self.strongest[slot]).collect();
        // A chunk of changes, and whether adding all of it is known to repair.
        let mut chunks = vec![(all, true)];
        while let Some((chunk, repairs)) = chunks.pop() {
            let mut more = choice.clone();
            for &slot in &chunk {
                more[slot] = self.strongest[slot];
            }
            if !repairs && !self.checker.is_robust(&more)? {
                choice = more;
                continue;
            }
            match chunk.as_slice() {
                [] => {}
                &[slot] => self.raise(&mut choice, slot)?,
                _ => {
                    let (first, second) = chunk.split_at(chunk.len() / 2);
                    chunks.push((second.to_vec(), false));
                    chunks.push((first.to_vec(), false));
                }
            }
        }
        Ok(choice)
    }

    /// Takes a stronger option of a slot, if there is one that does not repair. The strongest option does.
    fn raise(&mut self, choice: &mut Assignment, slot: usize) -> Result<(), Stop> {
        let choices = &self.checker.slots[slot].choices;
        let current = choices[choice[slot]].form;
        let mut between: Vec<usize> = (0..choices.len())
            .filter(|&option| option != choice[slot] && option != self.strongest[slot])
            .filter(|&option| choices[option].form.covers(current))
            .collect();
        let strength = |option: usize| choices.iter().filter(|other| choices[option].form.covers(other.form)).count();
        between.sort_by_key(|&option| std::cmp::Reverse(strength(option)));
        for option in between {
            let old = std::mem::replace(&mut choice[slot], option);
            if !self.checker.is_robust(choice)? {
                return Ok(());
            }
            choice[slot] = old;
        }
        Ok(())
    }

    /// Checks the result again, and that every single change is necessary.
    fn finish(&mut self, choice: &Assignment) -> Result<Fixed, Stop> {
        let result = Box::new(self.checker.check_assignment(choice)?);
        for slot in (0..choice.len()).filter(|&slot| choice[slot] != 0) {
            let mut without = choice.clone();
            without[slot] = 0;
            if self.checker.is_robust(&without)? {
                return Err(Stop::Unreadable("a change of the cheapest repair is not necessary".into()));
            }
        }
        let changes = changes(&self.checker.slots, choice);
        let cost = changes.iter().map(|change| change.cost).sum();
        Ok(Fixed::Repaired { changes, cost, result, checks: self.checker.checks, sites: self.checker.slots.len() })
    }
}

/// The changes of an assignment.
pub(crate) fn changes(slots: &[Slot], choice: &[usize]) -> Vec<Change> {
    let chosen = slots.iter().zip(choice).filter(|(_, choice)| **choice != 0);
    let change = |(slot, &choice): (&Slot, &usize)| {
        let to = &slot.choices[choice];
        Change { span: slot.span, from: slot.choices[0].form, to: to.form, cost: to.cost, edits: to.edits.clone() }
    };
    chosen.map(change).collect()
}

fn costs(slot: &Slot) -> Vec<u32> {
    slot.choices.iter().map(|choice| choice.cost).collect()
}

/// By option, the options that are at least as strong.
fn stronger(slot: &Slot) -> Vec<u64> {
    let options = |than: usize| {
        let is_stronger = |option: &usize| slot.choices[*option].form.covers(slot.choices[than].form);
        (0..slot.choices.len()).filter(is_stronger).map(|option| 1 << option).sum()
    };
    (0..slot.choices.len()).map(options).collect()
}

/// The options that are at most as strong.
fn weaker(slot: &Slot, than: usize) -> u64 {
    let is_weaker = |option: &usize| slot.choices[than].form.covers(slot.choices[*option].form);
    (0..slot.choices.len()).filter(is_weaker).map(|option| 1 << option).sum()
}
