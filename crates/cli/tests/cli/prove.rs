//! `steadfast prove` and `steadfast verify-certificate`.

use crate::steadfast::{root, steadfast};
use serde_json::Value;
use std::fs;

/// Whether there is a solver. In CI there must be one.
fn solver() -> bool {
    let found = std::process::Command::new("z3").arg("--version").output().is_ok();
    assert!(found || std::env::var_os("CI").is_none(), "z3 is not installed");
    found
}

fn file(name: &str, text: &str) -> String {
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&path, text).unwrap();
    path.display().to_string()
}

const BUFFERING: &str = "atomic<int> x, y;\nthreads a { x.store(1); let r = y.load(); y.store(r + 1); }\nthreads b { y.store(1); let r = x.load(); x.store(r + 1); }\n";

#[test]
fn a_program_that_is_not_robust_is_shown_with_an_instance() {
    if !solver() {
        return;
    }
    let path = file("buffering.sf", BUFFERING);
    let ended = steadfast(&["prove", &path]);
    assert_eq!(ended.code, 1, "{}{}", ended.stdout, ended.stderr);
    for part in ["may still be in its buffer", "while this load goes to memory", "already with 2 threads", "V0001"] {
        assert!(ended.stdout.contains(part), "{part}:\n{}", ended.stdout);
    }
}

#[test]
fn what_cannot_be_read_is_an_error() {
    for text in
        ["threads", "atomic<int> x; threads t { x.store(y); }", "", "\u{0}", "atomic<int> a[]; thread t { a.load(); }"]
    {
        let path = file("wrong.sf", text);
        let ended = steadfast(&["prove", &path]);
        assert_eq!(ended.code, 2, "{text}: {}{}", ended.stdout, ended.stderr);
        assert!(ended.stdout.contains("error["), "{text}: {}", ended.stdout);
    }
    assert_eq!(steadfast(&["prove", "no-such-file.sf"]).code, 2);
    assert_eq!(steadfast(&["verify-certificate", "no-such-folder"]).code, 2);
}

#[test]
fn check_says_what_a_template_is_for() {
    let path = file("template.sf", "atomic<u8> x;\nthreads t { x.store(1); }\n");
    let ended = steadfast(&["check", &path]);
    assert_eq!(ended.code, 2);
    assert!(ended.stdout.contains("E0232") && ended.stdout.contains("steadfast prove"), "{}", ended.stdout);
}

#[test]
fn a_solver_that_says_nothing_is_not_waited_for() {
    let script = file("silent-solver", "#!/bin/sh\nexec sleep 1000\n");
    fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let ended = steadfast(&["prove", "--solver", &script, "--solver-timeout", "1", "corpus/proofs/dc-locking.sf"]);
    assert_eq!(ended.code, 3, "{ended:?}");
    assert!(ended.stdout.contains("no answer within 3 s"), "{ended:?}");
}

#[test]
fn without_a_solver_nothing_is_claimed() {
    let ended = steadfast(&["prove", "--solver", "no-such-solver", "corpus/proofs/dc-locking.sf"]);
    assert_eq!(ended.code, 3, "{}", ended.stdout);
    assert!(ended.stdout.contains("cannot be started") && ended.stdout.contains("apt install z3"), "{}", ended.stdout);
    assert_eq!(steadfast(&["prove", "--solver", "no-such-solver", "corpus/proofs/seqlock.sf"]).code, 0);
}

#[test]
fn json_fits_its_schema_and_certificates_are_accepted() {
    if !solver() {
        return;
    }
    let schema = fs::read_to_string(root().join("docs/schema/prove.json")).unwrap();
    let validator = jsonschema::validator_for(&serde_json::from_str(&schema).unwrap()).unwrap();
    let broken = file("broken.sf", BUFFERING);
    let wrong = file("syntax.sf", "thread {");
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("proofs").display().to_string();
    let files = ["corpus/proofs/dc-locking.sf", "corpus/proofs/peterson.sf", &broken, &wrong];
    let arguments: Vec<&str> = ["prove", "-f", "json", "--certificate", &folder].into_iter().chain(files).collect();
    let ended = steadfast(&arguments);
    let results: Value = serde_json::from_str(&ended.stdout).unwrap();
    let problems: Vec<_> = validator.iter_errors(&results).map(|error| error.to_string()).collect();
    assert!(problems.is_empty(), "{problems:?}\n{}", ended.stdout);
    let verdicts: Vec<&str> = results.as_array().unwrap().iter().filter_map(|one| one["verdict"].as_str()).collect();
    assert_eq!(verdicts, ["proved", "proved", "not-robust", "error"]);
    let verified = steadfast(&["verify-certificate", &format!("{folder}/dc-locking")]);
    assert_eq!(verified.code, 0, "{}", verified.stdout);
    assert!(verified.stdout.contains("accepted"), "{}", verified.stdout);
}

#[test]
fn assertions_are_proved_or_at_least_tried() {
    if !solver() {
        return;
    }
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("properties").display().to_string();
    let files = ["two-counters", "steps-of-three"].map(|name| format!("corpus/proofs/properties/{name}.sf"));
    let arguments = ["prove", "--invariants", "--certificate", &folder, &files[0], &files[1]];
    let ended = steadfast(&arguments);
    assert_eq!(ended.code, 0, "{ended:?}");
    for part in
        ["its assertions hold under TSO\n", "by a solution of Horn clauses", "`invariant(lock == 1 && x == a);`"]
    {
        assert!(ended.stdout.contains(part), "{part}: {}", ended.stdout);
    }
    for name in ["two-counters", "steps-of-three"] {
        let verified = steadfast(&["verify-certificate", &format!("{folder}/{name}")]);
        assert_eq!(verified.code, 0, "{verified:?}");
        assert!(verified.stdout.contains("and its assertions hold"), "{verified:?}");
    }
    let clauses = std::path::Path::new(&folder).join("steps-of-three/clauses.smt2");
    let changed = fs::read_to_string(&clauses).unwrap().replace("false", "true");
    fs::write(&clauses, changed).unwrap();
    let verified = steadfast(&["verify-certificate", &format!("{folder}/steps-of-three")]);
    assert_eq!(verified.code, 1, "{verified:?}");
}

#[test]
fn an_abstraction_shows_that_nothing_is_lost_although_the_queue_is_not_robust() {
    if !solver() {
        return;
    }
    let path = "corpus/proofs/properties/chase-lev-loses-nothing.sf";
    let ended = steadfast(&["prove", "--goal", "assertions", path]);
    assert_eq!(ended.code, 3, "{ended:?}");
    for part in ["not robust (tso)", "`head.load_at_most()`", "no assertion fails with integers from 0 to 7"] {
        assert!(ended.stdout.contains(part), "{part}: {}", ended.stdout);
    }
    let text = fs::read_to_string(root().join(path)).unwrap();
    let careless = file("careless.sf", &text.replace("mine = mine | taken;", "mine = taken;"));
    let ended = steadfast(&["prove", "--goal", "assertions", &careless]);
    assert_eq!(ended.code, 1, "{ended:?}");
    assert!(ended.stdout.contains("an assertion fails, already with"), "{ended:?}");
}

#[test]
fn invariants_are_for_proofs_and_run_nothing() {
    let path = file("stated.sf", "atomic<u8> x;\nthread one { invariant(x.load() == 0); x.store(1, relaxed); }\n");
    let ended = steadfast(&["prove", &path]);
    assert_eq!(ended.code, 2, "{ended:?}");
    assert!(ended.stdout.contains("an invariant runs nothing"), "{ended:?}");
    let ended = steadfast(&["check", &path]);
    assert_eq!(ended.code, 2, "{ended:?}");
    assert!(ended.stdout.contains("invariants are for `steadfast prove`"), "{ended:?}");
    let path =
        file("unkept.sf", "atomic<int> x;\nthreads one { let r = x.load(); invariant(r == 5); x.store(r + 1); }\n");
    let ended = steadfast(&["prove", &path]);
    assert!(ended.stdout.contains("`invariant(r == 5)` could not be shown to hold"), "{ended:?}");
}
