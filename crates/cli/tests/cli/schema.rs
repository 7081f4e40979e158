//! What `--format json` writes fits `docs/schema/check.json`.

use crate::steadfast::{check_text, root, steadfast};
use jsonschema::Validator;
use serde_json::Value;
use std::fs;

fn validator() -> Validator {
    let text = fs::read_to_string(root().join("docs/schema/check.json")).unwrap();
    jsonschema::validator_for(&serde_json::from_str(&text).unwrap()).unwrap()
}

/// Validates an output and returns the results in it.
fn valid(validator: &Validator, text: &str) -> Vec<Value> {
    let results: Value = serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"));
    let problems: Vec<_> =
        validator.iter_errors(&results).map(|error| format!("{}: {error}", error.instance_path)).collect();
    assert!(problems.is_empty(), "{problems:#?}\n{text}");
    results.as_array().unwrap().clone()
}

#[test]
fn litmus_tests_under_all_models_and_both_notions() {
    let validator = validator();
    let mut files: Vec<_> = fs::read_dir(root().join("corpus/litmus"))
        .unwrap()
        .map(|entry| format!("corpus/litmus/{}", entry.unwrap().file_name().display()))
        .collect();
    files.sort();
    for notion in ["graph", "observational"] {
        let options = ["check", "--format", "json", "--model", "all", "--notion", notion];
        let arguments: Vec<_> = options.into_iter().chain(files.iter().map(String::as_str)).collect();
        let ended = steadfast(&arguments);
        assert_eq!(ended.code, 1, "{}", ended.stderr);
        assert_eq!(valid(&validator, &ended.stdout).len(), files.len() * steadfast_robust::Supported::ALL.len());
    }
}

#[test]
fn errors_bounds_and_notes() {
    let validator = validator();
    let of = |text: &str| valid(&validator, &check_text(text, &["--format", "json", "--model", "ra"]).stdout).remove(0);
    let error = of("atomic<u8> x; thread t { y.store(1); }");
    assert_eq!((&error["verdict"], &error["model"]), (&Value::from("error"), &Value::Null));
    let failed = of("atomic<u8> x; thread t { assert(x.load() == 1); }");
    assert_eq!((&failed["verdict"], &failed["witness"]["kind"]), (&"assertion-failed".into(), &"assertion".into()));
    let undefined = of("atomic<u8> x; thread t { let r = 1 / x.load(); }");
    assert_eq!(
        (&undefined["verdict"], &undefined["witness"]["kind"]),
        (&"assertion-failed".into(), &"evaluation".into())
    );
    let blocked = of("mutex a; mutex b; thread t { a.lock(); b.lock(); } thread u { b.lock(); a.lock(); }");
    assert!(blocked["deadlock"].as_array().is_some_and(|places| !places.is_empty()), "{blocked}");
    let spinning = of("atomic<u8> x; thread t { while (x.load() != 1) {} } thread u { x.store(1); }");
    assert_eq!(spinning["spins"].as_array().map(Vec::len), Some(1));

    let bounded =
        steadfast(&["check", "-f", "json", "--model=ra", "--max-states=1000", "corpus/large/chase-lev-ra-24.sf"]);
    let bounded = valid(&validator, &bounded.stdout).remove(0);
    assert_eq!(bounded["reason"], "the limit of 1000 states was reached");
    valid(&validator, &steadfast(&["check", "-f", "json", "nowhere.sf", "corpus"]).stdout);
}

#[test]
fn a_witness_tells_the_textbook_story_of_store_buffering() {
    let ended = steadfast(&["check", "-f", "json", "--model", "ra", "corpus/litmus/sb.sf"]);
    let witness = valid(&validator(), &ended.stdout).remove(0)["witness"].take();
    assert_eq!(witness["confirmed"], true);
    assert_eq!(witness["step"]["line"], 26);
    assert_eq!((&witness["stale"]["thread"], &witness["stale"]["value_written"]), (&Value::Null, &0.into()));
    assert_eq!((&witness["newest"]["text"], &witness["newest"]["line"]), (&"x.store(1, release)".into(), &19.into()));
    let cycle = witness["cycle"].as_array().unwrap();
    let edges: Vec<_> = cycle.iter().map(|step| step["edge"].as_str().unwrap()).collect();
    assert_eq!(edges.iter().filter(|&&edge| edge == "po").count(), 2, "{edges:?}");
    assert_eq!(edges.iter().filter(|&&edge| edge == "fr").count(), 2, "{edges:?}");
}
