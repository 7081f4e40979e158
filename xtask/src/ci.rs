//! What continuous integration runs.

use crate::arguments::Arguments;
use crate::process;
use anyhow::Result;
use std::process::Command;

pub(crate) const USAGE: &str = "\
ci
    Runs .ci/run: formatting, lints, documentation and all tests, as continuous integration does.";

/// Runs the same script as continuous integration, so that one script defines what must pass.
pub(crate) fn run(arguments: Arguments) -> Result<()> {
    arguments.finish()?;
    let root = process::root();
    process::run(Command::new(root.join(".ci/run")).current_dir(&root))
}
