//! Tests the claims of `prove` on random programs and mutants: runs the tests of the crate with more programs.

use crate::process;
use anyhow::Result;
use std::process::Command;

/// Tests this many programs.
pub(super) fn run(count: u64, seed: u64) -> Result<()> {
    let mut command = Command::new(env!("CARGO"));
    command.args(["test", "--release", "--package", "steadfast-prove", "--test", "prove", "--"]);
    command.args(["claims_about_random_programs", "every_mutant", "--include-ignored", "--nocapture"]);
    command.env("STEADFAST_PROGRAMS", count.to_string()).env("STEADFAST_SEED", seed.to_string()).env("CI", "1");
    process::run(&mut command)
}
