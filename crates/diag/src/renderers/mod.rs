//! The renderers, one file per format.

pub(crate) mod concise;
pub(crate) mod full;
pub(crate) mod github;
pub(crate) mod json;
pub(crate) mod jsonl;
pub(crate) mod markdown;
mod place;
pub(crate) mod record;
#[cfg(test)]
pub(crate) mod sample;
pub(crate) mod sarif;

use crate::{Diagnostic, Severity};
use place::Place;
use steadfast_span::SourceFile;

/// A diagnostic and its file.
pub(crate) type Item<'a> = (&'a SourceFile, &'a Diagnostic);

/// The word for a severity.
fn severity_name(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    }
}

/// The main place of a diagnostic, if it has one.
fn main_place((file, diagnostic): Item<'_>) -> Option<Place> {
    diagnostic.span().map(|span| Place::of(file, span))
}

/// The message, followed by notes and help lines, for formats without fields for these.
fn whole_message(diagnostic: &Diagnostic) -> String {
    let notes = diagnostic.notes.iter().map(|note| format!("\nnote: {note}"));
    let helps = diagnostic.helps.iter().map(|help| format!("\nhelp: {help}"));
    std::iter::once(diagnostic.message.clone()).chain(notes).chain(helps).collect()
}
