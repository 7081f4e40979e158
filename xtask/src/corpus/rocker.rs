//! Compares the programs of Rocker, the tool of PLDI 2019 and POPL 2021, with the verdicts in their comments.

use super::answer::{Answer, ExpectationResult};
use super::source::Case;

/// The default directory of Rocker's programs, relative to the root of the repository.
pub(crate) const DIRECTORY: &str = "../shared/corpora/rocker";

/// A comment in a program that is wrong.
struct Exception {
    file: &'static str,
    /// `None` means every question about the file.
    question: Option<(&'static str, &'static str)>,
    reason: &'static str,
}

const EXCEPTIONS: [Exception; 2] = [
    Exception {
        file: "litmus-rlx/wait2.tpl",
        question: None,
        reason: "Rocker merges values that are not tracked; with exact values the program is robust",
    },
    Exception {
        file: "litmus-obs/sb_but_valid.tpl",
        question: Some(("ra", "graph")),
        reason: "with release/acquire, `wait(k, 1)` acquires everything before it, so every graph is SC",
    },
];

/// Why a different answer is right.
pub(crate) fn exception(case: &Case, answer: &Answer) -> Option<&'static str> {
    let applies = |exception: &&Exception| {
        let question = (case.model.name(), case.notion.name());
        case.file == exception.file && exception.question.is_none_or(|only| only == question)
    };
    let known = EXCEPTIONS.iter().find(applies)?;
    (answer.standing == ExpectationResult::Differs).then_some(known.reason)
}
