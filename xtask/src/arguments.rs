//! Parses the arguments of the commands.

use anyhow::{Context, Result, anyhow};
use std::str::FromStr;

/// The arguments that are not taken yet.
#[derive(Debug)]
pub(crate) struct Arguments(std::collections::VecDeque<String>);

impl Arguments {
    /// The arguments of this process.
    pub(crate) fn from_environment() -> Self {
        Self(std::env::args().skip(1).collect())
    }

    /// Takes the next argument.
    pub(crate) fn next(&mut self) -> Option<String> {
        self.0.pop_front()
    }

    /// Takes the next argument if it is this word.
    pub(crate) fn take_if(&mut self, word: &str) -> bool {
        let is_next = self.0.front().is_some_and(|argument| argument == word);
        if is_next {
            self.0.pop_front();
        }
        is_next
    }

    /// Whether the user asks for help instead of the command.
    pub(crate) fn wants_help(&self) -> bool {
        self.0.iter().any(|argument| argument == "--help" || argument == "-h")
    }

    /// Takes the value of an option.
    pub(crate) fn value<T: FromStr>(&mut self, option: &str) -> Result<T>
    where
        T::Err: std::error::Error + Send + Sync + 'static,
    {
        let text = self.next().with_context(|| format!("`{option}` needs a value"))?;
        text.parse().with_context(|| format!("`{text}` is not a value for `{option}`"))
    }

    /// Fails if an argument is left.
    pub(crate) fn finish(mut self) -> Result<()> {
        match self.next() {
            Some(argument) => Err(unexpected(&argument)),
            None => Ok(()),
        }
    }
}

/// The error for an unknown argument.
pub(crate) fn unexpected(argument: &str) -> anyhow::Error {
    anyhow!("unexpected argument `{argument}`")
}

#[cfg(test)]
pub(crate) fn of(arguments: &[&str]) -> Arguments {
    Arguments(arguments.iter().map(ToString::to_string).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_parsed_and_leftovers_refused() {
        let mut arguments = of(&["--seed", "7", "more"]);
        assert_eq!(arguments.next().as_deref(), Some("--seed"));
        assert_eq!(arguments.value::<u64>("--seed").unwrap(), 7);
        assert_eq!(arguments.finish().unwrap_err().to_string(), "unexpected argument `more`");
    }

    #[test]
    fn a_bad_value_names_its_option() {
        assert_eq!(of(&[]).value::<u64>("--seed").unwrap_err().to_string(), "`--seed` needs a value");
        assert_eq!(of(&["x"]).value::<u64>("--seed").unwrap_err().to_string(), "`x` is not a value for `--seed`");
    }
}
