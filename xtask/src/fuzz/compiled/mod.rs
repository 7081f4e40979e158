//! Compares compiled programs under the sanitizer with the exact verdict of the checker.
//!
//! `steadfast_robust` decides random programs; the same programs as C11 are compiled by `steadfast cc`, with gcc and clang, with and without optimisation, and run
//! under controlled schedules. A robust program must never be reported; a violation must be found ([`trial`] says after how many runs). This covers what `fuzz --clocks` does not: the compilers'
//! changes of the program, the interface to them, shadow memory, the scheduler, and locations and threads that come and go.

mod adapt;
mod case;
mod chance;
mod source;
#[cfg(test)]
mod tests;
mod thread;
mod trial;

use crate::{parallel, process};
use anyhow::{Context, Result, bail};
use case::{Build, Case, Expected, TOGETHER, build_of};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;
use steadfast_twin::shrink;
use trial::{Stage, Trial, TrialOutcome};

/// How many failures are shrunk. Each takes some minutes.
const SHRUNK: usize = 3;

/// The counts of the campaign.
#[derive(Clone, Debug, Default)]
struct Tally {
    programs: u64,
    skipped: u64,
    silent: u64,
    violations: u64,
    races: u64,
    late: u64,
    alone: u64,
    /// The failures, and the possible ones.
    findings: Vec<(Case, TrialOutcome)>,
}

/// The paths of the tools.
struct ToolPaths {
    steadfast: PathBuf,
    /// The folder for the sources of failures.
    kept: PathBuf,
}

/// Compares this many programs.
pub(super) fn run(count: u64, seed: u64, jobs: usize) -> Result<()> {
    let surroundings = ToolPaths { steadfast: build_ours()?, kept: process::root().join("target/fuzz/compiled") };
    let (started, mut total, mut problem) = (Instant::now(), Tally::default(), None);
    let batches = batches(seed, count);
    parallel::in_order(
        &batches,
        jobs.max(1),
        |batch| surroundings.compare(batch.clone()),
        |batch, result| match result {
            Ok(tally) => {
                tally.findings.iter().for_each(|(case, outcome)| println!("{}", headline(case, outcome)));
                total.add(tally);
            }
            Err(error) => problem = Some(error.context(format!("seeds {} to {}", batch.start, batch.end - 1))),
        },
    );
    if let Some(problem) = problem {
        return Err(problem);
    }
    println!("{HEAD}\n{}", total.row(started.elapsed().as_secs_f64()));
    let failures = surroundings.report(&total.findings)?;
    if failures > 0 {
        bail!("{failures} disagreements");
    }
    if total.is_too_silent() {
        bail!("more violations are perhaps missed than chance explains");
    }
    Ok(())
}

/// Builds the compiler wrapper and the runtime as users have them.
fn build_ours() -> Result<PathBuf> {
    process::run(process::cargo().args(["build", "--release", "--package", "steadfast"]))?;
    let here = std::env::current_exe().context("where is this program?")?;
    let target = here.parent().and_then(Path::parent).context("where is the folder of the target?")?;
    Ok(target.join("release/steadfast"))
}

/// The seeds, split where the build changes: the build of a program does not depend on the other programs.
fn batches(seed: u64, count: u64) -> Vec<Range<u64>> {
    let end = seed.saturating_add(count);
    let mut batches = Vec::new();
    let mut start = seed;
    while start < end {
        let next = (start / TOGETHER + 1).saturating_mul(TOGETHER).min(end);
        batches.push(start..next);
        start = next;
    }
    batches
}

/// The disagreement in one line.
fn headline(case: &Case, outcome: &TrialOutcome) -> String {
    let Build { compiler, level } = build_of(case.seed);
    format!(
        "seed {} ({} {level}, model {}, {:?} memory): {}; the checker says: {}",
        case.seed,
        compiler.name(),
        case.model.name(),
        case.memory,
        outcome.text(),
        case.expected.text(),
    )
}

const HEAD: &str =
    "programs  skipped   silent  not rob.    races  found late  found alone  perhaps missed  disagree  seconds";

impl Tally {
    fn add(&mut self, other: Self) {
        self.programs += other.programs;
        self.skipped += other.skipped;
        self.silent += other.silent;
        self.violations += other.violations;
        self.races += other.races;
        self.late += other.late;
        self.alone += other.alone;
        self.findings.extend(other.findings);
    }

    fn count(&mut self, case: Case, outcome: TrialOutcome) {
        match case.expected {
            Expected::Silence => self.silent += 1,
            Expected::Violation(_) => self.violations += 1,
            Expected::Race(_) => self.races += 1,
        }
        match outcome {
            TrialOutcome::Agreed(Stage::Early) => {}
            TrialOutcome::Agreed(Stage::Late) => self.late += 1,
            TrialOutcome::Agreed(Stage::Alone) => self.alone += 1,
            other => self.findings.push((case, other)),
        }
    }

    /// Whether too many programs with a violation stay silent: each of them may by chance, but not one in a hundred.
    fn is_too_silent(&self) -> bool {
        let could_be_seen = |case: &Case| !matches!(case.expected, Expected::Violation(0.0) | Expected::Race(0.0));
        let perhaps =
            |(case, outcome): &&(Case, TrialOutcome)| *outcome == TrialOutcome::PerhapsMissed && could_be_seen(case);
        let silent = self.findings.iter().filter(perhaps).count() as u64;
        silent > 2.max((self.violations + self.races) / 100)
    }

    fn row(&self, seconds: f64) -> String {
        let failures = self.findings.iter().filter(|(_, outcome)| outcome.is_failure()).count();
        format!(
            "{:>8} {:>8} {:>8} {:>9} {:>8} {:>11} {:>12} {:>15} {failures:>9} {seconds:>8.0}",
            self.programs,
            self.skipped,
            self.silent,
            self.violations,
            self.races,
            self.late,
            self.alone,
            self.findings.len() - failures,
        )
    }
}

impl ToolPaths {
    /// Compiles the programs of these seeds into one binary and tries them all.
    fn compare(&self, seeds: Range<u64>) -> Result<Tally> {
        let mut tally = Tally { programs: seeds.end - seeds.start, ..Tally::default() };
        let cases: Vec<Case> = seeds.clone().filter_map(Case::of).collect();
        tally.skipped = tally.programs - cases.len() as u64;
        let outcomes = self.outcomes(&cases, build_of(seeds.start))?;
        cases.into_iter().zip(outcomes).for_each(|(case, outcome)| tally.count(case, outcome));
        Ok(tally)
    }

    fn outcomes(&self, cases: &[Case], build: Build) -> Result<Vec<TrialOutcome>> {
        if cases.is_empty() {
            return Ok(Vec::new());
        }
        let scratch = tempfile::tempdir()?;
        let (text, binary) = (scratch.path().join("programs.c"), scratch.path().join("programs"));
        std::fs::write(&text, source::source(cases)?)?;
        let mut command = Command::new(&self.steadfast);
        command.env("STEADFAST_CC", build.compiler.name()).args(["cc", "-std=gnu11", "-w", build.level, "-pthread"]);
        let output = command.arg(&text).arg("-o").arg(&binary).output().context("cannot run `steadfast cc`")?;
        if !output.status.success() {
            bail!("{} cannot compile it: {}", build.compiler.name(), String::from_utf8_lossy(&output.stderr));
        }
        let trial = |(number, case)| Trial { binary: &binary, number, case, scratch: scratch.path() }.outcome();
        cases.iter().enumerate().map(trial).collect()
    }

    /// Prints the failures and keeps their sources. Returns how many are certain.
    fn report(&self, findings: &[(Case, TrialOutcome)]) -> Result<usize> {
        let mut failures = 0;
        for (case, outcome) in findings {
            println!("\n{}", headline(case, outcome));
            let shown = if outcome.can_be_shrunk() && failures < SHRUNK { &self.smaller(case, outcome) } else { case };
            failures += usize::from(outcome.is_failure());
            println!("{}source in {}", shown.program, self.keep(shown)?.display());
        }
        Ok(failures)
    }

    /// The case with the smallest program that still fails in the same way.
    fn smaller(&self, case: &Case, outcome: &TrialOutcome) -> Case {
        let same = |program: &steadfast_ir::Program| {
            let Some(smaller) = case.with(program) else { return false };
            let outcomes = self.outcomes(&[smaller], build_of(case.seed));
            outcomes.is_ok_and(|outcomes| outcomes.first() == Some(outcome))
        };
        let program = shrink(&case.program, &same);
        case.with(&program).unwrap_or_else(|| case.clone())
    }

    fn keep(&self, case: &Case) -> Result<PathBuf> {
        std::fs::create_dir_all(&self.kept)?;
        let file = self.kept.join(format!("{}.c", case.seed));
        std::fs::write(&file, source::source(std::slice::from_ref(case))?)?;
        Ok(file)
    }
}
