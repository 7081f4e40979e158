//! The decision agrees with the machines of the paper on random programs. `cargo xtask fuzz --transactions N` tries more.

#![allow(clippy::print_stdout, reason = "numbers for whoever runs the test by hand")]

use steadfast_txn::ProgramModel;
use steadfast_txn::agree::{compare, compare_serializable};

fn check(model: ProgramModel, seed: u64) {
    // More of them if somebody asks: STEADFAST_PROGRAMS=20000.
    let programs = std::env::var("STEADFAST_PROGRAMS").ok().and_then(|count| count.parse().ok()).unwrap_or(300);
    for tally in [compare(model, seed, programs), compare_serializable(model, seed, programs)] {
        println!("{model}: {} programs, {} not robust, {} skipped", tally.programs, tally.not_robust, tally.skipped);
        assert!(tally.disagreements.is_empty(), "{}", tally.disagreements.join("\n"));
        assert!(tally.robust > 5 && tally.not_robust > 5, "{tally:?}");
    }
}

#[test]
fn weak_causal_consistency() {
    check(ProgramModel::Cc, 1);
}

#[test]
fn causal_convergence() {
    check(ProgramModel::Ccv, 2);
}

#[test]
fn causal_memory() {
    check(ProgramModel::Cm, 3);
}

#[test]
fn snapshot_isolation() {
    check(ProgramModel::Si, 4);
}
