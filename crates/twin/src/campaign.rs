//! Many programs about one question.

use crate::judgement::{Difference, Judgement, judge};
use crate::question::{Answer, Question};
use crate::sample::sample;
use crate::shrink::shrink;
use crate::variants::Depth;
use crate::workers::counted;
use std::time::Instant;
use steadfast_ir::Program;

/// When to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Budget {
    /// After that many programs.
    Programs(u64),
    /// At that time.
    Until(Instant),
}

/// A question to be asked about many programs.
#[derive(Clone, Copy, Debug)]
pub struct Campaign {
    /// The question.
    pub question: Question,
    /// The seed of the first program; the others follow.
    pub seed: u64,
    /// How much is compared.
    pub depth: Depth,
    /// When to stop.
    pub budget: Budget,
    /// How many workers there are.
    pub jobs: usize,
}

/// What came of it.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// How many programs there were.
    pub programs: u64,
    /// How many of them both sides call robust.
    pub robust: u64,
    /// How many of them both sides call not robust.
    pub not_robust: u64,
    /// How many of them both sides call racy.
    pub races: u64,
    /// How many of them fail already under SC.
    pub failed: u64,
    /// How many of them were too large for the oracle.
    pub skipped: u64,
    /// How many of them only the checker calls not robust, as it may.
    pub over_reports: u64,
    /// Those about which somebody is wrong, by seed. Only the first few are shrunk.
    pub findings: Vec<Finding>,
}

/// A disagreement.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The seed of the program.
    pub seed: u64,
    /// What is wrong with the small program.
    pub fault: Difference,
    /// The program, made small.
    pub program: Program,
}

/// Shrinking asks the oracle hundreds of times, so it is not done for everything that a broken checker gets wrong.
const SHRUNK: usize = 5;

impl Campaign {
    /// Asks and counts.
    pub fn run(&self) -> Tally {
        let count = |tally: &mut Tally, number| {
            let more = match self.budget {
                Budget::Programs(programs) => number < programs,
                Budget::Until(end) => Instant::now() < end,
            };
            if more {
                tally.count(self.seed.wrapping_add(number), self.question, self.depth);
            }
            more
        };
        let mut tally = counted(self.jobs, count, Tally::plus);
        tally.findings.sort_by_key(|finding| finding.seed);
        tally.findings.iter_mut().take(SHRUNK).for_each(|finding| finding.shrink(self.question, self.depth));
        tally
    }
}

impl Tally {
    fn count(&mut self, seed: u64, question: Question, depth: Depth) {
        let program = sample(seed, question.subject);
        self.programs += 1;
        match judge(&program, question, depth) {
            Judgement::Agree(Answer::Robust) => self.robust += 1,
            Judgement::Agree(Answer::NotRobust) => self.not_robust += 1,
            Judgement::Agree(Answer::Race) => self.races += 1,
            Judgement::Agree(Answer::Failed) => self.failed += 1,
            Judgement::Skipped => self.skipped += 1,
            Judgement::OverReport => self.over_reports += 1,
            Judgement::Disagree(fault) => self.findings.push(Finding { seed, fault, program }),
        }
    }

    fn plus(mut self, other: Self) -> Self {
        self.programs += other.programs;
        self.robust += other.robust;
        self.not_robust += other.not_robust;
        self.races += other.races;
        self.failed += other.failed;
        self.skipped += other.skipped;
        self.over_reports += other.over_reports;
        self.findings.extend(other.findings);
        self
    }
}

impl Finding {
    /// Makes the program smaller, as long as the same is wrong with it.
    fn shrink(&mut self, question: Question, depth: Depth) {
        let same = Judgement::Disagree(self.fault.clone());
        self.program = shrink(&self.program, &|candidate| judge(candidate, question, depth) == same);
    }
}

impl std::fmt::Display for Finding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "seed {}: {}\n{}", self.seed, self.fault, self.program)
    }
}
