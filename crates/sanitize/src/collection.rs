//! The findings of several runs, each once.

use crate::finding::{Finding, Site};
use crate::record::Kind;
use crate::session::Origin;
use std::collections::{BTreeMap, BTreeSet};

/// A finding, and the runs that made it.
#[derive(Clone, Debug)]
pub struct Collected {
    /// The finding.
    pub finding: Finding,
    /// How many runs made it.
    pub runs: u64,
    /// The first run that did.
    pub first: Origin,
    /// Whether [`Collection::add`] has returned it.
    reported: bool,
}

/// Findings in the order in which they were first made.
#[derive(Clone, Debug, Default)]
pub struct Collection {
    found: Vec<Collected>,
    index: BTreeMap<String, usize>,
    /// For each run with findings, which ones it made.
    runs: Vec<Vec<usize>>,
    /// Code that has waited in a loop, in any run.
    loops: BTreeSet<Site>,
}

impl Collection {
    /// No findings.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the findings of a run. Returns those that are new and certain: a stale read may turn out to be harmless, if a later run shows that its code waits in a loop.
    pub fn add(&mut self, origin: &Origin, findings: Vec<Finding>) -> Vec<&Collected> {
        let (loops, findings): (Vec<_>, Vec<_>) = findings.into_iter().partition(|finding| finding.kind == Kind::Spin);
        self.loops.extend(loops.iter().filter_map(Finding::loops_at));
        let mut seen = Vec::new();
        for finding in findings {
            let key = format!("{:?}", finding.key());
            let next = self.found.len();
            let at = *self.index.entry(key).or_insert(next);
            if at == next {
                self.found.push(Collected { finding, runs: 0, first: origin.clone(), reported: false });
            } else if finding.leaves_with_stale_value() && !self.found[at].finding.leaves_with_stale_value() {
                // Keep the worse of the two.
                self.found[at].finding = finding;
            }
            if !seen.contains(&at) {
                seen.push(at);
                self.found[at].runs += 1;
            }
        }
        if !seen.is_empty() {
            self.runs.push(seen);
        }
        let certain = |collected: &&mut Collected| !collected.reported && !may_be_harmless(&collected.finding);
        let new: Vec<_> = self.found.iter_mut().filter(certain).collect();
        new.into_iter()
            .map(|collected| {
                collected.reported = true;
                &*collected
            })
            .collect()
    }

    /// All findings, now that all runs are over.
    pub fn all(&self) -> impl Iterator<Item = &Collected> {
        self.found.iter().filter(|collected| !self.is_harmless(&collected.finding))
    }

    /// The findings that [`add`](Self::add) did not return, because they were not certain.
    pub fn held_back(&self) -> impl Iterator<Item = &Collected> {
        self.all().filter(|collected| !collected.reported)
    }

    /// Whether the run with this number was the first to find something.
    pub fn is_origin(&self, run: u64) -> bool {
        self.found.iter().any(|collected| collected.first.run == run)
    }

    /// How many runs have found something.
    pub fn runs_with_findings(&self) -> u64 {
        let counts = |run: &&Vec<usize>| run.iter().any(|&at| !self.is_harmless(&self.found[at].finding));
        self.runs.iter().filter(counts).count() as u64
    }

    fn is_harmless(&self, finding: &Finding) -> bool {
        may_be_harmless(finding) && finding.waits_at().is_some_and(|site| self.loops.contains(&site))
    }
}

/// Whether a finding is harmless if its code waits in a loop: the thread repeats the loop when it reads an old value. It could only have left the loop too early if it leaves with the stale value.
fn may_be_harmless(finding: &Finding) -> bool {
    finding.kind == Kind::StaleRead && !finding.leaves_with_stale_value()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{parse, tests::SAMPLE};
    use crate::symbols::Symbols;

    fn origin(run: u64, seed: u64) -> Origin {
        Origin { run, seed, ..Origin::default() }
    }

    #[test]
    fn a_later_run_can_show_that_a_stale_read_is_harmless() {
        let text = SAMPLE.replace("0x5040 thread", "0x5040 0x1 thread");
        let finding = || Finding::resolve(&parse(&text)[0], &mut Symbols::new());
        let mut collection = Collection::new();
        assert!(collection.add(&origin(0, 1), vec![finding()]).is_empty());
        assert_eq!((collection.held_back().count(), collection.runs_with_findings()), (1, 1));
        let waits = Finding { kind: Kind::Spin, ..finding() };
        collection.add(&origin(1, 2), vec![waits]);
        assert_eq!((collection.all().count(), collection.runs_with_findings()), (0, 0));
    }

    #[test]
    fn the_same_finding_counts_once_per_run() {
        let finding = || Finding::resolve(&parse(SAMPLE)[0], &mut Symbols::new());
        let mut collection = Collection::new();
        assert_eq!(collection.add(&origin(3, 30), vec![finding(), finding()]).len(), 1);
        assert!(collection.add(&origin(4, 40), vec![finding()]).is_empty());
        assert!(collection.add(&origin(5, 50), Vec::new()).is_empty());
        let all: Vec<_> = collection.all().map(|only| (only.runs, only.first.run, only.first.seed)).collect();
        assert_eq!((all, collection.runs_with_findings()), (vec![(2, 3, 30)], 2));
        assert_eq!(collection.held_back().count(), 0);
        assert!(collection.is_origin(3) && !collection.is_origin(4));
    }
}
