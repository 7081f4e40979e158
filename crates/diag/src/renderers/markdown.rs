//! For pull requests: a table in Markdown, with folded details below it.

use super::{Item, full, main_place, severity_name};
use crate::Style;
use std::fmt::Write;

/// A table with a line per diagnostic, and below it the full format.
pub(crate) fn markdown(diagnostics: &[Item<'_>]) -> String {
    if diagnostics.is_empty() {
        return String::new();
    }
    let mut text = String::from("| | where | what |\n| --- | --- | --- |\n");
    for &(file, diagnostic) in diagnostics {
        let line = main_place((file, diagnostic)).map_or_else(String::new, |place| format!(":{}", place.start.line));
        let _ = writeln!(
            text,
            "| {} {} | {}{line} | {} |",
            severity_name(diagnostic.severity),
            diagnostic.code.0,
            cell(file.name()),
            cell(&diagnostic.message)
        );
    }
    let details = full::full(diagnostics, Style::default());
    let _ = write!(
        text,
        "\n<details><summary>Details</summary>\n\n{0}text\n{1}{0}\n\n</details>\n",
        fence(&details),
        details
    );
    text
}

/// Text for a cell of a table: without markup, line breaks and bars.
fn cell(text: &str) -> String {
    let mut escaped = String::new();
    for character in text.chars() {
        match character {
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '#' | '~' => escaped.extend(['\\', character]),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            // Otherwise GitHub would notify users with that name.
            '@' => escaped.push_str("&#64;"),
            other if other.is_control() || other.is_whitespace() => escaped.push(' '),
            other => escaped.push(other),
        }
    }
    escaped
}

/// A fence that does not occur in the text.
fn fence(text: &str) -> String {
    let longest = text.split(|character| character != '`').map(str::len).max().unwrap_or(0);
    "`".repeat(longest.max(2) + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::renderers::sample;

    #[test]
    fn a_table_with_details() {
        let (file, diagnostic) = (sample::file(), sample::stale_read());
        let text = markdown(&[(&file, &diagnostic)]);
        assert!(text.starts_with("| | where | what |\n| --- | --- | --- |\n| error V0001 | "), "{text}");
        assert!(text.contains("<details>") && text.ends_with("</details>\n"), "{text}");
    }

    #[test]
    fn names_are_not_markup() {
        assert_eq!(cell("a|b <img> `x` @me\n*"), "a\\|b &lt;img&gt; \\`x\\` &#64;me \\*");
        assert_eq!(fence("a ```` b"), "`````");
    }
}
