//! Every program in `corpus/transactions` gets the verdicts that it expects, in time.

#![allow(clippy::print_stdout, reason = "numbers for whoever runs the test by hand")]

use std::fs;
use std::path::Path;
use std::time::Instant;
use steadfast_explore::{Budget, Limits};
use steadfast_span::SourceFile;
use steadfast_txn::template::all_at;
use steadfast_txn::{ProgramModel, Subject, Verdict, decide, parse};

#[test]
fn expectations_are_met() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/transactions");
    let mut files: Vec<_> = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "txn"));
    files.sort();
    let budget = Budget::new(Limits::default(), None, None);
    let mut problems = Vec::new();
    for path in &files {
        let name = path.file_stem().unwrap().display().to_string();
        let parsed = parse(&SourceFile::new(&*name, fs::read_to_string(path).unwrap()));
        let Some(subject) = &parsed.subject else { panic!("{name}: {:?}", parsed.diagnostics) };
        assert!(!parsed.expectations.is_empty(), "{name} expects nothing");
        for expectation in &parsed.expectations {
            let started = Instant::now();
            let (robust, states) = match subject {
                Subject::Templates(templates) => {
                    (all_at(templates, expectation.model.level().unwrap(), &budget).unwrap(), 0)
                }
                Subject::Program(program) => {
                    let model = ProgramModel::try_from(expectation.model).unwrap();
                    let answer = decide(program, model, &Budget::new(Limits::default(), None, None));
                    let robust = match answer.verdict {
                        Verdict::Robust => true,
                        Verdict::NotRobust(witness) => {
                            assert!(witness.confirm(program), "{name}: {witness:?}");
                            false
                        }
                        other => panic!("{name}: {other:?}"),
                    };
                    (robust, answer.statistics.states)
                }
            };
            println!("{name} {}: {robust}, {states} states, {:?}", expectation.model, started.elapsed());
            if robust != expectation.robust {
                problems.push(format!("{name} {}: {robust}", expectation.model));
            }
        }
    }
    assert!(problems.is_empty(), "{problems:#?}");
    assert!(files.len() >= 10);
}
