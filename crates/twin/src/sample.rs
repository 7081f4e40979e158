//! Random programs for each subject.

use crate::guard::{hand_over, hand_over_by_fences, hand_over_unseen};
use crate::indices::indices;
use crate::large::large;
use crate::question::Subject;
use crate::random::{Config, Focus, program};
use crate::vary::vary;
use steadfast_ir::{LocKind, Program};
use steadfast_random::Rng;

/// The random program of a seed. Neighbouring seeds use different configurations, so that any range of seeds covers all of them.
pub fn sample(seed: u64, subject: Subject) -> Program {
    let mut rng = Rng::new(seed);
    let of = |configs: &[Config]| configs[(seed % configs.len() as u64) as usize];
    let mut sampled = match subject {
        Subject::Graph => program(&mut rng, &of(&graph())),
        Subject::Letter => program(&mut rng, &of(&letter())),
        Subject::Observational if of(&observational()).plain => with_unseen_read(&mut rng, &of(&observational())),
        Subject::Observational => program(&mut rng, &of(&observational())),
        Subject::Races => with_plain_location(&mut rng, &of(&races())),
        Subject::Indices => return indices(&mut rng),
        Subject::Settings => large(&mut rng),
    };
    vary(&mut sampled, &mut rng);
    sampled
}

/// Only half of the generator's programs have a plain location.
fn plain_program(rng: &mut Rng, config: &Config) -> Program {
    let mut sampled = program(rng, config);
    while sampled.locations.iter().all(|location| location.kind == LocKind::Atomic) {
        sampled = program(rng, config);
    }
    sampled
}

fn with_plain_location(rng: &mut Rng, config: &Config) -> Program {
    let mut sampled = plain_program(rng, config);
    match rng.below(8) {
        0 | 1 => {}
        2 => hand_over_by_fences(&mut sampled, rng),
        _ => hand_over(&mut sampled, rng),
    }
    sampled
}

fn with_unseen_read(rng: &mut Rng, config: &Config) -> Program {
    let mut sampled = plain_program(rng, config);
    hand_over_unseen(&mut sampled, rng);
    sampled
}

fn graph() -> Vec<Config> {
    let usual = Config::default();
    let seq_cst = Config { seq_cst: true, ..usual };
    vec![
        usual,
        seq_cst,
        Config { focus: Focus::SeqCst, ..seq_cst },
        Config { focus: Focus::Fences, ..usual },
        Config { focus: Focus::Contention, ..usual },
        Config { focus: Focus::Contention, ..seq_cst },
        Config { small: true, ..seq_cst },
        Config { sc_fences: false, branches: 30, registers: 30, choices: 10, ..seq_cst },
        Config { assertions: 10, branches: 20, ..usual },
        Config { assertions: 30, registers: 0, ..usual },
        Config { focus: Focus::Fences, ..seq_cst },
    ]
}

/// Configurations with many `seq_cst` fences.
fn letter() -> Vec<Config> {
    let usual = Config { fences: false, ..Config::default() };
    vec![
        usual,
        Config { focus: Focus::Fences, ..usual },
        Config { focus: Focus::Fences, seq_cst: true, ..Config::default() },
        Config { small: true, ..usual },
    ]
}

/// Smaller programs, because the oracle has to enumerate every consistent graph.
fn observational() -> Vec<Config> {
    let usual = Config { small: true, observational: true, branches: 25, ..Config::default() };
    vec![
        usual,
        Config { seq_cst: true, ..usual },
        Config { small: false, sc_fences: false, ..usual },
        Config { registers: 40, sc_fences: false, ..usual },
        Config { focus: Focus::Contention, sc_fences: false, ..usual },
        Config { assertions: 15, ..usual },
        Config { plain: true, sc_fences: false, ..usual },
        Config { plain: true, focus: Focus::Contention, sc_fences: false, ..usual },
    ]
}

fn races() -> Vec<Config> {
    let usual = Config { small: true, plain: true, ..Config::default() };
    vec![
        usual,
        Config { seq_cst: true, ..usual },
        Config { small: false, sc_fences: false, ..usual },
        Config { branches: 40, ..usual },
        Config { assertions: 30, ..usual },
        Config { focus: Focus::Contention, sc_fences: false, ..usual },
    ]
}
