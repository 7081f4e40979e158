//! Results as text, in every format.

mod markdown;
mod record;
mod text;

use crate::codes;
use crate::result::CheckResult;
use record::ResultRecord;
use serde::Serialize;
use steadfast_diag::{Diagnostic, Format, Style, render, sarif};
use steadfast_span::SourceFile;
use text::Tally;
pub(crate) use text::words;

/// How much to say about a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Detail {
    /// Only what is wrong.
    Little,
    /// What was shown.
    Usual,
    /// All numbers.
    Much,
}

/// Turns results into text. Some formats can be written as results come, others only at the end.
pub(crate) struct Reporter {
    format: Format,
    style: Style,
    detail: Detail,
    tally: Tally,
    /// Whether something was written, and whether the last piece was longer than a line.
    written: bool,
    long: bool,
    /// Results that wait for the end.
    kept: Vec<CheckResult>,
}

impl Reporter {
    /// A reporter that has seen nothing yet.
    pub(crate) fn new(format: Format, style: Style, detail: Detail) -> Self {
        Self { format, style, detail, tally: Tally::default(), written: false, long: false, kept: Vec::new() }
    }

    /// Takes a result and returns what can be written at once.
    pub(crate) fn take(&mut self, result: CheckResult) -> String {
        self.tally.count(&result);
        match self.format {
            Format::Full | Format::Concise => self.text(&result),
            Format::Jsonl => line(&ResultRecord::of(&result)),
            Format::Github => render(Format::Github, &items(&result), self.style),
            Format::Json | Format::Sarif | Format::Markdown => {
                self.kept.push(result);
                String::new()
            }
        }
    }

    /// A result for people. What is longer than a line is set apart.
    fn text(&mut self, result: &CheckResult) -> String {
        let text = text::result(result, self.format, self.style, self.detail);
        let long = self.format == Format::Full && text.lines().count() > 1;
        let apart = self.written && (long || self.long);
        self.written |= !text.is_empty();
        self.long = long;
        if apart { format!("\n{text}") } else { text }
    }

    /// What remains to be written when there are no more results.
    pub(crate) fn finish(self) -> String {
        match self.format {
            Format::Full if self.detail != Detail::Little => self.tally.summary(),
            Format::Full | Format::Concise | Format::Jsonl | Format::Github => String::new(),
            Format::Json => array(&self.kept.iter().map(ResultRecord::of).collect::<Vec<_>>()),
            Format::Markdown => markdown::summary(&self.kept),
            Format::Sarif => {
                let all: Vec<_> = self.kept.iter().flat_map(items).collect();
                sarif(&all, &codes::registry())
            }
        }
    }
}

/// The diagnostics of a result, each with its file.
fn items(result: &CheckResult) -> Vec<(&SourceFile, &Diagnostic)> {
    result.diagnostics.iter().map(|diagnostic| (result.file.as_ref(), diagnostic)).collect()
}

fn line(record: &impl Serialize) -> String {
    serde_json::to_string(record).expect("strings, numbers and lists always serialise") + "\n"
}

fn array(records: &[impl Serialize]) -> String {
    serde_json::to_string_pretty(records).expect("strings, numbers and lists always serialise") + "\n"
}
