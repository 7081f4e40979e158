//! A summary for a pull request: a table of all results, and what is wrong below it.

use super::Item;
use crate::numbers::grouped;
use crate::status::Status;
use std::fmt::Write;
use steadfast_diag::{Format, Severity, Style, render};

/// A row of the table.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    /// How it ended.
    pub(crate) status: Status,
    /// The file.
    pub(crate) program: String,
    /// The model.
    pub(crate) model: &'static str,
    /// The verdict, with the reason if there is none.
    pub(crate) verdict: String,
    /// How many states were visited.
    pub(crate) states: Option<u64>,
    /// How long it took.
    pub(crate) seconds: Option<f64>,
}

/// All results.
pub(super) fn summary(rows: &[Row], items: &[Item<'_>]) -> String {
    if rows.is_empty() {
        return render(Format::Markdown, items, Style::default());
    }
    let mut text = String::from(
        "### Steadfast\n\n| | program | model | verdict | states | time |\n| --- | --- | --- | --- | ---: | ---: |\n",
    );
    for row in rows {
        let sign = match row.status {
            Status::Holds => "✅",
            Status::Inconclusive | Status::Interrupted => "❔",
            Status::Violation | Status::Input | Status::Internal => "❌",
        };
        let states = row.states.map(grouped).unwrap_or_default();
        let time = row.seconds.map(|seconds| format!("{seconds:.2} s")).unwrap_or_default();
        let (program, model, verdict) = (harmless(&row.program), row.model, &row.verdict);
        let _ = writeln!(text, "| {sign} | {program} | {model} | {verdict} | {states} | {time} |");
    }
    let wrong: Vec<_> = items.iter().copied().filter(|(_, found)| found.severity != Severity::Note).collect();
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
