//! `steadfast txn`, as users meet it.

use crate::steadfast::{command, finish, root, steadfast};
use serde_json::Value;
use std::fs;

fn check(text: &str, options: &[&str]) -> crate::steadfast::Ended {
    let arguments: Vec<_> = ["txn", "check", "-"].iter().chain(options).copied().collect();
    finish(command(&arguments), text.as_bytes())
}

#[test]
fn exit_codes_tell_the_verdict() {
    assert_eq!(steadfast(&["txn", "check", "--model", "si", "corpus/transactions/lost-update.txn"]).code, 0);
    assert_eq!(steadfast(&["txn", "check", "--model", "ccv", "corpus/transactions/lost-update.txn"]).code, 1);
    assert_eq!(steadfast(&["txn", "check", "nowhere.txn"]).code, 2);
    assert_eq!(check("shared x; process p { txn { y := z; } }", &[]).code, 2);
    let large = steadfast(&["txn", "check", "--model=ccv", "--max-states=2000", "corpus/transactions/six-by-four.txn"]);
    assert_eq!(large.code, 3, "{}", large.stdout);
    assert!(check("shared x; process p { txn { x := 1; } }", &["--model", "rc"]).stdout.contains("E0620"));
}

#[test]
fn a_mistake_is_shown_in_its_line() {
    let ended =
        check("shared counter;\nprocess p {\n    txn { conter := 1; r := conuter; }\n}\n", &["--format", "concise"]);
    assert_eq!(ended.stdout, "<stdin>:3:29: error[E0602]: unknown name `conuter`\n");
}

#[test]
fn json_fits_its_schema() {
    let schema = fs::read_to_string(root().join("docs/schema/txn.json")).unwrap();
    let validator = jsonschema::validator_for(&serde_json::from_str(&schema).unwrap()).unwrap();
    let mut files: Vec<_> = fs::read_dir(root().join("corpus/transactions"))
        .unwrap()
        .map(|entry| format!("corpus/transactions/{}", entry.unwrap().file_name().display()))
        .collect();
    files.retain(|file| std::path::Path::new(file).extension().is_some_and(|extension| extension == "txn"));
    files.sort();
    files.push("nowhere.txn".to_owned());
    let arguments: Vec<_> =
        ["txn", "check", "-f", "json"].into_iter().chain(files.iter().map(String::as_str)).collect();
    let results: Value = serde_json::from_str(&steadfast(&arguments).stdout).unwrap();
    let problems: Vec<_> = validator.iter_errors(&results).map(|error| error.to_string()).collect();
    assert!(problems.is_empty(), "{problems:#?}");
    let witnesses: Vec<_> = results.as_array().unwrap().iter().filter(|result| !result["witness"].is_null()).collect();
    assert!(witnesses.len() > 5 && witnesses.iter().all(|result| result["witness"]["confirmed"] == true));
}

#[test]
fn a_history_that_diverges() {
    let ended = steadfast(&["txn", "history", "corpus/transactions/divergence.plume"]);
    assert_eq!(ended.code, 1, "{}", ended.stdout);
    assert!(ended.stdout.contains("satisfied (cc, 4 operations)") && ended.stdout.contains("no single order"));
}
