//! The litmus tests of the corpus, read from their text: the oracle says the same as the checker, and so does the checker with other settings.
#![allow(missing_docs)]

use std::path::Path;
use steadfast_ir::Program;
use steadfast_lang::{Dialect, parse};
use steadfast_robust::Supported;
use steadfast_span::SourceFile;
use steadfast_twin::{Depth, Judgement, Question, Subject, judge};

fn litmus_tests() -> Vec<(String, Program)> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/litmus");
    let entries = std::fs::read_dir(directory).expect("the corpus is there");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("a readable directory").path()).collect();
    paths.sort();
    let sources = paths.into_iter().filter(|path| path.extension().is_some_and(|extension| extension == "sf"));
    sources
        .map(|path| {
            let name = path.display().to_string();
            let file = SourceFile::new(name.clone(), std::fs::read_to_string(&path).expect("a readable file"));
            (name, parse(&file, Dialect::Steadfast).program.expect("a program"))
        })
        .collect()
}

/// Judges all litmus tests; returns how many were small enough for the oracle.
fn judged(model: Supported, subject: Subject) -> usize {
    let question = Question { model, subject };
    let (mut decided, mut wrong) = (0, Vec::new());
    for (name, program) in litmus_tests() {
        match judge(&program, question, Depth::Thorough) {
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
