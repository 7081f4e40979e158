//! Programs of the corpus without some of what keeps them robust: nothing is claimed of them that is not true.

use crate::corpus::{IMMEDIATE, REASONED, instance_is_robust, proved, source};
use crate::machine;
use crate::solver::solver;
use steadfast_lang::{Instance, parse_instance};
use steadfast_prove::{Claim, ProofResult};
use steadfast_span::SourceFile;

/// What keeps programs robust, and can be left out of a text.
const GUARDS: [&str; 3] = ["fence(seq_cst);", "lock.lock();", "lock.unlock();"];

/// The program without some of its guards: one, or with `pairs` also two of them.
fn mutants(file: &SourceFile, pairs: bool) -> Vec<SourceFile> {
    let text = file.text();
    let mut guards: Vec<std::ops::Range<usize>> =
        GUARDS.iter().flat_map(|guard| text.match_indices(guard).map(|(at, _)| at..at + guard.len())).collect();
    guards.sort_by_key(|range| range.start);
    let mutant = |first: &std::ops::Range<usize>, second: &std::ops::Range<usize>| {
        let mut text = text.to_owned();
        text.replace_range(second.clone(), "");
        if first != second {
            text.replace_range(first.clone(), "");
        }
        SourceFile::new(file.name(), text)
    };
    let mut found = Vec::new();
    for (at, first) in guards.iter().enumerate() {
        let others = if pairs { &guards[at..] } else { &guards[at..=at] };
        found.extend(others.iter().map(|second| mutant(first, second)));
    }
    found
}

/// What became of mutants.
#[derive(Debug, Default)]
struct Mutants {
    all: usize,
    /// They have a small instance that is not robust.
    broken: usize,
    /// Of those, nothing is claimed.
    refused: usize,
    /// Of those, it is claimed that no states are added, and the machine says so, too; or there are too many states for it.
    same_states: usize,
    too_many_states: usize,
    /// Of those, something is claimed of an abstraction only, and the command says that the program itself is not robust.
    abstracted: usize,
}

/// Proves mutants, and compares what is claimed with the exact verdict of a small instance, and with the machine.
fn try_mutants(names: impl IntoIterator<Item = &'static str>, pairs: bool) -> Mutants {
    let mut seen = Mutants::default();
    for name in names {
        for mutant in mutants(&source(name), pairs) {
            let claim = match proved(&mutant) {
                ProofResult::Proved(proof) => Some(proof.claim),
                ProofResult::NotProved(_) => None,
                other => panic!("{name}: {other:?}"),
            };
            let states =
                claim.filter(|claim| matches!(claim, Claim::ValueTraceRobust | Claim::StateRobust)).map(|_| {
                    let program = parse_instance(&mutant, Instance { copies: 2, values: 4, cells: 4 }).program;
                    machine::is_state_robust_within(&program.expect("an instance"), 2, 300_000)
                });
            assert_ne!(states, Some(Some(false)), "{name}:\n{}", mutant.text());
            seen.all += 1;
            if instance_is_robust(&mutant, 4) != Some(false) {
                continue;
            }
            seen.broken += 1;
            *match (claim, states) {
                (None, _) => &mut seen.refused,
                (Some(Claim::SafeByAbstraction), _) => &mut seen.abstracted,
                (_, Some(Some(true))) => &mut seen.same_states,
                (_, Some(None)) => &mut seen.too_many_states,
                _ => panic!("{name}: {claim:?} is claimed of\n{}", mutant.text()),
            } += 1;
        }
    }
    seen
}

#[test]
fn a_missing_fence_is_noticed() {
    if !solver("z3") {
        return;
    }
    let seen = try_mutants(["simple-dekker", "dekker", "peterson", "burns", "pgsql", "task-scheduling"], false);
    println!("{seen:?}");
    assert!(seen.broken >= 8, "{seen:?}");
}

/// `cargo xtask fuzz --proofs N` runs it.
#[test]
#[ignore = "takes minutes"]
fn every_mutant_of_the_corpus() {
    assert!(solver("z3"));
    let seen = try_mutants(IMMEDIATE.into_iter().chain(REASONED.map(|(name, _)| name)), true);
    println!("{seen:?}, no false proof");
    assert!(seen.all >= 200, "{seen:?}");
}
