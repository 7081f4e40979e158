//! A panic in an engine is an internal error: it has a message and an exit code, and takes no other result with it.

use crate::steadfast::{Ended, command, finish};
use serde_json::Value;

/// Runs the binary, in which one question fails: what it does and about which file.
fn failing(question: &str, arguments: &[&str]) -> Ended {
    let mut command = command(arguments);
    command.env("STEADFAST_TEST_PANIC", question);
    finish(command, b"")
}

const SB: &str = "corpus/litmus/sb.sf";
const MP: &str = "corpus/litmus/mp.sf";

#[test]
fn check_keeps_the_other_results() {
    let question = format!("checking against ra {SB}");
    let ended = failing(&question, &["check", "--model", "ra,tso", MP, SB]);
    assert_eq!(ended.code, 101, "{ended:?}");
    assert!(ended.stdout.contains("error[E0005]: internal error while checking against ra"), "{}", ended.stdout);
    assert!(ended.stdout.contains("mp.sf: robust (ra") && ended.stdout.contains("sb.sf: not robust (tso"));
    assert!(ended.stdout.contains("4 results: 2 robust, 1 not robust, 1 internal error"), "{}", ended.stdout);
    assert!(ended.stderr.contains("panicked"), "{}", ended.stderr);
}

#[test]
fn a_violation_does_not_need_its_advice() {
    let question = format!("looking for advice {SB}");
    let ended = failing(&question, &["check", "-f", "concise", "--model", "ra", SB]);
    assert_eq!(ended.code, 101, "{ended:?}");
    assert!(ended.stdout.contains("error[V0001]") && ended.stdout.contains("error[E0005]"), "{}", ended.stdout);
}

#[test]
fn a_program_that_cannot_even_be_read() {
    let ended = failing(&format!("reading the program {SB}"), &["check", "--model", "ra", SB, MP]);
    assert_eq!(ended.code, 101, "{ended:?}");
    assert!(ended.stdout.contains("internal error while reading the program"), "{}", ended.stdout);
    assert!(ended.stdout.contains("mp.sf: robust (ra"), "{}", ended.stdout);
}

#[test]
fn test_fails_only_this_case() {
    let ended = failing(&format!("testing {SB}"), &["test", SB, MP]);
    assert_eq!(ended.code, 101, "{ended:?}");
    assert!(ended.stdout.contains("found") || ended.stdout.contains("internal error"), "{}", ended.stdout);
    assert!(!ended.stdout.contains(" 0 passed"), "{}", ended.stdout);
}

#[test]
fn repairs() {
    let ended = failing(&format!("repairing {SB}"), &["fix", "--model", "tso", SB]);
    assert_eq!(ended.code, 101, "{ended:?}");
    assert!(ended.stdout.contains("internal error while repairing"), "{}", ended.stdout);
    let ended = failing(&format!("relaxing {MP}"), &["relax", "--model", "ra", "-f", "json", MP]);
    let answer: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!((ended.code, &answer["result"], &answer["reason"]), (101, &"error".into(), &"internal error".into()));
}

#[test]
fn proofs() {
    let [one, other] = ["corpus/proofs/dc-locking.sf", SB];
    let ended = failing(&format!("proving {one}"), &["prove", "--solver", "nonesuch", one, other]);
    assert_eq!(ended.code, 101, "{ended:?}");
    assert!(ended.stdout.contains("internal error while proving"), "{}", ended.stdout);
    assert!(ended.stdout.contains("sb.sf: inconclusive"), "{}", ended.stdout);
    let ended = failing(&format!("proving {one}"), &["prove", "-f", "json", one]);
    let results: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!((ended.code, &results[0]["verdict"]), (101, &"error".into()));
    let ended = failing("verifying nowhere", &["verify-certificate", "nowhere"]);
    assert_eq!(ended.code, 101, "{ended:?}");
}

#[test]
fn transactions() {
    let [one, other] = ["corpus/transactions/lost-update.txn", "corpus/transactions/store-buffering.txn"];
    let question = format!("checking against si {one}");
    let ended = failing(&question, &["txn", "check", "--model", "ccv,si", one, other]);
    assert_eq!(ended.code, 101, "{ended:?}");
    assert!(ended.stdout.contains("lost-update.txn: not robust (ccv"), "{}", ended.stdout);
    assert!(ended.stdout.contains("lost-update.txn: internal error (si)"), "{}", ended.stdout);
    assert!(ended.stdout.contains("store-buffering.txn: robust (si"), "{}", ended.stdout);
    let ended = failing(&question, &["txn", "check", "--model", "si", "-f", "json", one]);
    let results: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!((&results[0]["verdict"], &results[0]["reason"]), (&"error".into(), &"internal error".into()));

    let question = format!("looking for write-write races {one}");
    let ended = failing(&question, &["txn", "check", "--model", "ccv", one]);
    assert_eq!(ended.code, 101, "{ended:?}");
    assert!(ended.stdout.contains("error[V0601]") && ended.stdout.contains("error[E0005]"), "{}", ended.stdout);

    let history = "corpus/transactions/divergence.plume";
    let ended = failing(&format!("checking against ccv {history}"), &["txn", "history", history]);
    assert_eq!(ended.code, 101, "{ended:?}");
    assert_eq!(ended.stdout.matches(", 4 operations)").count(), 4, "{}", ended.stdout);

    for (question, verb) in [("repairing", "fix"), ("looking for a violation", "replay")] {
        let ended = failing(&format!("{question} {one}"), &["txn", verb, one]);
        assert_eq!(ended.code, 101, "{ended:?}");
        assert!(ended.stdout.contains("error[E0005]"), "{}", ended.stdout);
    }
}
