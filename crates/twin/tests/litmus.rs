//! The litmus tests of the corpus, read from their text: the oracle says the same as the checker, and so does the checker with other settings.
#![allow(missing_docs)]

#[path = "support/corpus.rs"]
mod corpus;

use steadfast_robust::Supported;
use steadfast_twin::{Depth, Judgement, Question, Subject, judge};

/// Judges all litmus tests; returns how many were small enough for the oracle.
fn judged(model: Supported, subject: Subject) -> usize {
    let question = Question { model, subject };
    let (mut decided, mut wrong) = (0, Vec::new());
    for (name, program) in corpus::programs("litmus") {
        match judge(&program.expect("a program"), question, Depth::Thorough) {
            Judgement::Disagree(fault) => wrong.push(format!("{name}: {fault}")),
            Judgement::Skipped => {}
            Judgement::Agree(_) | Judgement::OverReport => decided += 1,
        }
    }
    assert!(wrong.is_empty(), "{question}:\n{}", wrong.join("\n"));
    decided
}

// A program without plain locations has no races, so asking about races is asking about robustness, too.
#[test]
fn robustness_and_races() {
    for &model in Supported::ALL {
        let decided = judged(model, Subject::Races);
        assert!(decided > 30, "{}: only {decided}", model.name());
    }
}

#[test]
fn fences_by_the_letter() {
    for model in [Supported::Ra, Supported::Sra, Supported::Rc20] {
        judged(model, Subject::Letter);
    }
}

#[test]
fn observational_robustness() {
    for &model in Supported::ALL {
        judged(model, Subject::Observational);
    }
}
