//! Where results go, and in which colours.

use crate::args::ColorChoice;
use crate::status::Status;
use std::io::{self, IsTerminal, Write};
use steadfast_diag::Style;

/// Standard output, with what is known about it.
pub(crate) struct Output {
    writer: io::BufWriter<io::Stdout>,
    style: Style,
    status: Status,
}

impl Output {
    /// Standard output with colours as wished, or as terminal and environment suggest.
    pub(crate) fn stdout(choice: ColorChoice) -> Self {
        let color = match choice {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => automatic_color(io::stdout().is_terminal(), |name| std::env::var(name).ok()),
        };
        let style = Style { color, ..Style::default() };
        Self { writer: io::BufWriter::new(io::stdout()), style, status: Status::Holds }
    }

    /// How it may look.
    pub(crate) fn style(&self) -> Style {
        self.style
    }

    /// Writes and flushes: a result should be seen before the next one is computed.
    pub(crate) fn write(&mut self, text: &str) -> io::Result<()> {
        self.writer.write_all(text.as_bytes())?;
        self.flush()
    }

    /// Hands everything to the reader.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }

    /// Remembers how a result ended, for the case that the rest cannot be written.
    pub(crate) fn note(&mut self, status: Status) {
        self.status = self.status.max(status);
    }

    /// The worst that was noted.
    pub(crate) fn status(&self) -> Status {
        self.status
    }
}

/// Says on standard error what is wrong with how the program was called.
#[allow(clippy::print_stderr, reason = "this is the one place that does")]
pub(crate) fn complain(message: &str) {
    eprintln!("error: {message}");
}

/// `NO_COLOR` (no-color.org) beats `CLICOLOR_FORCE` beats the terminal, as in other tools.
fn automatic_color(terminal: bool, variable: impl Fn(&str) -> Option<String>) -> bool {
    if variable("NO_COLOR").is_some_and(|value| !value.is_empty()) {
        return false;
    }
    if variable("CLICOLOR_FORCE").is_some_and(|value| !value.is_empty() && value != "0") {
        return true;
    }
    terminal && variable("CLICOLOR").as_deref() != Some("0") && variable("TERM").as_deref() != Some("dumb")
}

#[cfg(test)]
mod tests {
    use super::automatic_color;

    fn with(terminal: bool, name: &'static str, value: &'static str) -> bool {
        automatic_color(terminal, |asked| (asked == name).then(|| value.to_owned()))
    }

    #[test]
    fn the_environment_is_respected() {
        assert!(with(true, "", "") && !with(false, "", ""));
        assert!(!with(true, "NO_COLOR", "1") && with(true, "NO_COLOR", ""));
        assert!(with(false, "CLICOLOR_FORCE", "1") && !with(false, "CLICOLOR_FORCE", "0"));
        assert!(!with(true, "TERM", "dumb") && !with(true, "CLICOLOR", "0"));
        assert!(!automatic_color(true, |_| Some("1".to_owned())));
    }
}
