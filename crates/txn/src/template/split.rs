//! The polynomial test for templates at mixed levels: is there a split schedule?
//!
//! A set of transactions is not robust iff some transaction T1 can be paused after a read, others T2 … Tm run one after the other, and T1 then finishes,
//! such that this closes a cycle. Follows Vandevoort, Ketsman, Koch and Neven, *Robustness against Read Committed for transaction templates* (VLDB 2021), and their
//! *Allocating isolation levels to transactions* (PODS 2023). Not robust iff there are T1, a read b1 of it, and a sequence T2 … Tm with
//! 1. T2 writes what b1 reads;
//! 2. no Ti writes what T1 wrote up to b1 (READ COMMITTED), or anything that T1 writes (the other levels);
//! 3. each Ti conflicts with the next one;
//! 4. Tm reads what T1 writes or, for READ COMMITTED, conflicts with a step of T1 after b1;
//! 5. if T1 is at SSI: no two of them, Tj before or equal to Ti and both at SSI, where Tj writes what T1 reads and Ti reads what T1 writes.
//!
//! Any number of instances may run, with any values. The values of T1's parameters and one more suffice: mapping all other values to one keeps conflicts, and
//! makes none with T1. Exact for templates of reads and writes by key; conflicts are per attribute, which over-approximates a database that
//! locks whole rows, so "robust" is sound there.

use super::concrete::{instances, patterns};
use super::{Instance, Level, Template, TooMany};
use std::collections::VecDeque;

/// A counterexample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Split {
    /// The transaction that is paused.
    pub first: Instance,
    /// The number of the step after which it is paused.
    pub pause: usize,
    /// The transactions that run meanwhile.
    pub between: Vec<Instance>,
}

/// Looks for a split schedule of any instances of the templates, each template at its level.
pub fn split(templates: &[Template], levels: &[Level]) -> Result<Option<Split>, TooMany> {
    for (number, template) in templates.iter().enumerate() {
        for arguments in patterns(template.parameters.len()) {
            let values = arguments.iter().max().map_or(0, |most| most + 1) + 1;
            let others = instances(templates, levels, values)?;
            let first = Instance::of(templates, number, &arguments, levels[number]);
            if let Some(found) = split_at(&first, &others) {
                return Ok(Some(found));
            }
        }
    }
    Ok(None)
}

/// Whether a set of transactions, each of which runs once, is robust.
pub fn robust_instances(transactions: &[Instance]) -> bool {
    (0..transactions.len()).all(|at| {
        let others: Vec<Instance> = [&transactions[..at], &transactions[at + 1..]].concat();
        split_at(&transactions[at], &others).is_none()
    })
}

fn split_at(first: &Instance, others: &[Instance]) -> Option<Split> {
    (0..first.steps.len()).filter(|&pause| !first.steps[pause].reads.is_empty()).find_map(|pause| {
        let search = Search { first, pause, others, allowed: allowed(first, pause, others) };
        search.run().map(|between| Split { first: first.clone(), pause, between })
    })
}

/// Condition 2.
fn allowed(first: &Instance, pause: usize, others: &[Instance]) -> Vec<bool> {
    let guarded = if first.level == Level::Rc { &first.steps[..=pause] } else { &first.steps[..] };
    others.iter().map(|other| !guarded.iter().any(|step| other.overwrites(step))).collect()
}

struct Search<'a> {
    first: &'a Instance,
    pause: usize,
    others: &'a [Instance],
    allowed: Vec<bool>,
}

impl Search<'_> {
    /// Breadth first over pairs of a transaction and whether one at SSI has written what T1 reads.
    fn run(&self) -> Option<Vec<Instance>> {
        let count = self.others.len();
        let mut before: Vec<[Option<usize>; 2]> = vec![[None; 2]; count];
        let mut queue = VecDeque::new();
        for at in 0..count {
            let starts = self.others[at].steps.iter().any(|step| self.first.steps[self.pause].reads_from(step));
            if self.allowed[at] && starts {
                self.enter(at, false, None, &mut before, &mut queue);
            }
        }
        while let Some((at, flag)) = queue.pop_front() {
            if self.closes(&self.others[at]) {
                return Some(self.unwind(at, flag, &before));
            }
            for next in 0..count {
                if self.allowed[next] && next != at && self.others[at].conflicts(&self.others[next]) {
                    self.enter(next, flag, Some(at * 2 + usize::from(flag)), &mut before, &mut queue);
                }
            }
        }
        None
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
            flag |= pairs().any(|(mine, theirs)| mine.reads_from(theirs));
            if flag && pairs().any(|(mine, theirs)| theirs.reads_from(mine)) {
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
