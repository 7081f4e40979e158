//! Random programs: the fast monitors against the slow oracle.

use crate::arguments::{Arguments, unexpected};
use anyhow::{Result, bail};
use std::time::Duration;

pub(crate) const USAGE: &str = "\
fuzz [--minutes N | --programs N] [--seed S]
    Compares the checker with the oracle on random programs, for N minutes or for N programs (by default
    for 1 minute). The seed is shown, and repeats a run.";

/// When to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Budget {
    Time(Duration),
    Programs(u64),
}

#[derive(Debug, PartialEq, Eq)]
struct Options {
    budget: Budget,
    /// Nothing means a new one every time.
    seed: Option<u64>,
}

/// Runs the command.
pub(crate) fn run(arguments: Arguments) -> Result<()> {
    let options = parse(arguments)?;
    bail!("there is nothing to compare yet ({options:?})")
}

fn parse(mut arguments: Arguments) -> Result<Options> {
    let (mut budget, mut seed) = (None, None);
    while let Some(argument) = arguments.next() {
        let wanted = match argument.as_str() {
            "--minutes" => Budget::Time(minutes(arguments.value("--minutes")?)),
            "--programs" => Budget::Programs(arguments.value("--programs")?),
            "--seed" => {
                seed = Some(arguments.value("--seed")?);
                continue;
            }
            _ => return Err(unexpected(&argument)),
        };
        if budget.replace(wanted).is_some() {
            bail!("give either minutes or programs, and only once");
        }
    }
    Ok(Options { budget: budget.unwrap_or(Budget::Time(minutes(1))), seed })
}

fn minutes(number: u32) -> Duration {
    Duration::from_secs(60 * u64::from(number))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::of;

    #[test]
    fn a_minute_unless_told_otherwise() {
        assert_eq!(parse(of(&[])).unwrap(), Options { budget: Budget::Time(minutes(1)), seed: None });
        let options = parse(of(&["--programs", "100", "--seed", "7"])).unwrap();
        assert_eq!(options, Options { budget: Budget::Programs(100), seed: Some(7) });
    }

    #[test]
    fn one_budget_only() {
        assert!(parse(of(&["--programs", "1", "--minutes", "1"])).is_err());
    }
}
