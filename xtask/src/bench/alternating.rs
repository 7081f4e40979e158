//! Runs several binaries on the same rows, alternately, so that other load on the machine affects all of them.

use super::ours::{self, Run};
use super::processor_distance::ProcessorDistance;
use super::rows::Row;
use anyhow::{Result, ensure};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A binary to compare.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    /// Its name in tables.
    pub(crate) name: &'static str,
    pub(crate) binary: PathBuf,
    /// Its environment variables.
    pub(crate) environment: Vec<(&'static str, &'static str)>,
}

impl Candidate {
    pub(crate) fn new(name: &'static str, binary: PathBuf) -> Self {
        Self { name, binary, environment: Vec::new() }
    }
}

/// How a row is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Plan {
    /// How often each binary runs with each number of jobs. The fastest run counts.
    pub(crate) repetitions: usize,
    /// The time limit of a check.
    pub(crate) limit: Duration,
}

/// A row, with the runs of each candidate with one job and with two.
#[derive(Clone, Debug)]
pub(crate) struct Compared {
    pub(crate) row: Row,
    pub(crate) runs: Vec<[Run; 2]>,
}

impl Compared {
    /// The times of a candidate, with one job and with two. With one job, processor time counts, because it hardly depends on other load on the machine. With two, the time from start to end counts:
    /// only this shows whether both jobs have enough to do.
    pub(crate) fn seconds(&self, candidate: usize) -> [f64; 2] {
        let [one, two] = &self.runs[candidate];
        [one.processor_seconds, two.seconds]
    }

    /// The ratio of a candidate's time to the first candidate's, with one job and with two.
    pub(crate) fn ratios(&self, candidate: usize) -> [f64; 2] {
        let ([first_one, first_two], [one, two]) = (self.seconds(0), self.seconds(candidate));
        [one / first_one, two / first_two]
    }

    /// The peak of a candidate's memory, in bytes.
    #[allow(clippy::cast_precision_loss, reason = "a few digits are shown")]
    pub(crate) fn peak_bytes(&self, candidate: usize) -> f64 {
        let [one, two] = &self.runs[candidate];
        one.peak_bytes.max(two.peak_bytes) as f64
    }

    /// Whether a row is long enough for its time to mean something.
    pub(crate) fn is_long(&self) -> bool {
        const LONG_ENOUGH: f64 = 0.5;
        self.runs[0][0].seconds >= LONG_ENOUGH
    }
}

/// Measures a row. `None` if there is no verdict within the limit.
pub(crate) fn measure(
    candidates: &[Candidate],
    row: Row,
    path: &Path,
    plan: Plan,
    distance: &mut ProcessorDistance,
) -> Result<Option<Compared>> {
    distance.wait_until_close();
    let mut runs: Vec<[Run; 2]> = Vec::new();
    for candidate in candidates {
        let both = [1, 2].map(|jobs| ours::once(candidate, path, &row, jobs, plan.limit));
        let [one, two] = both;
        let (one, two) = (one?, two?);
        if !(one.is_conclusive() && two.is_conclusive()) {
            return Ok(None);
        }
        ensure!(runs.first().is_none_or(|first| first[0].verdict == one.verdict), "{}: another verdict", row.name());
        runs.push([one, two]);
    }
    let mut compared = Compared { row, runs };
    repeat(candidates, path, Plan { repetitions: plan.repetitions - 1, ..plan }, &mut compared, distance)?;
    Ok(Some(compared))
}

/// Repeats the runs of a row, unless they take very long.
pub(crate) fn repeat(
    candidates: &[Candidate],
    path: &Path,
    plan: Plan,
    compared: &mut Compared,
    distance: &mut ProcessorDistance,
) -> Result<()> {
    if compared.runs.iter().flatten().any(|run| run.seconds > ours::LONG) {
        return Ok(());
    }
    for _ in 0..plan.repetitions {
        distance.wait_until_close();
        for (candidate, best) in candidates.iter().zip(&mut compared.runs) {
            for (jobs, best) in (1..).zip(best) {
                best.improve(ours::once(candidate, path, &compared.row, jobs, plan.limit)?);
            }
        }
    }
    Ok(())
}
