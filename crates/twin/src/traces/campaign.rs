//! Many traces.

use super::compare::{Counts, Disagreement, compare};
use super::sample::{TraceLength, sample_trace};
use super::step::Trace;
use crate::workers::counted;
use steadfast_clocks::Supported;

/// Many traces for one model.
#[derive(Clone, Copy, Debug)]
pub struct TraceCampaign {
    /// The model.
    pub model: Supported,
    /// The seed of the first trace; the others follow.
    pub seed: u64,
    /// How many traces are compared with execution graphs.
    pub traces: u64,
    /// How many workers there are.
    pub jobs: usize,
}

/// What came of it.
#[derive(Clone, Debug, Default)]
pub struct TraceTally {
    /// How many traces there were.
    pub traces: u64,
    /// How many of them have a violation.
    pub not_robust: u64,
    /// What was seen in them.
    pub counts: Counts,
    /// Those about which somebody is wrong, by seed.
    pub findings: Vec<TraceFinding>,
}

/// A disagreement.
#[derive(Clone, Debug)]
pub struct TraceFinding {
    /// The seed of the trace.
    pub seed: u64,
    /// What is wrong with the small trace.
    pub fault: Disagreement,
    /// The trace, made small.
    pub trace: Trace,
}

impl std::fmt::Display for TraceFinding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "seed {}: {}\n{}", self.seed, self.fault, self.trace)
    }
}

impl TraceCampaign {
    /// Compares, and counts.
    pub fn run(&self) -> TraceTally {
        let count = |tally: &mut TraceTally, number| {
            let more = number < self.traces;
            if more {
                tally.count(self.seed.wrapping_add(number), self.model);
            }
            more
        };
        let mut tally = counted(self.jobs, count, TraceTally::plus);
        tally.findings.sort_by_key(|finding| finding.seed);
        tally
    }
}

impl TraceTally {
    /// A short trace with graphs, and a long one without.
    fn count(&mut self, seed: u64, model: Supported) {
        self.traces += 1;
        for (length, graphs) in [(TraceLength::Short, true), (TraceLength::Long, false)] {
            let trace = sample_trace(seed, length);
            match compare(&trace, model, graphs) {
                Ok(counts) => {
                    self.not_robust += u64::from(graphs && counts.violations > 0);
                    self.counts.add(&counts);
                }
                Err(fault) => self.findings.push(TraceFinding::small(seed, &trace, model, graphs, fault)),
            }
        }
    }

    fn plus(mut self, other: Self) -> Self {
        self.traces += other.traces;
        self.not_robust += other.not_robust;
        self.counts.add(&other.counts);
        self.findings.extend(other.findings);
        self
    }
}

impl Counts {
    fn add(&mut self, other: &Self) {
        self.accesses += other.accesses;
        self.violations += other.violations;
        self.races += other.races;
        self.missed_by_small_logs += other.missed_by_small_logs;
    }
}

impl TraceFinding {
    /// The finding with as few steps as show the same fault.
    fn small(seed: u64, trace: &Trace, model: Supported, graphs: bool, fault: Disagreement) -> Self {
        let same = |candidate: &Trace| compare(candidate, model, graphs).err().filter(|other| other.what == fault.what);
        let trace = trace.shrink(|candidate| same(candidate).is_some());
        let fault = same(&trace).unwrap_or(fault);
        Self { seed, fault, trace }
    }
}
