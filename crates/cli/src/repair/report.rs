//! Answers for people.

use super::{Answer, Direction, internal, patch, words};
use crate::args::RepairArgs;
use crate::codes;
use crate::findings;
use crate::input::Input;
use crate::numbers::{counted, listed};
use crate::status::Status;
use std::fmt::Write;
use steadfast_diag::{Diagnostic, Format, Style, render};
use steadfast_ir::Program;
use steadfast_repair::{Allowed, Change, CheckedText, Stop, Target};
use steadfast_robust::{Bound, Model, Outcome};
use steadfast_span::SourceFile;

/// A question with its answer.
pub(super) struct Report<'a> {
    pub(super) direction: Direction,
    pub(super) arguments: &'a RepairArgs,
    pub(super) target: Target,
    pub(super) allowed: Allowed,
    pub(super) input: &'a Input,
    pub(super) answer: Answer,
    /// Whether the file holds the new text now.
    pub(super) written: bool,
}

/// What is wrong with a program, without notes about anything else.
pub(super) fn diagnostics(file: &SourceFile, program: &Program, model: Model, outcome: &Outcome) -> Vec<Diagnostic> {
    findings::diagnostics(&findings::CheckedProgram { file, program, model, outcome }, None)
}

impl Report<'_> {
    /// What this means for the exit code.
    pub(super) fn status(&self) -> Status {
        match &self.answer {
            Answer::AsItIs | Answer::Changed { .. } => Status::Holds,
            Answer::FailsUnderSc(_) | Answer::Impossible { .. } | Answer::NotRobust(_) => Status::Violation,
            Answer::Stopped(Stop::Bound(Bound::Interrupted)) => Status::Interrupted,
            Answer::Stopped(Stop::Bound(_) | Stop::Unsupported(_)) => Status::Inconclusive,
            Answer::Stopped(Stop::Unreadable(_)) | Answer::Broken => Status::Internal,
        }
    }

    /// The answer's name in JSON.
    pub(super) fn name(&self) -> &'static str {
        match &self.answer {
            Answer::AsItIs => "robust",
            Answer::Changed { changes, .. } if changes.is_empty() => "nothing-to-relax",
            Answer::Changed { .. } if self.direction == Direction::Fix => "repaired",
            Answer::Changed { .. } => "relaxed",
            Answer::FailsUnderSc(_) => "wrong",
            Answer::Impossible { .. } => "impossible",
            Answer::NotRobust(_) => "not-robust",
            Answer::Stopped(Stop::Bound(_) | Stop::Unsupported(_)) => "inconclusive",
            Answer::Stopped(Stop::Unreadable(_)) | Answer::Broken => "error",
        }
    }

    /// Why there is no answer.
    pub(super) fn reason(&self) -> Option<String> {
        match &self.answer {
            Answer::Stopped(Stop::Bound(bound)) => Some(bound.to_string()),
            Answer::Stopped(Stop::Unsupported(reason) | Stop::Unreadable(reason)) => Some(reason.clone()),
            Answer::Broken => Some("internal error".to_owned()),
            _ => None,
        }
    }

    /// The patch, if there is one.
    pub(super) fn patch(&self) -> Option<String> {
        match &self.answer {
            Answer::Changed { changes, result, .. } if !changes.is_empty() => {
                Some(patch::unified(&self.input.file, result.file.text(), changes))
            }
            _ => None,
        }
    }

    /// What is wrong with an input.
    pub(super) fn rejected(&self, style: Style) -> String {
        match self.arguments.format {
            crate::args::RepairFormat::Full => shown(&self.input.file, &self.input.parsed.diagnostics, style),
            crate::args::RepairFormat::Json => super::record::rejected(self),
        }
    }

    /// Diagnostics that belong to the answer, and the file that they are about.
    pub(super) fn diagnostics(&self) -> (&SourceFile, Vec<Diagnostic>) {
        let file = &self.input.file;
        match &self.answer {
            Answer::FailsUnderSc(found) | Answer::NotRobust(found) => (file, found.clone()),
            Answer::Impossible { strongest, .. } => {
                let CheckedText { file, program, outcome } = &**strongest;
                (file, diagnostics(file, program, self.arguments.model, outcome))
            }
            Answer::Stopped(Stop::Unreadable(_)) | Answer::Broken => (file, vec![internal()]),
            Answer::Stopped(Stop::Bound(bound)) => (file, vec![findings::bounded(*bound)]),
            Answer::Stopped(Stop::Unsupported(size)) => {
                (file, vec![Diagnostic::warning(codes::UNSUPPORTED, format!("inconclusive: {size}"))])
            }
            Answer::AsItIs | Answer::Changed { .. } => (file, Vec::new()),
        }
    }

    /// The whole answer.
    pub(super) fn full(&self, style: Style) -> String {
        let (file, diagnostics) = self.diagnostics();
        let mut text = harmless(&self.patch().unwrap_or_default());
        text.push_str(&shown(file, &diagnostics, style));
        let _ = writeln!(text, "{}: {}", self.input.file.name(), self.summary());
        if let Answer::Changed { changes, .. } = &self.answer {
            self.list(&mut text, changes);
        }
        if self.patch().is_some() {
            text.push_str(if self.written {
                "the file was changed\n"
            } else {
                "nothing was written; `--write` changes the file\n"
            });
        }
        text
    }

    fn list(&self, text: &mut String, changes: &[Change]) {
        let word = if self.direction == Direction::Fix { "cost" } else { "saves" };
        for change in changes {
            let _ = writeln!(text, "  {}; {word} {}", words::change(&self.input.file, change), change.cost);
        }
        if self.arguments.verbose && !changes.is_empty() {
            text.push_str(match self.direction {
                Direction::Fix => "  each was left out once, and the program was not robust without it\n",
                Direction::Relax => {
                    "  every further weakening was tried, one at a time, and the program was not robust with it\n"
                }
            });
        }
    }

    /// What came out, in a sentence.
    pub(super) fn summary(&self) -> String {
        let asked = format!("({}, {})", self.arguments.model.name(), self.arguments.notion.name());
        let allowed = listed(&self.allowed.names());
        match &self.answer {
            Answer::AsItIs => format!("robust as it is {asked}; nothing to repair"),
            Answer::Changed { changes, checks, sites, .. } if changes.is_empty() => {
                let effort = format!("{} for {}", counted(*checks as usize, "check"), counted(*sites, "place"));
                format!("robust {asked}, and nothing can be weaker ({effort})")
            }
            Answer::Changed { changes, cost, checks, sites, .. } => {
                let changes = counted(changes.len(), "change");
                let effort = format!("{} for {}", counted(*checks as usize, "check"), counted(*sites, "place"));
                match self.direction {
                    Direction::Fix => format!(
                        "robust after {changes} {asked}, cost {cost} on {}; nothing cheaper does ({effort})",
                        self.target.name()
                    ),
                    Direction::Relax => format!(
                        "still robust after {changes} {asked}, which save {cost} on {}; nothing more can go ({effort})",
                        self.target.name()
                    ),
                }
            }
            Answer::FailsUnderSc(_) => format!("not repaired {asked}: it is wrong even if threads simply take turns"),
            Answer::Impossible { sites, .. } => format!(
                "not repaired {asked}: with {allowed} everywhere, in {}, it is still wrong; the message above is about that program",
                counted(*sites, "place")
            ),
            Answer::NotRobust(_) => format!("not robust {asked}; there is nothing to relax"),
            Answer::Stopped(_) | Answer::Broken => {
                format!("no answer {asked}: {}", self.reason().unwrap_or_default())
            }
        }
    }
}

fn shown(file: &SourceFile, diagnostics: &[Diagnostic], style: Style) -> String {
    let items: Vec<_> = diagnostics.iter().map(|diagnostic| (file, diagnostic)).collect();
    render(Format::Full, &items, style)
}

/// The text without what could confuse a terminal.
fn harmless(text: &str) -> String {
    let allowed = |c: char| !c.is_control() || matches!(c, '\n' | '\r' | '\t');
    text.chars().map(|c| if allowed(c) { c } else { char::REPLACEMENT_CHARACTER }).collect()
}
