//! How long the checks take.

use crate::arguments::Arguments;
use anyhow::{Result, bail};

pub(crate) const USAGE: &str = "\
bench
    Checks the larger programs in corpus/ and shows states, seconds and memory for each.";

/// Runs the command.
pub(crate) fn run(arguments: Arguments) -> Result<()> {
    arguments.finish()?;
    bail!("there is nothing to measure yet")
}
