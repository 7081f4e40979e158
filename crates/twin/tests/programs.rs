//! The generator and the shrinker of programs.
#![allow(missing_docs)]

#[path = "../../graph/tests/support/mod.rs"]
mod support;

use steadfast_graph::oracle::{Options, robust};
use steadfast_ir::Program;
use steadfast_model::Model;
use steadfast_twin::random::{Config, program_of_seed};
use steadfast_twin::shrink;
use support::litmus;

#[test]
fn random_programs_are_valid_and_the_same_for_the_same_seed() {
    let config = Config { seq_cst: true, observational: true, plain: true, ..Config::default() };
    for seed in 0..500 {
        let program = program_of_seed(seed, &config);
        assert!(program.validate().is_ok(), "seed {seed}\n{program}");
        assert_eq!(program, program_of_seed(seed, &config));
    }
    assert_ne!(program_of_seed(0, &config), program_of_seed(1, &config));
}

#[test]
fn shrinking_finds_the_core() {
    let program = litmus(
        "x:=2.rel; a=z.acq; F.rel; y:=3.rel; x:=1.sc || a=y.rlx; fadd(z,1).ar; b=x.acq; z:=b.rlx || a=z.sc; z:=1.rlx",
    );
    let not_robust = |p: &Program| robust(p, Model::Rc20, &Options::default()).is_violated();
    let small = shrink(&program, &not_robust);
    assert!(not_robust(&small) && small.validate().is_ok());
    let length: usize = small.threads.iter().map(|thread| thread.code.len() - 1).sum();
    assert_eq!((small.threads.len(), length), (2, 4), "{small}");
    assert!(!small.to_string().contains("acq") && !small.to_string().contains("rel)"), "{small}");
}
