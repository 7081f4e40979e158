//! The programs in `corpus/` against their expected verdicts and state counts.

use crate::arguments::{Arguments, unexpected};
use anyhow::{Result, bail};

pub(crate) const USAGE: &str = "\
corpus [--bless]
    Checks every program in corpus/ and compares verdicts and numbers of states with the recorded ones.
    --bless records the numbers of this run instead; a changed verdict is still an error.";

#[derive(Debug, Default, PartialEq, Eq)]
struct Options {
    bless: bool,
}

/// Runs the command.
pub(crate) fn run(arguments: Arguments) -> Result<()> {
    let options = parse(arguments)?;
    bail!("the corpus cannot be checked yet ({options:?})")
}

fn parse(mut arguments: Arguments) -> Result<Options> {
    let mut options = Options::default();
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--bless" => options.bless = true,
            _ => return Err(unexpected(&argument)),
        }
    }
    Ok(options)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::of;

    #[test]
    fn options() {
        assert_eq!(parse(of(&[])).unwrap(), Options { bless: false });
        assert_eq!(parse(of(&["--bless"])).unwrap(), Options { bless: true });
        assert!(parse(of(&["--curse"])).is_err());
    }
}
