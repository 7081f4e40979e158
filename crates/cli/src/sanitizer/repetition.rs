//! The command that repeats a run.

use crate::args::RunArgs;
use std::ffi::OsStr;
use std::fmt;
use steadfast_sanitize::run::Schedule;
use steadfast_sanitize::session::Origin;

/// A command for a shell.
pub(super) struct Repetition(Vec<String>);

impl Repetition {
    /// Repeats this run: from its log if that was kept, else from its seed. `None` if the operating system has chosen the schedule.
    pub(super) fn of(arguments: &RunArgs, origin: &Origin) -> Option<Self> {
        let mut words = vec!["steadfast".to_owned(), "run".to_owned()];
        let log = origin.log.as_ref().or(arguments.replay.as_ref());
        if let Some(log) = log {
            words.extend(["--replay".to_owned(), quoted(log.as_os_str())]);
        } else if arguments.schedule == Schedule::Os {
            return None;
        } else {
            words.extend(["--schedule", arguments.schedule.name(), "--seed"].map(str::to_owned));
            words.push(origin.seed.to_string());
            words.extend(origin.length.iter().flat_map(|length| ["--length".to_owned(), length.to_string()]));
        }
        words.extend(arguments.preload.then(|| "--preload".to_owned()));
        if let Some(limit) = arguments.time_limit {
            words.extend(["--time-limit".to_owned(), limit.as_secs_f64().to_string()]);
        }
        words.push("--".to_owned());
        words.extend(arguments.command.iter().map(|word| quoted(word)));
        Some(Self(words))
    }
}

impl fmt::Display for Repetition {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.0.join(" "))
    }
}

/// A word, quoted for a shell, without control characters for the terminal.
fn quoted(word: &OsStr) -> String {
    let word = word.to_string_lossy();
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_./=:,+@%".contains(letter);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.into_owned();
    }
    if word.chars().any(char::is_control) {
        let escaped = word.chars().map(|letter| match letter {
            '\'' | '\\' => format!("\\{letter}"),
            _ if letter.is_control() => format!("\\u{:04x}", u32::from(letter)),
            _ => letter.to_string(),
        });
        return format!("$'{}'", escaped.collect::<String>());
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_for_a_shell() {
        for (word, expected) in [
            ("./a.out", "./a.out"),
            ("", "''"),
            ("two words", "'two words'"),
            ("it's", "'it'\\''s'"),
            ("a\x1b[1m\n", "$'a\\u001b[1m\\u000a'"),
        ] {
            assert_eq!(quoted(OsStr::new(word)), expected);
        }
    }
}
