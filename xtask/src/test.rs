//! Runs all tests of the workspace.

use crate::arguments::Arguments;
use crate::process::{cargo, run as run_process, succeeds};
use crate::tools;
use anyhow::Result;
use std::process::Command;

pub(crate) const USAGE: &str = "\
test
    Runs every test, documentation included. Installs what some of them need (spin, gcc, clang, z3, cvc5, PostgreSQL,
    Chromium, npm) first if it is missing and this is Debian. Uses cargo-nextest if it is there.";

/// Tests that need other programs skip themselves unless this variable is set: then a missing program is a failure.
const REQUIRE_TOOLS: &str = "STEADFAST_REQUIRE_TOOLS";

/// Runs the tests, and then the documentation tests even if tests failed. Returns the first failure.
pub(crate) fn run(arguments: Arguments) -> Result<()> {
    arguments.finish()?;
    let complete = tools::ensure()?;
    let tests = run_process(with_tools(&mut unit_and_integration(), complete));
    let documentation = run_process(with_tools(cargo().args(["test", "--workspace", "--doc"]), complete));
    tests.and(documentation)
}

fn unit_and_integration() -> Command {
    let mut command = cargo();
    if succeeds(cargo().args(["nextest", "--version"])) {
        command.args(["nextest", "run", "--workspace"]);
    } else {
        command.args(["test", "--workspace", "--lib", "--bins", "--tests"]);
    }
    // The run is long, so it should show every failure, not only the first one.
    command.arg("--no-fail-fast");
    command
}

fn with_tools(command: &mut Command, complete: bool) -> &mut Command {
    if complete { command.env(REQUIRE_TOOLS, "1") } else { command }
}
