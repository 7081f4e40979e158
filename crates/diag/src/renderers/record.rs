//! The fields of a diagnostic for other programs.
//!
//! Fields are only ever added. Lines and columns count from 1, columns in characters; offsets count bytes from 0; the end of a
//! place is the position after it.

use super::{Item, main_place, place::Place, severity_name};
use serde::Serialize;
use steadfast_span::SourceFile;

/// A diagnostic with its places resolved. It serialises to the object of `json` and `jsonl`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Record<'a> {
    /// The name of the file.
    pub file: &'a str,
    /// The stable code.
    pub code: &'static str,
    /// `error`, `warning` or `note`.
    pub severity: &'static str,
    /// One sentence.
    pub message: &'a str,
    /// The line of the main place; absent if the diagnostic is about the whole file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The column of the main place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
    /// All places.
    pub labels: Vec<LabelRecord<'a>>,
    /// More facts.
    pub notes: &'a [String],
    /// What to do.
    pub helps: &'a [String],
}

/// A labelled place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LabelRecord<'a> {
    /// Whether the diagnostic is about this place. Other places are context.
    pub primary: bool,
    /// The remark.
    pub text: &'a str,
    /// The first line.
    pub line: u32,
    /// The column in the first line.
    pub column: u32,
    /// The line of the position after the last character.
    pub end_line: u32,
    /// The column of the position after the last character.
    pub end_column: u32,
    /// The first byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl<'a> Record<'a> {
    /// Resolves the places of a diagnostic in its file.
    pub fn new(file: &'a SourceFile, diagnostic: &'a crate::Diagnostic) -> Self {
        let item: Item<'a> = (file, diagnostic);
        let start = main_place(item).map(|place| place.start);
        Self {
            file: file.name(),
            code: diagnostic.code.0,
            severity: severity_name(diagnostic.severity),
            message: &diagnostic.message,
            line: start.map(|at| at.line),
            column: start.map(|at| at.column),
            labels: diagnostic.labels.iter().map(|label| LabelRecord::new(file, label)).collect(),
            notes: &diagnostic.notes,
            helps: &diagnostic.helps,
        }
    }
}

impl<'a> LabelRecord<'a> {
    fn new(file: &SourceFile, label: &'a crate::Label) -> Self {
        let Place { bytes, start, end } = Place::of(file, label.span);
        Self {
            primary: label.primary,
            text: &label.text,
            line: start.line,
            column: start.column,
            end_line: end.line,
            end_column: end.column,
            start: bytes.start,
            end: bytes.end,
        }
    }
}
