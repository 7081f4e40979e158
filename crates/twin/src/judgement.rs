//! Compares the answers of the checker and the oracle about one program.

use crate::question::{Answer, Expected, Question, Subject};
use crate::variants::{self, Depth};
use crate::witness;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use steadfast_ir::Program;
use steadfast_model::Notion;
use steadfast_robust::{Options, Outcome, Verdict, check};

/// The result of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// All answers agree.
    Agree(Answer),
    /// The program is too large for the oracle.
    Skipped,
    /// The checker reports a program that is observationally robust. This is allowed.
    OverReport,
    /// Some answers disagree.
    Disagree(Difference),
}

/// A disagreement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    /// The oracle allows only other answers.
    Answer {
        /// The answer of the oracle.
        oracle: String,
        /// The answer of the checker.
        checker: Answer,
    },
    /// The checker gave up on a small program.
    Undecided,
    /// The checker panicked.
    Panicked,
    /// A setting that must not matter changes the answer.
    Variant(String),
    /// A setting that must not matter changes the witness.
    OtherWitness(String),
    /// The witness does not show what it claims.
    Witness(&'static str),
    /// The axioms of TSO and the machine with store buffers disagree.
    Oracles {
        /// The answer of the machine.
        machine: bool,
    },
    /// A program is robust by its execution graphs, but not observationally.
    NotImplied,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Answer { oracle, checker } => write!(f, "the oracle says {oracle}, the checker {checker:?}"),
            Self::Undecided => f.write_str("the checker did not decide"),
            Self::Panicked => f.write_str("the checker panicked"),
            Self::Variant(name) => write!(f, "another answer {name}"),
            Self::OtherWitness(name) => write!(f, "another witness {name}"),
            Self::Witness(problem) => write!(f, "the witness {problem}"),
            Self::Oracles { machine } => write!(f, "the store-buffer machine says {machine}, the axioms do not"),
            Self::NotImplied => f.write_str("graph-robust, but not observationally robust"),
        }
    }
}

/// Makes all comparisons for a program.
pub fn judge(program: &Program, question: Question, depth: Depth) -> Judgement {
    match compare(program, question, depth) {
        Ok(judgement) => judgement,
        Err(fault) => Judgement::Disagree(fault),
    }
}

fn compare(program: &Program, question: Question, depth: Depth) -> Result<Judgement, Difference> {
    let options = question.options();
    let outcome = ask(program, &options)?;
    let answer = Answer::of(&outcome.verdict).ok_or(Difference::Undecided)?;
    // The comparisons of the checker with itself come first: they need no oracle, so they are made for larger programs, too.
    variants::agree(program, &options, depth, &outcome)?;
    witness::examine(question, &outcome.verdict)?;
    if question.subject == Subject::Observational && answer == Answer::NotRobust {
        let graph = ask(program, &Options { notion: Notion::Graph, ..options.clone() })?;
        if matches!(graph.verdict, Verdict::Robust) {
            return Err(Difference::NotImplied);
        }
    }
    if let Some(machine) = question.buffers_disagree(program) {
        return Err(Difference::Oracles { machine });
    }
    match (question.expected(program), answer) {
        (None, _) => Ok(Judgement::Skipped),
        (Some(Expected::Exactly(expected)), _) if expected == answer => Ok(Judgement::Agree(answer)),
        (Some(Expected::AnyViolation), Answer::Race | Answer::NotRobust)
        | (Some(Expected::RobustOrOverReport), Answer::Robust)
        | (Some(Expected::Anything), _) => Ok(Judgement::Agree(answer)),
        (Some(Expected::RobustOrOverReport), Answer::NotRobust) => Ok(Judgement::OverReport),
        (Some(Expected::RobustOrOverReport | Expected::Exactly(Answer::NotRobust)), Answer::Race)
            if question.subject == Subject::Observational && !is_confirmed(&outcome.verdict) =>
        {
            Ok(Judgement::OverReport)
        }
        (Some(expected), _) => Err(Difference::Answer { oracle: format!("{expected:?}"), checker: answer }),
    }
}

/// Whether the execution graph of a violation shows it.
fn is_confirmed(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::NotRobust(witness) | Verdict::Race(witness) if witness.confirmed)
}

/// Runs the checker. A panic is a disagreement.
pub(crate) fn ask(program: &Program, options: &Options<'_>) -> Result<Outcome, Difference> {
    catch_unwind(AssertUnwindSafe(|| check(program, options))).map_err(|_| Difference::Panicked)
}
