//! Asks the checker, and compares its answer with the expected one.

use super::source::Case;
use crate::parallel::in_order;
use std::panic::{AssertUnwindSafe, catch_unwind};
use steadfast_lang::ExpectedVerdict;
use steadfast_robust::{Limits, Options, Statistics, Verdict, check};

/// The answer of a checker that panics.
pub(crate) const BROKEN: &str = "(panic)";

/// The settings of the checker.
#[derive(Clone, Debug)]
pub(crate) struct Setting {
    /// Whether spin loops are treated as waits.
    pub(crate) spin: bool,
    /// Whether a violation of any kind meets the expectation "not robust", because its author had no other word.
    pub(crate) lenient: bool,
    /// The limits of each check.
    pub(crate) limits: Limits,
    /// How many threads work on each check.
    pub(crate) jobs: usize,
}

/// The answer of the checker.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    /// The verdict in a word or two.
    pub(crate) got: &'static str,
    /// How it compares with the expectation.
    pub(crate) standing: ExpectationResult,
    /// The statistics of the check.
    pub(crate) statistics: Statistics,
}

/// How an answer compares with the expectation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ExpectationResult {
    /// As expected.
    Met,
    /// Not as expected.
    Differs,
    /// There is a verdict, but nothing was expected.
    Unasked,
    /// There is no verdict, for this reason.
    Inconclusive(String),
    /// The checker failed.
    Broken,
}

impl Case {
    /// Asks the checker.
    pub(crate) fn ask(&self, setting: &Setting) -> Answer {
        let mut options = Options::new(self.model, self.notion);
        options.spin = setting.spin;
        options.limits = setting.limits.clone();
        options.jobs = setting.jobs;
        // A panic on one program must not lose the results of the others.
        let Ok(outcome) = catch_unwind(AssertUnwindSafe(|| check(&self.program, &options))) else {
            return Answer { got: BROKEN, standing: ExpectationResult::Broken, statistics: Statistics::default() };
        };
        let standing = match (&outcome.verdict, self.expected) {
            (Verdict::Inconclusive(bound), _) => ExpectationResult::Inconclusive(bound.to_string()),
            (Verdict::Unsupported(size), _) => ExpectationResult::Inconclusive(size.clone()),
            (_, None) => ExpectationResult::Unasked,
            (verdict, Some(expected)) if meets(expected, verdict, setting.lenient) => ExpectationResult::Met,
            _ => ExpectationResult::Differs,
        };
        Answer { got: verdict_name(&outcome.verdict), standing, statistics: outcome.statistics }
    }
}

fn meets(expected: ExpectedVerdict, verdict: &Verdict, lenient: bool) -> bool {
    match verdict {
        Verdict::Robust => expected == ExpectedVerdict::Robust,
        Verdict::NotRobust(_) => expected == ExpectedVerdict::NotRobust,
        Verdict::Race(_) => expected == ExpectedVerdict::Race || lenient && expected == ExpectedVerdict::NotRobust,
        Verdict::Failed(_) => {
            expected == ExpectedVerdict::AssertionFailed || lenient && expected == ExpectedVerdict::NotRobust
        }
        Verdict::Inconclusive(_) | Verdict::Unsupported(_) => false,
    }
}

fn verdict_name(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Robust => "robust",
        Verdict::NotRobust(_) => "not robust",
        Verdict::Race(_) => "race",
        Verdict::Failed(_) => "assertion",
        Verdict::Inconclusive(_) | Verdict::Unsupported(_) => "inconclusive",
    }
}

/// What a file expects, in the same words as the verdicts.
pub(crate) fn expected_name(expected: Option<ExpectedVerdict>) -> &'static str {
    match expected {
        None => "-",
        Some(ExpectedVerdict::Robust) => "robust",
        Some(ExpectedVerdict::NotRobust) => "not robust",
        Some(ExpectedVerdict::Race) => "race",
        Some(ExpectedVerdict::AssertionFailed) => "assertion",
    }
}

/// Asks all questions, several at a time, and passes the answers on in the order of the questions, as soon as possible.
pub(crate) fn ask_all(cases: &[Case], setting: &Setting, workers: usize, done: impl FnMut(&Case, Answer)) {
    in_order(cases, workers, |case| case.ask(setting), done);
}
