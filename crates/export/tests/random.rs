//! SPIN against the oracle on random programs. `STEADFAST_RANDOM_PROGRAMS` sets how many per test, `STEADFAST_RANDOM_SEED` the first seed.

mod support;

use steadfast_export::{PromelaOptions, Supported};
use steadfast_graph::GhostEdges;
use steadfast_graph::oracle::{self, Options};
use steadfast_ir::Program;
use steadfast_model::{Model, Notion};
use steadfast_twin::random::{Config, program_of_seed};

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

/// Calls `check` with random programs and their seeds.
fn for_random_programs(config: &Config, mut check: impl FnMut(u64, &Program)) {
    if !support::available() {
        return;
    }
    let first = setting("STEADFAST_RANDOM_SEED", 1);
    for seed in first..first + setting("STEADFAST_RANDOM_PROGRAMS", 40) {
        check(seed, &program_of_seed(seed, config));
    }
}

/// What SPIN says, with options that vary with the seed where they must not, or predictably, change the verdict.
fn spin_says(program: &Program, model: Supported, notion: Notion, seed: u64) -> Option<String> {
    let options = PromelaOptions {
        fences_by_the_letter: by_the_letter(seed),
        critical_values: !seed.is_multiple_of(3),
        ..PromelaOptions::new(model, notion)
    };
    support::spin(program, options).and_then(|outcome| outcome.violated)
}

fn by_the_letter(seed: u64) -> bool {
    seed.is_multiple_of(2)
}

fn oracle_options(seed: u64) -> Options {
    let ghosts = if by_the_letter(seed) { GhostEdges::Counted } else { GhostEdges::Ignored };
    Options { ghosts, ..Options::default() }
}

/// The oracle and SPIN agree on robustness and, where there are plain locations, on races.
fn same_verdict(model: Supported, config: &Config) {
    let mut violations = 0;
    for_random_programs(config, |seed, program| {
        let options = oracle_options(seed);
        let (Some(robust), Some(race_free)) = (
            oracle::robust(program, model.model(), &options).holds(),
            oracle::race_free(program, model.model(), &options).holds(),
        ) else {
            return;
        };
        let found = spin_says(program, model, Notion::Graph, seed);
        let agree = found.is_some() != (robust && race_free);
        assert!(agree, "seed {seed}: robust {robust}, race-free {race_free}, SPIN: {found:?}\n{program}");
        violations += u64::from(found.is_some());
    });
    // Agreement means little if everything is robust.
    let programs = setting("STEADFAST_RANDOM_PROGRAMS", 40);
    assert!(
        !support::available() || programs < 40 || (1..programs).contains(&violations),
        "{violations} of {programs}"
    );
}

#[test]
fn ra() {
    same_verdict(Supported::Ra, &Config::default());
}

#[test]
fn sra() {
    same_verdict(Supported::Sra, &Config::default());
}

#[test]
fn rc20() {
    same_verdict(Supported::Rc20, &Config::default());
}

#[test]
fn ra_with_plain_locations() {
    same_verdict(Supported::Ra, &Config { plain: true, small: true, ..Config::default() });
}

#[test]
fn rc20_with_plain_locations() {
    same_verdict(Supported::Rc20, &Config { plain: true, small: true, ..Config::default() });
}

/// The observational monitor may over-report, but must not miss; and it never reports what is robust in the stricter sense.
fn no_observational_miss(model: Supported) {
    let config = Config { observational: true, small: true, ..Config::default() };
    for_random_programs(&config, |seed, program| {
        let options = oracle_options(seed);
        let found = spin_says(program, model, Notion::Observational, seed);
        if oracle::observationally_robust(program, model.model(), &options).is_violated() {
            assert!(found.is_some(), "seed {seed}: SPIN missed an observable violation\n{program}");
        }
        if oracle::robust(program, model.model(), &options).holds() == Some(true) {
            assert!(found.is_none(), "seed {seed}: SPIN reports {found:?} on a robust program\n{program}");
        }
    });
}

#[test]
fn ra_observational() {
    no_observational_miss(Supported::Ra);
}

#[test]
fn rc20_observational() {
    no_observational_miss(Supported::Rc20);
}

#[test]
fn assertions_under_sc() {
    let config = Config { assertions: 30, ..Config::default() };
    for_random_programs(&config, |seed, program| {
        let Ok(failures) = oracle::failures(program, Model::Sc, &oracle_options(seed)) else { return };
        let found = spin_says(program, Supported::Sc, Notion::Graph, seed);
        assert_eq!(found.is_some(), !failures.is_empty(), "seed {seed}: {failures:?}, SPIN: {found:?}\n{program}");
    });
}
