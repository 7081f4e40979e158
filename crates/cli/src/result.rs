//! One result: a file, a model, and what came out.

use crate::findings::CheckedProgram;
use crate::settings::Question;
use crate::status::Status;
use std::sync::Arc;
use steadfast_diag::Diagnostic;
use steadfast_ir::Program;
use steadfast_robust::{Bound, Outcome, Supported, Verdict};
use steadfast_span::SourceFile;

/// What came out for one file and one model.
#[derive(Clone, Debug)]
pub(crate) struct CheckResult {
    /// The file.
    pub(crate) file: Arc<SourceFile>,
    /// What was asked.
    pub(crate) question: Arc<Question>,
    /// The answer.
    pub(crate) answer: Answer,
    /// What to tell about it: warnings, the violation, notes.
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// How the program and the question were understood, where that is not obvious.
    pub(crate) remarks: Vec<String>,
}

/// An answer.
#[derive(Clone, Debug)]
pub(crate) enum Answer {
    /// The file holds no program that could be checked. The diagnostics say why.
    Rejected,
    /// The checker failed.
    Broken {
        /// The model.
        model: Supported,
    },
    /// The program was checked.
    Checked {
        /// The program.
        program: Arc<Program>,
        /// The model.
        model: Supported,
        /// What came out.
        outcome: Box<Outcome>,
    },
}

impl CheckResult {
    /// The program with what came out, if it was checked.
    pub(crate) fn checked(&self) -> Option<CheckedProgram<'_>> {
        let Answer::Checked { program, model, outcome } = &self.answer else { return None };
        Some(CheckedProgram { file: &self.file, program, model: *model, outcome })
    }

    /// What came out, if the program was checked.
    pub(crate) fn outcome(&self) -> Option<&Outcome> {
        match &self.answer {
            Answer::Rejected | Answer::Broken { .. } => None,
            Answer::Checked { outcome, .. } => Some(outcome),
        }
    }

    /// What this means for the exit code.
    pub(crate) fn status(&self) -> Status {
        let verdict = match &self.answer {
            Answer::Rejected => return Status::Input,
            Answer::Broken { .. } => return Status::Internal,
            Answer::Checked { outcome, .. } => &outcome.verdict,
        };
        match verdict {
            Verdict::Robust => Status::Holds,
            Verdict::NotRobust(_) | Verdict::Race(_) | Verdict::Failed(_) => Status::Violation,
            Verdict::Inconclusive(Bound::Interrupted) => Status::Interrupted,
            Verdict::Inconclusive(_) | Verdict::Unsupported(_) => Status::Inconclusive,
        }
    }

    /// The model, unless the file could not be used at all.
    pub(crate) fn model(&self) -> Option<Supported> {
        match &self.answer {
            Answer::Rejected => None,
            Answer::Broken { model } | Answer::Checked { model, .. } => Some(*model),
        }
    }

    /// The verdict's name in the JSON formats.
    pub(crate) fn verdict_name(&self) -> &'static str {
        self.outcome().map_or("error", |outcome| verdict_name(&outcome.verdict))
    }

    /// Why there is no verdict.
    pub(crate) fn reason(&self) -> Option<String> {
        if matches!(self.answer, Answer::Broken { .. }) {
            return Some("internal error".to_owned());
        }
        match &self.outcome()?.verdict {
            Verdict::Inconclusive(bound) => Some(bound.to_string()),
            Verdict::Unsupported(size) => Some(size.clone()),
            _ => None,
        }
    }
}

/// A verdict's name in the JSON formats.
pub(crate) fn verdict_name(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Robust => "robust",
        Verdict::NotRobust(_) => "not-robust",
        Verdict::Race(_) => "race",
        Verdict::Failed(_) => "assertion-failed",
        Verdict::Inconclusive(_) | Verdict::Unsupported(_) => "inconclusive",
    }
}
