//! Workflow commands of GitHub Actions, which appear as annotations beside the changed lines.

use super::{Item, main_place, whole_message};
use crate::Severity;
use std::fmt::Write;

/// `::error file=…,line=…,col=…,title=…::message`, one line per diagnostic. Notes and help follow the message.
pub(crate) fn github(items: &[Item<'_>]) -> String {
    let mut text = String::new();
    for &(file, diagnostic) in items {
        let _ = write!(text, "::{} file={}", command(diagnostic.severity), property(file.name()));
        if let Some(place) = main_place((file, diagnostic)) {
            let _ = write!(text, ",line={},col={}", place.start.line, place.start.column);
        }
        let _ = writeln!(text, ",title={}::{}", property(diagnostic.code.0), data(&whole_message(diagnostic)));
    }
    text
}

fn command(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "notice",
    }
}

/// Escapes the part after the second `::`.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes the value of a property, in which commas and colons have a meaning, too.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::renderers::sample;

    #[test]
    fn a_command_each() {
        let file = sample::file();
        let text = github(&[(&file, &sample::stale_read()), (&file, &sample::without_place())]);
        insta::assert_snapshot!(text, @r#"
        ::error file=litmus/sb.sf,line=6,col=13,title=V0001::not robust: this load can read an overwritten value%0Anote: model: ra, notion: graph%0Ahelp: make both accesses `seq_cst`
        ::warning file=litmus/sb.sf,title=W0001::no thread%0Aat all
        "#);
    }

    #[test]
    fn separators_are_escaped() {
        assert_eq!(property("a:b,c%"), "a%3Ab%2Cc%25");
        assert_eq!(data("a:b,c%\r\n"), "a:b,c%25%0D%0A");
    }
}
