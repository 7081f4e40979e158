//! The polynomial test for templates at mixed levels: is there a split schedule?
//!
//! A set of transactions is not robust iff some transaction T1 can be paused after a read, others T2 … Tm run one after the other, and T1 then finishes,
//! such that this closes a cycle. Follows Vandevoort, Ketsman, Koch and Neven, *Robustness against Read Committed for transaction templates* (VLDB 2021), and their
//! *Allocating isolation levels to transactions* (PODS 2023). Not robust iff there are T1, a read b1 of it, and a sequence T2 … Tm with
//! 1. T2 writes what b1 reads;
//! 2. no Ti writes what T1 wrote or locked up to b1 (READ COMMITTED), or anything that T1 writes or locks (the other levels), and no Ti locks what T1 wrote
//!    or locked before it was paused: up to b1 (READ COMMITTED), or in its first step, which takes the snapshot (the other levels);
//! 3. each Ti conflicts with the next one;
//! 4. Tm reads what T1 writes or, for READ COMMITTED, conflicts with a step of T1 after b1;
//! 5. if T1 is at SSI: no two of them, Tj before or equal to Ti and both at SSI, where Tj writes what T1 reads and Ti reads what T1 writes.
//!
//! Any number of instances may run, with any values. The values of T1's parameters and one more suffice: mapping all other values to one keeps conflicts, and
//! makes none with T1. Parameters that are never compared have values of their own (`sorts.rs`). Exact for templates of reads and writes by key; conflicts are per attribute, which over-approximates a database that
//! locks whole rows, so "robust" is sound there.
//!
//! Locks (`SELECT … FOR UPDATE`) are ours, and not as in the literature, where they count as writes: in PostgreSQL nothing is left of a lock after the commit, so that a
//! transaction with an older snapshot may write what another one had locked meanwhile. All schedules of random sets agree with condition 2 as it stands here.
//!
//! A condition in place of a key reads all rows, also those that do not exist yet, and may write any of them: in conditions 1, 3 and 4 it conflicts
//! with every row, and in 2 and 5 its writes do not count. So "robust" stays sound. What is found with no such writes at all (`certain`) is a real counterexample.
//! Functional dependencies restrict the arguments of all instances on the values of T1, which is sound, too.

use super::concrete::{agrees, instances};
use super::reduce::Reduced;
use super::sorts::{OTHER, Sorts};
use super::{Instance, Level, MOST_INSTANCES, Template, Undecided};
use std::collections::VecDeque;
use steadfast_explore::{Bound, Budget, Limits};

/// A counterexample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Split {
    /// The transaction that is paused.
    pub first: Instance,
    /// The number of the step after which it is paused.
    pub pause: usize,
    /// The number of the step that reads what is written meanwhile. With a snapshot it may come after the pause.
    pub read: usize,
    /// The transactions that run meanwhile.
    pub between: Vec<Instance>,
}

/// Looks for a split schedule of any instances of the templates, each template at its level.
pub fn split(templates: &[Template], levels: &[Level], budget: &Budget<'_>) -> Result<Option<Split>, Undecided> {
    // Nothing of a condition is known for certain, but what the highest level promises is.
    if levels.iter().all(|level| *level == Level::Ssi) {
        return Ok(None);
    }
    let reduced = Reduced::new(templates);
    let found = split_reduced(&reduced.templates, levels, budget)?;
    Ok(found.map(|found| reduced.restore(templates, &found)))
}

fn split_reduced(templates: &[Template], levels: &[Level], budget: &Budget<'_>) -> Result<Option<Split>, Undecided> {
    let sorts = Sorts::new(templates);
    for (number, template) in templates.iter().enumerate() {
        for arguments in sorts.patterns(number, MOST_INSTANCES)? {
            budget.check().map_err(Undecided::Bound)?;
            let mut known = Vec::new();
            if !agrees(template, &arguments, OTHER, &mut known) {
                continue;
            }
            let others = instances(templates, levels, &sorts, (number, &arguments), &known)?;
            let first = Instance::of(templates, number, &arguments, levels[number]);
            if let Some(found) = split_at(&first, &others, budget).map_err(Undecided::Bound)? {
                return Ok(Some(found));
            }
        }
    }
    Ok(None)
}

/// Whether a set of transactions, each of which runs once, is robust.
pub fn robust_instances(transactions: &[Instance]) -> bool {
    let budget = Budget::new(Limits::default(), None, None);
    (0..transactions.len()).all(|at| {
        let others: Vec<Instance> = [&transactions[..at], &transactions[at + 1..]].concat();
        split_at(&transactions[at], &others, &budget).is_ok_and(|found| found.is_none())
    })
}

fn split_at(first: &Instance, others: &[Instance], budget: &Budget<'_>) -> Result<Option<Split>, Bound> {
    let locks = others.iter().flat_map(|other| &other.steps).any(|step| !step.locks.is_empty());
    for read in (0..first.steps.len()).filter(|&read| !first.steps[read].reads.is_empty()) {
        // A snapshot is taken in the first step. Whoever is paused there has locked the least.
        let early = Some(0).filter(|_| locks && first.level != Level::Rc && read > 0);
        for pause in [Some(read), early].into_iter().flatten() {
            let search = SplitSearch { first, pause, read, others, allowed: allowed(first, pause, others) };
            if let Some(between) = search.run(budget)? {
                return Ok(Some(Split { first: first.clone(), pause, read, between }));
            }
        }
    }
    Ok(None)
}

/// Condition 2.
fn allowed(first: &Instance, pause: usize, others: &[Instance]) -> Vec<bool> {
    let held = &first.steps[..=pause];
    let guarded = if first.level == Level::Rc { held } else { &first.steps[..] };
    let collides = |other: &Instance| {
        guarded.iter().any(|step| other.overwrites(step)) || held.iter().any(|step| other.locks_too(step))
    };
    others.iter().map(|other| !collides(other)).collect()
}

struct SplitSearch<'a> {
    first: &'a Instance,
    pause: usize,
    read: usize,
    others: &'a [Instance],
    allowed: Vec<bool>,
}

impl SplitSearch<'_> {
    /// Breadth first over pairs of a transaction and whether one at SSI has written what T1 reads.
    fn run(&self, budget: &Budget<'_>) -> Result<Option<Vec<Instance>>, Bound> {
        let count = self.others.len();
        let mut before: Vec<[Option<usize>; 2]> = vec![[None; 2]; count];
        let mut queue = VecDeque::new();
        for at in 0..count {
            let starts = self.others[at].steps.iter().any(|step| self.first.steps[self.read].reads_from(step));
            if self.allowed[at] && starts {
                self.enter(at, false, None, &mut before, &mut queue);
            }
        }
        while let Some((at, flag)) = queue.pop_front() {
            budget.check()?;
            if self.closes(&self.others[at]) {
                return Ok(Some(self.unwind(at, flag, &before)));
            }
            for next in 0..count {
                if self.allowed[next] && next != at && self.others[at].conflicts(&self.others[next]) {
                    self.enter(next, flag, Some(at * 2 + usize::from(flag)), &mut before, &mut queue);
                }
            }
        }
        Ok(None)
    }

    fn enter(
        &self,
        at: usize,
        flag: bool,
        from: Option<usize>,
        before: &mut [[Option<usize>; 2]],
        queue: &mut VecDeque<(usize, bool)>,
    ) {
        let other = &self.others[at];
        let mut flag = flag;
        if self.first.level == Level::Ssi && other.level == Level::Ssi {
            let pairs =
                || self.first.steps.iter().flat_map(|mine| other.steps.iter().map(move |theirs| (mine, theirs)));
            flag |= pairs().any(|(mine, theirs)| mine.surely_reads_from(theirs));
            if flag && pairs().any(|(mine, theirs)| theirs.surely_reads_from(mine)) {
                return;
            }
        }
        let slot = &mut before[at][usize::from(flag)];
        if slot.is_none() {
            *slot = Some(from.unwrap_or(usize::MAX));
            queue.push_back((at, flag));
        }
    }

    /// Condition 4.
    fn closes(&self, last: &Instance) -> bool {
        let late = |at: usize| self.first.level == Level::Rc && at > self.pause;
        self.first.steps.iter().enumerate().any(|(at, mine)| {
            last.steps.iter().any(|theirs| theirs.reads_from(mine) || (late(at) && mine.conflicts(theirs)))
        })
    }

    fn unwind(&self, at: usize, flag: bool, before: &[[Option<usize>; 2]]) -> Vec<Instance> {
        let (mut path, mut at, mut flag) = (vec![self.others[at].clone()], at, usize::from(flag));
        while let Some(from) = before[at][flag].filter(|&from| from != usize::MAX) {
            (at, flag) = (from / 2, from % 2);
            path.push(self.others[at].clone());
        }
        path.reverse();
        path
    }
}
