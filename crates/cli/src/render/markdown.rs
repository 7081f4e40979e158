//! A summary for a pull request: a table of all results, and what is wrong below it.

use super::items;
use crate::numbers::grouped;
use crate::result::CheckResult;
use crate::status::Status;
use std::fmt::Write;
use steadfast_diag::{Format, Severity, Style, render};
use steadfast_robust::Model;

/// All results.
pub(super) fn summary(results: &[CheckResult]) -> String {
    let mut text = String::from(
        "### Steadfast\n\n| | program | model | verdict | states | time |\n| --- | --- | --- | --- | ---: | ---: |\n",
    );
    for result in results {
        let sign = match result.status() {
            Status::Holds => "✅",
            Status::Inconclusive | Status::Interrupted => "❔",
            Status::Violation | Status::Input | Status::Internal => "❌",
        };
        let statistics = result.outcome().map(|outcome| outcome.statistics).unwrap_or_default();
        let reason = result.reason().map_or_else(String::new, |reason| format!(": {reason}"));
        let _ = writeln!(
            text,
            "| {sign} | {} | {} | {}{reason} | {} | {:.2} s |",
            harmless(result.file.name()),
            result.model().map_or("", Model::name),
            result.verdict_name(),
            grouped(statistics.program_states + statistics.monitor_states),
            statistics.seconds
        );
    }
    let wrong: Vec<_> = results.iter().flat_map(items).filter(|(_, found)| found.severity != Severity::Note).collect();
    if !wrong.is_empty() {
        let _ = write!(text, "\n{}", render(Format::Markdown, &wrong, Style::default()));
    }
    text
}

/// A name without what Markdown would take for something else.
fn harmless(name: &str) -> String {
    let plain = |character: char| character.is_alphanumeric() || " ./-+,:".contains(character);
    name.chars()
        .map(|character| if plain(character) { character.to_string() } else { format!("&#{};", character as u32) })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::harmless;

    #[test]
    fn names_are_not_markup() {
        assert_eq!(harmless("a/b.sf"), "a/b.sf");
        assert_eq!(harmless("<b>|@"), "&#60;b&#62;&#124;&#64;");
    }
}
