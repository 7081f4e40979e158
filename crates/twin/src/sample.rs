//! Random programs for each subject.

use crate::guard::hand_over;
use crate::question::Subject;
use crate::vary::vary;
use steadfast_graph::random::{Config, Focus, Rng, program};
use steadfast_ir::{LocKind, Program};

/// The random program of a seed. Neighbouring seeds use different configurations, so that any range of seeds covers all of them.
pub fn sample(seed: u64, subject: Subject) -> Program {
    let mut rng = Rng::new(seed);
    let config = config(seed, subject);
    let mut sampled = program(&mut rng, &config);
    if subject == Subject::Races {
        // Only half of the programs get a plain location.
        for _ in 0..16 {
            if sampled.locations.iter().any(|location| location.kind == LocKind::Plain) {
                break;
            }
            sampled = program(&mut rng, &config);
        }
        if rng.chance(75) {
            hand_over(&mut sampled, &mut rng);
        }
    }
    vary(&mut sampled, &mut rng);
    sampled
}

fn config(seed: u64, subject: Subject) -> Config {
    let configs = match subject {
        Subject::Graph => graph(),
        Subject::Letter => letter(),
        Subject::Observational => observational(),
        Subject::Races => races(),
    };
    configs[(seed % configs.len() as u64) as usize]
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
    ]
}

fn races() -> Vec<Config> {
    let usual = Config { small: true, plain: true, ..Config::default() };
    vec![
        usual,
        Config { seq_cst: true, ..usual },
        Config { small: false, sc_fences: false, ..usual },
        Config { branches: 40, ..usual },
        Config { focus: Focus::Contention, sc_fences: false, ..usual },
    ]
}
