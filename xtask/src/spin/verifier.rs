//! Exports a question to the model checker SPIN. Its search is exhaustive, as Steadfast's is.

use crate::stopwatch::{self, Ended};
use anyhow::{Context, Result, ensure};
use std::path::Path;
use std::process::Command;
use std::time::Duration;
use steadfast_export::{PromelaOptions, promela};
use steadfast_ir::Program;
use steadfast_model::Notion;
use steadfast_robust::Supported;

/// `COLLAPSE` compresses states without loss; a search with bitstate hashing would not be exhaustive.
const COMPILER: [&str; 8] =
    ["-w", "-fwrapv", "-DSAFETY", "-DCOLLAPSE", "-DVECTORSZ=8192", "-DMEMLIM=12000", "-opan", "pan.c"];
const VERIFIER: [&str; 2] = ["-n", "-m5000000"];
/// The time limit for generating and compiling the verifier.
const COMPILE_LIMIT: Duration = Duration::from_secs(300);

/// How much time to spend on compiling the verifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effort {
    /// Little: best for programs with few states.
    Hasty,
    /// Several times as much, which pays off in long searches.
    Optimised,
}

impl Effort {
    fn flag(self) -> &'static str {
        match self {
            Self::Hasty => "-O0",
            Self::Optimised => "-O2",
        }
    }
}

/// SPIN's answer.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Spin {
    /// It decided.
    Decided {
        /// Seconds for generating and compiling the verifier, and for running it.
        seconds: f64,
        /// Whether some assertion fails.
        violated: bool,
        /// States that it stored.
        states: u64,
    },
    /// It had no verdict after this many seconds, compiling included.
    TooLong(f64),
    /// It gave up for this reason.
    GaveUp(&'static str),
}

/// Whether SPIN and a C compiler are installed.
pub(crate) fn is_available() -> bool {
    crate::process::succeeds(Command::new("spin").arg("-V"))
        && crate::process::succeeds(Command::new("gcc").arg("--version"))
}

/// The program with the monitor for a question. `None` if it cannot be exported.
pub(crate) fn export(program: &Program, model: Supported, notion: Notion) -> Option<String> {
    promela(program, &options(model, notion)?).ok()
}

/// Lets SPIN decide an exported program.
pub(crate) fn decide(exported: &str, effort: Effort, limit: Duration) -> Result<Spin> {
    let directory = tempfile::tempdir().context("cannot make a temporary directory")?;
    std::fs::write(directory.path().join("model.pml"), exported)?;
    let generated = step(directory.path(), "spin", &["-a", "model.pml"])?;
    let compiled = step(directory.path(), "gcc", &[&[effort.flag()], &COMPILER[..]].concat())?;
    let verifier = directory.path().join("pan");
    let verified = stopwatch::run(Command::new(verifier).args(VERIFIER).current_dir(directory.path()), limit)?;
    Ok(judge(generated.seconds + compiled.seconds, &verified))
}

fn options(model: Supported, notion: Notion) -> Option<PromelaOptions> {
    let model = steadfast_export::Supported::try_from(model.model()).ok()?;
    Some(PromelaOptions::new(model, notion))
}

fn step(directory: &Path, program: &str, arguments: &[&str]) -> Result<Ended> {
    let ended = stopwatch::run(Command::new(program).args(arguments).current_dir(directory), COMPILE_LIMIT)?;
    ensure!(ended.status.is_some_and(|status| status.success()), "{program} failed: {}", ended.output);
    Ok(ended)
}

fn judge(before: f64, verified: &Ended) -> Spin {
    let seconds = before + verified.seconds;
    let output = &verified.output;
    if verified.status.is_none() {
        return Spin::TooLong(seconds);
    }
    let violated = output.contains("assertion violated");
    let states = output.lines().find_map(|line| line.trim().strip_suffix(" states, stored")?.trim().parse().ok());
    match states {
        // A violation counts even if the search was incomplete; its absence counts only if the search was complete.
        Some(states) if violated => Spin::Decided { seconds, violated, states },
        _ if output.contains("max search depth too small") => Spin::GaveUp("depth limit"),
        _ if output.contains("reached -DMEMLIM bound") || output.contains("out of memory") => {
            Spin::GaveUp("memory limit")
        }
        Some(states) if output.contains("errors: 0") => Spin::Decided { seconds, violated, states },
        _ => Spin::GaveUp("no result"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::process::ExitStatusExt;
    use std::process::ExitStatus;

    fn judged(output: &str, status: Option<i32>) -> Spin {
        let status = status.map(ExitStatus::from_raw);
        judge(1.0, &Ended { seconds: 2.0, processor_seconds: 2.0, status, output: output.to_owned(), peak_bytes: None })
    }

    #[test]
    fn only_a_complete_search_decides() {
        let complete = "State-vector 32 byte, depth reached 9, errors: 0\n      12 states, stored\n";
        assert_eq!(judged(complete, Some(0)), Spin::Decided { seconds: 3.0, violated: false, states: 12 });
        let shallow = format!("error: max search depth too small\n{complete}");
        assert_eq!(judged(&shallow, Some(0)), Spin::GaveUp("depth limit"));
        assert_eq!(judged("", None), Spin::TooLong(3.0));
        assert_eq!(judged("", Some(1)), Spin::GaveUp("no result"));
    }

    #[test]
    fn a_violation_decides() {
        let text = "pan:1: assertion violated robust (at depth 4)\nerrors: 1\n  7 states, stored\n";
        assert_eq!(judged(text, Some(0)), Spin::Decided { seconds: 3.0, violated: true, states: 7 });
    }
}
