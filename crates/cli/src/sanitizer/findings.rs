//! Findings as diagnostics about source files, for the formats that need them.

use crate::findings::violation;
use std::collections::BTreeMap;
use steadfast_diag::codes::verdict;
use steadfast_diag::{Code, Diagnostic};
use steadfast_sanitize::collection::{Collected, Collection};
use steadfast_sanitize::record::{Kind, Role};
use steadfast_sanitize::symbols::Frame;
use steadfast_sanitize::text;
use steadfast_span::{SourceFile, Span};

/// The diagnostic code of a kind of finding, the same as in the other commands.
pub(super) fn code(kind: Kind) -> Code {
    // Spin loops are removed before anything is shown.
    kind.violation().map_or(verdict::DEADLOCK, violation::code)
}

/// A diagnostic per finding, each with its file. A file that cannot be read counts as empty.
pub(super) fn diagnostics(collection: &Collection) -> Vec<(SourceFile, Diagnostic)> {
    let mut files = BTreeMap::new();
    collection.all().map(|collected| diagnostic(collected, &mut files)).collect()
}

/// A finding with its file.
pub(super) fn diagnostic(collected: &Collected, files: &mut BTreeMap<String, String>) -> (SourceFile, Diagnostic) {
    let finding = &collected.finding;
    let place = finding.place();
    let name = place.and_then(|frame| frame.file.clone()).unwrap_or_default();
    let source = files.entry(name.clone()).or_insert_with(|| std::fs::read_to_string(&name).unwrap_or_default());
    let file = SourceFile::new(name.clone(), source.clone());
    let mut diagnostic = Diagnostic::error(code(finding.kind), text::headline(finding));
    if let Some(frame) = place {
        diagnostic = diagnostic.at(span(&file, frame), "here");
    }
    let other = finding.seen(Role::Missed).or(finding.seen(Role::Previous)).and_then(|seen| seen.stack.first());
    if let Some(frame) = other {
        diagnostic = if frame.file.as_deref() == Some(name.as_str()) {
            diagnostic.context(span(&file, frame), "and here")
        } else {
            diagnostic.note(format!("the other access is at {}", text::place_of(frame)))
        };
    }
    let times = format!("reported in {} of the runs, first with seed {}", collected.runs, collected.first.seed);
    (file, diagnostic.note(times))
}

/// From the column to the end of the line.
fn span(file: &SourceFile, frame: &Frame) -> Span {
    let line = frame.line.unwrap_or(1).max(1) as usize;
    let before: usize = file.text().split_inclusive('\n').take(line - 1).map(str::len).sum();
    let text = file.text().get(before..).and_then(|rest| rest.lines().next()).unwrap_or("");
    let column = frame.column.map_or_else(|| text.len() - text.trim_start().len(), |column| column as usize - 1);
    let start = before + column.min(text.len());
    Span::new(start as u32, (before + text.trim_end().len()).max(start) as u32)
}
