//! The search. It is breadth first, so violations are short; exact, because keys are stored in full; and it uses covering, because a state with larger
//! sets can do everything that a state with smaller sets can.

use super::rules::{Closing, Label, Rules, SearchStep};
use super::state::{Bits, Codec};
use crate::model::ProgramModel;
use crate::run::RunError;
use steadfast_explore::{Bound, Budget, CoverSet, NodeId, Shard};

/// The steps to a violation, and the contradiction at its end.
type Violation = (Vec<Label>, Closing);

/// How a search ended.
pub(super) enum Ended {
    /// Every state was visited or covered.
    Exhausted,
    /// A violation, with the steps to it: process, number of its run, role.
    Violation(Vec<Label>, Closing),
    /// The program has an error at run time.
    Error(RunError),
    /// A bound was hit.
    Bounded(Bound),
}

/// The statistics of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// How many states were visited.
    pub states: u64,
    /// How many steps were taken.
    pub transitions: u64,
}

/// How often the budget is checked.
const PERIOD: u64 = 1024;

/// Runs the search, with keys of the width that the program needs.
pub(super) fn search(rules: &Rules<'_>, budget: &Budget<'_>) -> (Ended, Statistics) {
    let codec = Codec::new(rules.runner);
    match codec.words() {
        0..=1 => RunSearch::<1>::new(rules, &codec).run(budget),
        2 => RunSearch::<2>::new(rules, &codec).run(budget),
        3..=4 => RunSearch::<4>::new(rules, &codec).run(budget),
        5..=8 => RunSearch::<8>::new(rules, &codec).run(budget),
        9..=16 => RunSearch::<16>::new(rules, &codec).run(budget),
        17..=64 => RunSearch::<64>::new(rules, &codec).run(budget),
        // More than any program that can be explored: the limit of memory would be reached before the first state.
        words => (Ended::Bounded(Bound::Memory(words as u64 * 8)), Statistics::default()),
    }
}

struct RunSearch<'a, const W: usize> {
    rules: &'a Rules<'a>,
    codec: &'a Codec<'a>,
    keys: Shard<W>,
    nodes: CoverSet,
    /// By node, how it was reached.
    parents: Vec<(NodeId, Option<Label>)>,
    statistics: Statistics,
}

impl<'a, const W: usize> RunSearch<'a, W> {
    fn new(rules: &'a Rules<'a>, codec: &'a Codec<'a>) -> Self {
        Self {
            rules,
            codec,
            keys: Shard::default(),
            nodes: CoverSet::new(0, Bits::WIDTH),
            parents: Vec::new(),
            statistics: Statistics::default(),
        }
    }

    fn run(mut self, budget: &Budget<'_>) -> (Ended, Statistics) {
        let ended = self.explore(budget);
        (ended, self.statistics)
    }

    fn explore(&mut self, budget: &Budget<'_>) -> Ended {
        self.add(SearchStep { label: None, target: Ok(self.rules.initial()) }, 0);
        let causal = self.rules.model != ProgramModel::Si;
        let (mut at, mut booked, mut steps) = (0, 0, Vec::new());
        while (at as usize) < self.nodes.len() {
            let node: NodeId = at;
            at += 1;
            if self.nodes.is_covered(node) {
                continue;
            }
            self.statistics.states += 1;
            if self.statistics.states % PERIOD == 1 {
                let bytes = (self.keys.bytes() + self.nodes.bytes() + self.parents.capacity() * 32) as u64;
                budget.add(PERIOD.min(self.statistics.states), bytes.saturating_sub(booked));
                booked = bytes;
                if let Err(bound) = budget.check() {
                    return Ended::Bounded(bound);
                }
            }
            let key = *self.keys.get(self.nodes.get(node).0 as usize);
            let state = self.codec.state(&key, self.nodes.bits(node), causal);
            if let Err(error) = self.rules.expand(&state, &mut steps) {
                return Ended::Error(error);
            }
            for step in steps.drain(..) {
                self.statistics.transitions += 1;
                if let Some((path, closing)) = self.add(step, node) {
                    return Ended::Violation(path, closing);
                }
            }
        }
        Ended::Exhausted
    }

    /// Adds what a step leads to, unless it is known or covered. Returns a violation, with the steps to it.
    fn add(&mut self, step: SearchStep, from: NodeId) -> Option<Violation> {
        let mut state = match step.target {
            Ok(state) => state,
            Err(closing) => return Some((self.path(from, step.label), closing)),
        };
        self.rules.forget(&mut state);
        let (key, _) = self.keys.insert(&self.codec.key(&state));
        if self.nodes.insert(key as u32, &state.bits.words(), 0).is_some() {
            self.parents.push((from, step.label));
        }
        None
    }

    fn path(&self, mut at: NodeId, last: Option<Label>) -> Vec<Label> {
        let mut path: Vec<_> = last.into_iter().collect();
        while at != 0 {
            let (before, label) = self.parents[at as usize];
            path.extend(label);
            at = before;
        }
        path.reverse();
        path
    }
}
