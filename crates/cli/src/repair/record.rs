//! Answers for other programs. `docs/schema/fix.json` describes the object; fields are only ever added.

use super::{Answer, Direction, report::RepairReport, words};
use crate::reporter::Report;
use serde::Serialize;
use steadfast_diag::Record;
use steadfast_repair::Change;
use steadfast_span::SourceFile;

/// An answer.
#[derive(Debug, Serialize)]
pub(super) struct ReportRecord<'a> {
    command: &'static str,
    file: &'a str,
    model: &'static str,
    notion: &'static str,
    target: &'static str,
    allowed: Vec<&'static str>,
    result: &'static str,
    reason: Option<String>,
    /// What the changes cost, or save.
    cost: Option<u32>,
    changes: Vec<ChangeRecord>,
    patch: Option<String>,
    written: bool,
    checks: Option<u64>,
    sites: Option<usize>,
    diagnostics: Vec<Record<'a>>,
}

#[derive(Debug, Serialize)]
struct ChangeRecord {
    line: u32,
    column: u32,
    text: String,
    from: String,
    to: String,
    cost: u32,
    edits: Vec<EditRecord>,
}

#[derive(Debug, Serialize)]
struct EditRecord {
    /// Bytes of the old text.
    start: u32,
    end: u32,
    text: String,
}

impl<'a> ReportRecord<'a> {
    /// The fields of an answer.
    pub(super) fn of(report: &'a RepairReport<'_>) -> Self {
        let (changes, cost, checks, sites) = match &report.answer {
            Answer::Changed { changes, cost, checks, sites, .. } => {
                (changes.as_slice(), Some(*cost), Some(*checks), Some(*sites))
            }
            Answer::Impossible { sites, .. } => (&[] as &[Change], None, None, Some(*sites)),
            _ => (&[] as &[Change], None, None, None),
        };
        Self {
            command: if report.direction == Direction::Fix { "fix" } else { "relax" },
            file: report.input.file.name(),
            model: report.arguments.model.name(),
            notion: report.arguments.notion.name(),
            target: report.target.name(),
            allowed: report.allowed.names(),
            result: report.name(),
            reason: report.reason(),
            cost,
            changes: changes.iter().map(|change| change_record(&report.input.file, change)).collect(),
            patch: report.patch(),
            written: report.written,
            checks,
            sites,
            diagnostics: report.items().into_iter().map(|(file, diagnostic)| Record::new(file, diagnostic)).collect(),
        }
    }
}

fn change_record(file: &SourceFile, change: &Change) -> ChangeRecord {
    let position = file.line_column(change.span.start);
    let edits = change.edits.iter();
    ChangeRecord {
        line: position.line,
        column: position.column,
        text: words::change(file, change),
        from: words::form(change.from),
        to: words::form(change.to),
        cost: change.cost,
        edits: edits
            .map(|edit| EditRecord { start: edit.span.start, end: edit.span.end, text: edit.text.clone() })
            .collect(),
    }
}
