//! The findings of several runs, each once.

use crate::finding::Finding;
use crate::record::Kind;
use crate::symbols::Frame;
use std::collections::{BTreeMap, BTreeSet};

/// A finding, and when it was made.
#[derive(Clone, Debug)]
pub struct Collected {
    /// The first of its kind.
    pub finding: Finding,
    /// How many runs made it.
    pub runs: u64,
    /// The first run that did, from 0.
    pub first_run: u64,
    /// The seed of that run.
    pub seed: u64,
}

/// Findings in the order in which they were first made.
#[derive(Clone, Debug, Default)]
pub struct Collection {
    found: Vec<Collected>,
    index: BTreeMap<String, usize>,
    /// Code that was seen to wait in a loop, in any run.
    loops: BTreeSet<Frame>,
}

/// What a run has added.
#[derive(Debug)]
pub struct Added<'a> {
    /// Whether it has found anything at all.
    pub any: bool,
    /// What nobody had found before.
    pub new: Vec<&'a Collected>,
}

impl Collection {
    /// Nothing was found.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds what a run has found. A stale read by code that was seen to wait in a loop, now or in an earlier run, is harmless: it would have turned round once more.
    pub fn add(&mut self, run: u64, seed: u64, findings: Vec<Finding>) -> Added<'_> {
        let (loops, findings): (Vec<_>, Vec<_>) = findings.into_iter().partition(|finding| finding.kind == Kind::Spin);
        self.loops.extend(loops.iter().filter_map(Finding::innermost).cloned());
        let before = self.found.len();
        let mut seen = Vec::new();
        for finding in findings {
            if self.is_harmless(&finding) {
                continue;
            }
            let key = format!("{:?}", finding.key());
            let next = self.found.len();
            let at = *self.index.entry(key).or_insert(next);
            if at == next {
                self.found.push(Collected { finding, runs: 0, first_run: run, seed });
            }
            if !seen.contains(&at) {
                seen.push(at);
                self.found[at].runs += 1;
            }
        }
        Added { any: !seen.is_empty(), new: self.found[before..].iter().collect() }
    }

    /// Only if it leaves the loop with another value than the stale one: with that it could have left it too early.
    fn is_harmless(&self, finding: &Finding) -> bool {
        let loops = finding.innermost().is_some_and(|frame| self.loops.contains(frame));
        loops && finding.kind == Kind::StaleRead && !finding.leaves_with_stale_value()
    }

    /// All findings.
    pub fn all(&self) -> &[Collected] {
        &self.found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{parse, tests::SAMPLE};
    use crate::symbols::Symbols;

    #[test]
    fn the_same_finding_counts_once_per_run() {
        let finding = || Finding::resolve(&parse(SAMPLE)[0], &mut Symbols::new());
        let mut collection = Collection::new();
        assert_eq!(collection.add(3, 30, vec![finding(), finding()]).new.len(), 1);
        let again = collection.add(4, 40, vec![finding()]);
        assert!(again.any && again.new.is_empty());
        let [only] = collection.all() else { panic!("one finding") };
        assert_eq!((only.runs, only.first_run, only.seed), (2, 3, 30));
    }
}
