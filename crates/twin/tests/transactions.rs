//! Transactions: the decision agrees with the machines of the paper, the check of histories with the definitions, and the lemmas of the paper hold, on random
//! programs and histories. `cargo xtask fuzz --transactions N` tries more.

#![allow(clippy::print_stdout, reason = "numbers for whoever runs the test by hand")]
#![allow(clippy::doc_markdown, reason = "CCv is a name, not code")]

use steadfast_explore::{Budget, Limits};
use steadfast_random::Rng;
use steadfast_span::SourceFile;
use steadfast_twin::transactions::{HistoryShape, TransactionSample, compare, compare_histories, compare_serializable};
use steadfast_txn::oracle::{Effort, explore};
use steadfast_txn::{Program, ProgramModel, Subject, Verdict, decide, find_race, parse};

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

#[test]
fn histories() {
    for (seed, shape) in [(9, HistoryShape::Values), (10, HistoryShape::Lists)] {
        let satisfied = compare_histories(seed, 10_000, shape).unwrap_or_else(|problem| panic!("{shape:?} {problem}"));
        assert!(satisfied.iter().all(|&count| (1_000..9_900).contains(&count)), "{satisfied:?}");
    }
}

/// A random program with at most that many transactions.
fn sample(rng: &mut Rng, most: usize) -> (String, Program) {
    let text = TransactionSample::random(rng, most).text();
    let Some(Subject::Program(program)) = parse(&SourceFile::new("sample", &*text)).subject else { panic!("{text}") };
    (text, program)
}

fn robust(program: &Program, model: ProgramModel) -> bool {
    match decide(program, model, &Budget::new(Limits::default(), None, None)).verdict {
        Verdict::Robust => true,
        Verdict::NotRobust(witness) => {
            assert!(witness.confirm(program), "{witness:?}");
            false
        }
        other => panic!("{other:?}"),
    }
}

/// Lemma 7.2: robust against CM implies robust against CCv.
#[test]
fn lemma_7_2() {
    let mut rng = Rng::new(72);
    for _ in 0..2_000 {
        let (text, program) = sample(&mut rng, 6);
        assert!(!robust(&program, ProgramModel::Cm) || robust(&program, ProgramModel::Ccv), "{text}");
    }
}

/// Lemma 8.1: robust against CC iff robust against CM, with the machines of both.
#[test]
fn lemma_8_1() {
    let mut rng = Rng::new(81);
    for _ in 0..150 {
        let (text, program) = sample(&mut rng, 4);
        let found =
            [ProgramModel::Cc, ProgramModel::Cm].map(|model| explore(&program, model, Effort::UntilCycle, 100_000));
        if let [Ok(cc), Ok(cm)] = found {
            assert_eq!(cc.cycle.is_some(), cm.cycle.is_some(), "{text}");
        }
    }
}

/// Theorem 3.1: a write-write race under one of the three is one under the others; and races that we find are real.
#[test]
fn theorem_3_1() {
    let mut rng = Rng::new(31);
    for _ in 0..100 {
        let (text, program) = sample(&mut rng, 3);
        let found = [ProgramModel::Cc, ProgramModel::Ccv, ProgramModel::Cm]
            .map(|model| explore(&program, model, Effort::Everything, 50_000));
        let [Ok(cc), Ok(ccv), Ok(cm)] = found else { continue };
        assert!(cc.race == ccv.race && ccv.race == cm.race, "{text}");
        let reported = find_race(&program, &Budget::new(Limits::default(), None, None)).is_some();
        assert!(!reported || cm.race, "{text}");
    }
}
