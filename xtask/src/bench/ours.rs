//! Runs the Steadfast binary as a user would.

use super::alternating::Candidate;
use super::processor_distance::ProcessorDistance;
use super::rows::Row;
use crate::stopwatch;
use anyhow::{Context, Result};
use serde_json::Value;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// How often a check is repeated. The fastest run counts, because other load on the machine can only slow a run down.
const REPETITIONS: usize = 30;
/// A run that takes longer than this many seconds is not repeated.
pub(super) const LONG: f64 = 5.0;
/// How much memory a check may use for its states.
const MEMORY: &str = "12GiB";

/// One run.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    /// The verdict's name in the JSON output.
    pub(crate) verdict: String,
    /// From the start of the process to its end.
    pub(crate) seconds: f64,
    /// The time on all processors together.
    pub(crate) processor_seconds: f64,
    /// States of the program alone.
    pub(crate) program_states: u64,
    /// States of the program together with a monitor.
    pub(crate) monitor_states: u64,
    /// Seconds for the program alone, as counted by the checker.
    pub(crate) program_seconds: f64,
    /// Seconds for the rest.
    pub(crate) monitor_seconds: f64,
    /// The peak memory of the process, or the checker's own count if the system does not tell it.
    pub(crate) peak_bytes: u64,
}

impl Run {
    /// Whether there is a verdict.
    pub(crate) fn is_conclusive(&self) -> bool {
        !matches!(self.verdict.as_str(), "inconclusive" | "error")
    }

    /// Takes the faster of two runs, for the whole and for each of its parts.
    pub(super) fn improve(&mut self, other: Self) {
        let program_seconds = self.program_seconds.min(other.program_seconds);
        let monitor_seconds = self.monitor_seconds.min(other.monitor_seconds);
        let processor_seconds = self.processor_seconds.min(other.processor_seconds);
        let faster = if other.seconds < self.seconds { other } else { self.clone() };
        *self = Self { processor_seconds, program_seconds, monitor_seconds, ..faster };
    }
}

/// Checks a program with one job and with two, alternately, so that other load on the machine affects both, and while the processors are close to each other.
pub(crate) fn measure(
    binary: &Path,
    path: &Path,
    row: &Row,
    limit: Duration,
    distance: &mut ProcessorDistance,
) -> Result<[Run; 2]> {
    let binary = &Candidate::new("ours", binary.to_owned());
    distance.wait_until_close();
    let mut best = [once(binary, path, row, 1, limit)?, once(binary, path, row, 2, limit)?];
    for _ in 1..REPETITIONS {
        if best.iter().any(|run| run.seconds > LONG) {
            break;
        }
        distance.wait_until_close();
        for (jobs, best) in (1..).zip(&mut best) {
            best.improve(once(binary, path, row, jobs, limit)?);
        }
    }
    Ok(best)
}

pub(super) fn once(candidate: &Candidate, path: &Path, row: &Row, jobs: usize, limit: Duration) -> Result<Run> {
    let mut command = Command::new(&candidate.binary);
    command.envs(candidate.environment.iter().copied());
    // Neither Rocker nor the exported program recognises spin loops or gives advice.
    command.args(["check", "--quiet", "--format", "json", "--no-spin-detection", "--max-memory", MEMORY]);
    command.args(["--model", row.model.name(), "--notion", row.notion.name()]);
    command.args(["--jobs", &jobs.to_string(), "--time-limit", &limit.as_secs().to_string()]).arg(path);
    // The binary itself respects the limit; this second limit is for a binary that does not.
    let ended = stopwatch::run(&mut command, limit * 2 + Duration::from_secs(60))?;
    let record = record(&ended.output).with_context(|| format!("{}: {}", path.display(), ended.output))?;
    let number = |field: &str| record[field].as_f64().unwrap_or_default();
    let count = |field: &str| record[field].as_u64().unwrap_or_default();
    Ok(Run {
        verdict: record["verdict"].as_str().unwrap_or("error").to_owned(),
        seconds: ended.seconds,
        processor_seconds: ended.processor_seconds,
        program_states: count("program_states"),
        monitor_states: count("monitor_states"),
        program_seconds: number("program_seconds"),
        monitor_seconds: number("seconds") - number("program_seconds"),
        peak_bytes: ended.peak_bytes.unwrap_or_default().max(count("peak_bytes")),
    })
}

/// The only result in the output.
fn record(output: &str) -> Result<Value> {
    let start = output.find('[').context("there is no result")?;
    let results: Vec<Value> = serde_json::from_str(output[start..].trim())?;
    results.into_iter().next().context("there is no result")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_is_found_behind_other_output() {
        let record = record("warning: something\n[{\"verdict\": \"robust\"}]\n").unwrap();
        assert_eq!(record["verdict"], "robust");
        assert!(super::record("no such file").is_err());
    }
}
