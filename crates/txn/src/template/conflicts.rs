//! The conflicts that close the cycle of a split schedule.

use super::{Split, concrete::TemplateStep};

/// How a step of one transaction comes before a step of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConflictKind {
    /// It reads what the other overwrites.
    ReadsBefore,
    /// The other reads what it writes.
    Reads,
    /// The other overwrites what it writes.
    Overwrites,
}

/// A step that must come before a step of another transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The transaction, as [`Split::instances`] counts, and its step.
    pub from: (usize, usize),
    /// The transaction that comes after it, and its step.
    pub to: (usize, usize),
    /// Why.
    pub kind: ConflictKind,
}

impl Split {
    /// One conflict from each transaction of the cycle to the next one, and from the last to the first.
    pub fn conflicts(&self) -> Vec<Conflict> {
        let instances: Vec<_> = self.instances().collect();
        let between = |from: usize| {
            let to = (from + 1) % instances.len();
            // The paused transaction reads what is written while it is paused; for all others, any conflict in that direction will do.
            let steps = instances[from].steps.iter().enumerate();
            let steps = steps.filter(move |(mine, _)| from != 0 || *mine == self.read);
            let others = &instances[to].steps;
            let mut pairs = steps.flat_map(|(mine, step)| {
                others.iter().enumerate().map(move |(theirs, next)| (mine, step, theirs, next))
            });
            pairs.find_map(|(mine, step, theirs, next)| {
                Some(Conflict { from: (from, mine), to: (to, theirs), kind: kind(step, next)? })
            })
        };
        (0..instances.len()).filter_map(between).collect()
    }
}

fn kind(step: &TemplateStep, next: &TemplateStep) -> Option<ConflictKind> {
    if step.reads_from(next) {
        Some(ConflictKind::ReadsBefore)
    } else if next.reads_from(step) {
        Some(ConflictKind::Reads)
    } else if step.conflicts(next) {
        Some(ConflictKind::Overwrites)
    } else {
        None
    }
}
