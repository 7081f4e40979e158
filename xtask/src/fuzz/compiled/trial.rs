//! Runs a compiled program under random schedules and compares its reports with the expected ones.
//!
//! # When silence is a miss
//! Not every run of a program that is not robust shows the violation. [`chance`](super::chance) computes a lower bound for the probability that one run shows it; after [`enough`] runs a program stays silent with a probability of
//! one in [`DOUBT`], and counts as missed. If that takes more than [`MOST`] runs, or if the violation needs a spurious failure of a compare-exchange, a program that stays silent is listed as perhaps missed.
//! So is a program with a race whose locations share the same eight bytes: their shadow has four cells, and replaced cells are forgotten.
//!
//! One process makes most of the runs, which is ten times as fast as a process per run. There, threads reuse the slots of others that have ended, and then the engine may assume
//! too much order of `seq_cst` accesses (`crates/twin/src/traces/compare.rs`): it may miss a violation, but not invent one. So programs that stay silent there also get runs in separate processes.

use super::case::{Case, Expected};
use anyhow::{Context, Result};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use steadfast_ir::{Instr, Program};
use steadfast_sanitize::record::Kind;
use steadfast_sanitize::run::{Choices, End, Schedule, Scheduler, Settings, once};

/// How many runs every program makes, under each schedule.
const RUNS: u64 = 150;
/// The maximum number of runs in one process for a program that stays silent.
const MOST: u64 = 100_000;
/// How many separate processes it gets then.
const MOST_ALONE: u64 = 2_000;
/// A program that is not robust counts as missed if the probability of its silence is one in this number.
const DOUBT: f64 = 1e9;

/// The result of a trial.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum TrialOutcome {
    /// The reports are as expected.
    Agreed(Stage),
    /// Something else was reported.
    Alarm(BTreeSet<Kind>),
    /// Nothing was reported in enough runs.
    Missed,
    /// Nothing was reported, but more runs might report something.
    PerhapsMissed,
    /// The program did not end normally.
    Broken(String),
}

/// When it was reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// In the runs that every program makes, or never, as expected.
    Early,
    /// Later, in one process.
    Late,
    /// Only in separate processes.
    Alone,
}

impl TrialOutcome {
    /// Whether this is a disagreement.
    pub(super) fn is_failure(&self) -> bool {
        matches!(self, Self::Alarm(_) | Self::Missed | Self::Broken(_))
    }

    /// Whether shrinking takes reasonable time: not if each smaller program may hang.
    pub(super) fn can_be_shrunk(&self) -> bool {
        matches!(self, Self::Alarm(_) | Self::Missed)
    }

    /// A text for the user.
    pub(super) fn text(&self) -> String {
        match self {
            Self::Agreed(_) => "as expected".into(),
            Self::Alarm(kinds) => {
                let kinds: Vec<_> = kinds.iter().map(|kind| kind.name()).collect();
                format!("false alarm: {}", kinds.join(", "))
            }
            Self::Missed => "missed".into(),
            Self::PerhapsMissed => "perhaps missed".into(),
            Self::Broken(how) => format!("broken: {how}"),
        }
    }
}

/// The trial of the program with this number in a binary.
pub(super) struct Trial<'a> {
    pub(super) binary: &'a Path,
    pub(super) number: usize,
    pub(super) case: &'a Case,
    /// A folder for reports.
    pub(super) scratch: &'a Path,
}

impl Trial<'_> {
    /// Runs the program until it is clear whether its reports are as expected.
    pub(super) fn outcome(&self) -> Result<TrialOutcome> {
        let mut seen = BTreeSet::new();
        for scheduler in [Scheduler::Random, Scheduler::Pct] {
            match self.run(scheduler, RUNS, 0, false)? {
                Ok(kinds) => seen.extend(kinds),
                Err(how) => return Ok(TrialOutcome::Broken(how)),
            }
        }
        Ok(match judge(self.case.expected, &seen) {
            Some(outcome) => outcome,
            None => self.persist()?,
        })
    }

    /// Runs a program that should have reported something until it does, or until the limit.
    fn persist(&self) -> Result<TrialOutcome> {
        let (Expected::Violation(chance) | Expected::Race(chance)) = self.case.expected else {
            return Ok(TrialOutcome::Agreed(Stage::Early));
        };
        let wanted = enough(chance);
        let halts = matches!(self.case.expected, Expected::Violation(_));
        let mut made = 0;
        let mut size = 10 * RUNS;
        while made < wanted.min(MOST) {
            match self.run(Scheduler::Random, size, RUNS + made, halts)? {
                Err(how) => return Ok(TrialOutcome::Broken(how)),
                Ok(kinds) => match judge(self.case.expected, &kinds) {
                    Some(outcome) => return Ok(later(outcome, Stage::Late)),
                    None => made += size,
                },
            }
            size *= 2;
        }
        let (mut alone, exact) = (0, !has_seq_cst(&self.case.program));
        while alone < wanted.min(MOST_ALONE) {
            match self.run(Scheduler::Random, 1, MOST + alone, halts)? {
                Err(how) => return Ok(TrialOutcome::Broken(how)),
                Ok(kinds) => match judge(self.case.expected, &kinds) {
                    Some(outcome) => return Ok(later(outcome, Stage::Alone)),
                    None => alone += 1,
                },
            }
        }
        let is_crowded = self.case.dense && matches!(self.case.expected, Expected::Race(_));
        let certain = !is_crowded && (alone >= wanted || exact && made >= wanted);
        Ok(if certain { TrialOutcome::Missed } else { TrialOutcome::PerhapsMissed })
    }

    /// The reports of this many runs, or how they failed.
    fn run(&self, scheduler: Scheduler, runs: u64, offset: u64, halts: bool) -> Result<Result<BTreeSet<Kind>, String>> {
        static NEVER: AtomicBool = AtomicBool::new(false);
        let seed = self.case.seed.wrapping_mul(1_000_003).wrapping_add(offset);
        let mut options = vec![format!("model={}", self.case.model.name())];
        options.extend(halts.then(|| "halt_on_error=1".to_owned()));
        let settings = Settings {
            program: self.binary.into(),
            arguments: [self.number as u64, runs, seed].map(|number| number.to_string().into()).to_vec(),
            schedule: Schedule::By(scheduler),
            time_limit: Some(Duration::from_secs(30) + Duration::from_millis(2 * runs)),
            options,
            preload: None,
            output_is_ours: false,
            interrupt: &NEVER,
        };
        let outcome = once(&settings, &Choices::of_seed(seed), self.scratch).context("cannot run what was compiled")?;
        let kinds: BTreeSet<_> =
            outcome.records.iter().map(|record| record.kind).filter(|&kind| kind != Kind::Spin).collect();
        Ok(match outcome.end {
            End::Own(status) if status.code() == Some(66) && kinds.is_empty() => Err("66 without a report".into()),
            End::Own(status) if matches!(status.code(), Some(0 | 66)) && outcome.watched => Ok(kinds),
            End::Own(status) => Err(status.to_string()),
            End::TimedOut => Err("it takes too long".into()),
            End::Interrupted => Err("interrupted".into()),
        })
    }
}

/// Compares the reports with the expected result. `None`: an expected report is missing. It does not matter which access of a program that is not robust is reported, and a program with races may also report anything else.
pub(super) fn judge(expected: Expected, seen: &BTreeSet<Kind>) -> Option<TrialOutcome> {
    let is_violation = |kind: &Kind| matches!(kind, Kind::StaleRead | Kind::OvertakingWrite | Kind::StaleUpdate);
    let wrong: BTreeSet<Kind> = match expected {
        Expected::Silence => seen.clone(),
        // The checker answers `race` if any run under SC has one, so here there is none.
        Expected::Violation(_) => seen.iter().copied().filter(|kind| !is_violation(kind)).collect(),
        Expected::Race(_) => seen.iter().copied().filter(|&kind| kind == Kind::Deadlock).collect(),
    };
    let there = match expected {
        Expected::Silence => true,
        Expected::Violation(_) => seen.iter().any(is_violation),
        Expected::Race(_) => seen.contains(&Kind::Race),
    };
    if wrong.is_empty() {
        there.then_some(TrialOutcome::Agreed(Stage::Early))
    } else {
        Some(TrialOutcome::Alarm(wrong))
    }
}

/// How many runs make a miss certain enough.
#[allow(clippy::cast_sign_loss, reason = "the doubt is more than one, and the chance is positive")]
fn enough(chance: f64) -> u64 {
    if chance <= 0.0 { u64::MAX } else { (DOUBT.ln() / chance).ceil() as u64 }
}

fn later(outcome: TrialOutcome, stage: Stage) -> TrialOutcome {
    if matches!(outcome, TrialOutcome::Agreed(_)) { TrialOutcome::Agreed(stage) } else { outcome }
}

fn has_seq_cst(program: &Program) -> bool {
    let mut code = program.threads.iter().flat_map(|thread| &thread.code);
    code.any(|instruction| match &instruction.op {
        Instr::Load { order, .. } | Instr::Wait { order, .. } => order.is_seq_cst(),
        Instr::Store { order, .. } => order.is_seq_cst(),
        Instr::Rmw { order, .. } | Instr::BlockingCas { order, .. } => order.read().is_seq_cst(),
        Instr::Cas { success, failure, .. } => success.read().is_seq_cst() || failure.is_seq_cst(),
        _ => false,
    })
}
