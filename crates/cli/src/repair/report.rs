//! Answers in every format.

use super::page::page;
use super::record::ReportRecord;
use super::{Answer, Direction, patch, words};
use crate::args::RepairArgs;
use crate::codes;
use crate::findings;
use crate::guard::internal_error;
use crate::input::Input;
use crate::numbers::{counted, listed};
use crate::reporter::{Item, Look, Report, Row, about};
use crate::status::Status;
use serde::Serialize;
use std::fmt::Write;
use steadfast_diag::{Diagnostic, Format};
use steadfast_ir::Program;
use steadfast_repair::{Allowed, CheckedText, Stop, Target};
use steadfast_robust::{Bound, Outcome};
use steadfast_span::SourceFile;

/// A question with its answer.
pub(super) struct RepairReport<'a> {
    pub(super) direction: Direction,
    pub(super) arguments: &'a RepairArgs,
    pub(super) target: Target,
    pub(super) allowed: Allowed,
    pub(super) input: &'a Input,
    pub(super) answer: Answer,
    /// Whether the file holds the new text now.
    pub(super) written: bool,
    /// What belongs to the answer.
    messages: Vec<Diagnostic>,
}

impl Report for RepairReport<'_> {
    fn status(&self) -> Status {
        match &self.answer {
            Answer::AsItIs | Answer::Changed { .. } => Status::Holds,
            Answer::FailsUnderSc(_) | Answer::Impossible { .. } | Answer::NotRobust(_) => Status::Violation,
            Answer::Stopped(Stop::Bound(Bound::Interrupted)) => Status::Interrupted,
            Answer::Stopped(Stop::Bound(_) | Stop::Unsupported(_)) => Status::Inconclusive,
            Answer::Rejected => Status::Input,
            Answer::Stopped(Stop::Unreadable(_)) | Answer::Broken(_) => Status::Internal,
        }
    }

    fn items(&self) -> Vec<Item<'_>> {
        about(self.shown_file(), &self.messages)
    }

    fn text(&self, look: Look) -> String {
        let messages = look.messages(&self.items());
        if matches!(self.answer, Answer::Rejected) {
            return messages;
        }
        let conclusion = format!("{}: {}\n", self.input.file.name(), self.summary());
        if look.format == Format::Concise {
            return messages + &conclusion;
        }
        harmless(&self.patch().unwrap_or_default()) + &messages + &conclusion + &self.list()
    }

    fn record(&self) -> impl Serialize {
        ReportRecord::of(self)
    }

    fn row(&self) -> Option<Row> {
        Some(Row {
            status: self.status(),
            program: self.input.file.name().to_owned(),
            model: self.arguments.model.name(),
            verdict: self.name().to_owned(),
            states: None,
            seconds: None,
        })
    }

    fn pages(&self) -> Vec<String> {
        vec![page(self)]
    }
}

impl<'a> RepairReport<'a> {
    /// A question. The answer is not known yet.
    pub(super) fn new(
        direction: Direction,
        arguments: &'a RepairArgs,
        input: &'a Input,
        (target, allowed): (Target, Allowed),
    ) -> Self {
        let (answer, messages) = (Answer::Rejected, Vec::new());
        Self { direction, arguments, target, allowed, input, answer, written: false, messages }
    }

    /// Makes the messages that belong to the answer.
    pub(super) fn conclude(&mut self) {
        self.messages = self.found();
    }

    /// The file that the messages are about.
    pub(super) fn shown_file(&self) -> &SourceFile {
        match &self.answer {
            Answer::Impossible { strongest, .. } => &strongest.file,
            _ => &self.input.file,
        }
    }

    fn found(&self) -> Vec<Diagnostic> {
        match &self.answer {
            Answer::AsItIs | Answer::Changed { .. } => Vec::new(),
            Answer::Rejected => self.input.parsed.diagnostics.clone(),
            Answer::FailsUnderSc(outcome) | Answer::NotRobust(outcome) => {
                let program = self.input.parsed.program.as_ref();
                program.map_or_else(Vec::new, |program| self.diagnostics(&self.input.file, program, outcome))
            }
            Answer::Impossible { strongest, .. } => {
                let CheckedText { file, program, outcome } = &**strongest;
                self.diagnostics(file, program, outcome)
            }
            Answer::Stopped(Stop::Bound(bound)) => vec![findings::bounded(*bound)],
            Answer::Stopped(Stop::Unsupported(size)) => {
                vec![Diagnostic::warning(codes::UNSUPPORTED, format!("inconclusive: {size}"))]
            }
            Answer::Stopped(Stop::Unreadable(_)) => vec![internal_error("changing the program")],
            Answer::Broken(problem) => vec![problem.clone()],
        }
    }

    /// What is wrong with a program, without notes about anything else.
    fn diagnostics(&self, file: &SourceFile, program: &Program, outcome: &Outcome) -> Vec<Diagnostic> {
        let model = self.arguments.model;
        findings::diagnostics(&findings::CheckedProgram { file, program, model, outcome }, None)
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
            Answer::Stopped(Stop::Unreadable(_)) | Answer::Rejected | Answer::Broken(_) => "error",
        }
    }

    /// Why there is no answer.
    pub(super) fn reason(&self) -> Option<String> {
        match &self.answer {
            Answer::Stopped(Stop::Bound(bound)) => Some(bound.to_string()),
            Answer::Stopped(Stop::Unsupported(reason) | Stop::Unreadable(reason)) => Some(reason.clone()),
            Answer::Broken(_) => Some("internal error".to_owned()),
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

    /// The changes, and whether they were written.
    fn list(&self) -> String {
        let Answer::Changed { changes, .. } = &self.answer else { return String::new() };
        let mut text = String::new();
        let word = if self.direction == Direction::Fix { "cost" } else { "saves" };
        for change in changes {
            let _ = writeln!(text, "  {}; {word} {}", words::change(&self.input.file, change), change.cost);
        }
        if changes.is_empty() {
            return text;
        }
        if self.arguments.verbose {
            text.push_str(match self.direction {
                Direction::Fix => "  each was left out once, and the program was not robust without it\n",
                Direction::Relax => {
                    "  every further weakening was tried, one at a time, and the program was not robust with it\n"
                }
            });
        }
        text.push_str(if self.written {
            "the file was changed\n"
        } else {
            "nothing was written; `--write` changes the file\n"
        });
        text
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
            Answer::Rejected => "cannot be used".to_owned(),
            Answer::Stopped(_) | Answer::Broken(_) => {
                format!("no answer {asked}: {}", self.reason().unwrap_or_default())
            }
        }
    }
}

/// The text without what could confuse a terminal.
fn harmless(text: &str) -> String {
    let allowed = |c: char| !c.is_control() || matches!(c, '\n' | '\r' | '\t');
    text.chars().map(|c| if allowed(c) { c } else { char::REPLACEMENT_CHARACTER }).collect()
}
