//! Tests the programs of `corpus/sanitizer`, with any number of controlled runs.

use crate::arguments::{Arguments, unexpected};
use crate::process::{cargo, run as run_process};
use crate::tools;
use anyhow::Result;

pub(crate) const USAGE: &str = "\
sanitizer [--runs N] [--long]
    Compiles the programs of corpus/sanitizer with gcc and clang, with and without optimisation, and compares what they
    report with what they expect. Silent programs must stay silent in N runs under each schedule, by default 200.
    With --long the program whose memory is watched makes 10^9 accesses.";

/// Runs the command.
pub(crate) fn run(mut arguments: Arguments) -> Result<()> {
    let mut runs: u32 = 200;
    let mut accesses: u64 = 2_000_000;
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--runs" => runs = arguments.value("--runs")?,
            "--long" => accesses = 1_000_000_000,
            _ => return Err(unexpected(&argument)),
        }
    }
    tools::ensure()?;
    let mut command = cargo();
    command.args(["test", "--release", "--package", "steadfast", "--test", "sanitizer"]);
    command.env("STEADFAST_SANITIZER_ACCESSES", accesses.to_string());
    run_process(command.env("STEADFAST_SANITIZER_RUNS", runs.to_string()))
}
