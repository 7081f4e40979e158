//! Classic litmus tests with their known verdicts.
#![allow(missing_docs)]

mod support;

use steadfast_graph::oracle::{Options, count_complete, failures, observationally_robust, race_free, robust};
use steadfast_graph::{Axioms, GhostEdges};
use steadfast_model::Model;
use support::litmus;

/// Checks that of all models whose verdicts are written down here, the program is not robust against exactly the named ones.
fn check(text: &str, not_robust: &[Model]) {
    let program = litmus(text);
    for model in [Model::Sc].into_iter().chain(ALL_WEAK) {
        let verdict = robust(&program, model, &Options::default());
        assert_eq!(verdict.holds(), Some(!not_robust.contains(&model)), "{} says otherwise about {text}", model.name());
        if let Some(graph) = verdict.counterexample() {
            assert_eq!(graph.well_formed(), Ok(()));
            assert!(model.consistent(graph) && graph.labelled_cycle().is_some());
        }
    }
}

const RELAXED: [Model; 3] = [Model::Rc20, Model::Rc11, Model::Rc11Full];
const RELEASE_ACQUIRE: [Model; 5] = [Model::Ra, Model::Sra, Model::Rc20, Model::Rc11, Model::Rc11Full];
const ALL_WEAK: [Model; 6] = [Model::Tso, Model::Ra, Model::Sra, Model::Rc20, Model::Rc11, Model::Rc11Full];
const NO_WRITE_ORDER: [Model; 4] = [Model::Ra, Model::Rc20, Model::Rc11, Model::Rc11Full];

#[test]
fn store_buffering() {
    check("x:=1.rlx; a=y.rlx || y:=1.rlx; a=x.rlx", &ALL_WEAK);
    check("x:=1.rel; a=y.acq || y:=1.rel; a=x.acq", &ALL_WEAK);
    check("x:=1.sc; a=y.sc || y:=1.sc; a=x.sc", &[Model::Tso, Model::Ra, Model::Sra]);
    check("x:=1.rlx; F.sc; a=y.rlx || y:=1.rlx; F.sc; a=x.rlx", &[]);
    check("x:=1.rlx; F.sc; a=y.rlx || y:=1.rlx; F.ar; a=x.rlx", &ALL_WEAK);
    check("fadd(x,1).ar; a=y.acq || fadd(y,1).ar; a=x.acq", &RELEASE_ACQUIRE);
    // On TSO a compare-and-swap drains the buffer, even if it fails.
    check("x:=1.rel; cas(z,3->1).ar; a=y.acq || y:=1.rel; cas(z,3->1).ar; a=x.acq", &RELEASE_ACQUIRE);
}

#[test]
fn message_passing() {
    check("x:=1.rlx; y:=1.rlx || a=y.rlx; b=x.rlx", &RELAXED);
    check("x:=1.rlx; y:=1.rel || a=y.acq; b=x.rlx", &[]);
    check("x:=1.rlx; y:=1.rel || a=y.rlx; b=x.rlx", &RELAXED);
    check("x:=1.rlx; F.rel; y:=1.rlx || a=y.rlx; F.acq; b=x.rlx", &[]);
    // A release sequence through a relaxed update.
    check("x:=1.rlx; y:=1.rel || fadd(y,1).rlx || wait(y=2).acq; b=x.rlx", &[]);
    check("x:=1.rlx; y:=1.rel; y:=2.rlx || wait(y=2).acq; b=x.rlx", &RELAXED);
}

#[test]
fn two_plus_two_writes() {
    check("x:=1.rel; y:=2.rel || y:=1.rel; x:=2.rel", &NO_WRITE_ORDER);
    check("x:=1.rel; F.sc; y:=2.rel || y:=1.rel; F.sc; x:=2.rel", &[]);
}

#[test]
fn independent_reads_of_independent_writes() {
    check("x:=1.rel || y:=1.rel || a=x.acq; b=y.acq || a=y.acq; b=x.acq", &RELEASE_ACQUIRE);
    check("x:=1.sc || y:=1.sc || a=x.sc; b=y.sc || a=y.sc; b=x.sc", &[Model::Ra, Model::Sra]);
}

#[test]
fn causality() {
    check("x:=1.rel || a=x.acq; y:=1.rel || a=y.acq; b=x.acq", &[]);
    // Reading x, then synchronising, is enough: read coherence has rf in the middle.
    check("x:=1.rlx || a=x.rlx; y:=1.rel || a=y.acq; b=x.rlx", &[]);
    check("x:=1.rlx || a=x.rlx; y:=1.rlx || a=y.acq; b=x.rlx", &RELAXED);
    check("x:=1.rel; y:=1.rel || a=y.acq; z:=1.rel || a=z.acq; b=x.acq", &[]);
    check("x:=1.rlx; y:=1.rlx || a=y.rlx; z:=1.rlx || a=z.rlx; b=x.rlx", &RELAXED);
}

#[test]
fn coherence_and_load_buffering_are_kept() {
    check("x:=1.rlx; x:=2.rlx || a=x.rlx; b=x.rlx", &[]);
    check("x:=1.rlx || x:=2.rlx || a=x.rlx; b=x.rlx || a=x.rlx; b=x.rlx", &[]);
    check("a=x.rlx; y:=1.rlx || b=y.rlx; x:=1.rlx", &[]);
}

#[test]
fn a_wait_can_be_enabled_by_a_stale_value() {
    check("a=y.rlx; wait(x=0).rlx || x:=1.rlx; y:=1.rlx", &RELAXED);
    check("wait(y=1).rlx; wait(x=0).rlx || x:=1.rlx; x:=2.rlx; y:=1.rlx", &RELAXED);
    check("wait(y=1).rlx; wait(x=1).rlx || x:=1.rlx; y:=1.rlx", &[]);
    check("wait(y=1).rlx; bcas(x,0->2).rlx || x:=1.rlx; y:=1.rlx", &RELAXED);
    check("wait(y=1).rlx; bcas(x,0->2).rlx || fadd(x,1).rlx; y:=1.rlx", &[]);
}

#[test]
fn encoded_sc_fences_are_stronger_than_those_of_rc11() {
    check("x:=1.rlx; F.sc; y:=1.rlx || a=y.rlx; z:=1.rlx || a=z.rlx; F.sc; b=x.rlx", &[Model::Rc11, Model::Rc11Full]);
}

#[test]
fn by_the_letter_a_fence_can_break_a_program() {
    let program = litmus("x:=1.rlx; F.sc || F.sc; y:=1.rlx || y:=1.rlx; a=x.rlx");
    let letter = Options { ghosts: GhostEdges::Counted, ..Options::default() };
    assert!(robust(&program, Model::Rc20, &letter).is_violated());
    assert_eq!(robust(&program, Model::Rc20, &Options::default()).holds(), Some(true));
}

#[test]
fn seq_cst_accesses() {
    // A relaxed write hides the seq_cst one behind it from psc′, and from RC11 too.
    check("a=y.sc; b=x.sc || x:=1.sc; y:=1.sc; y:=2.rlx", &RELAXED);
    check("a=x.sc; b=y.sc || y:=1.sc; x:=1.sc || x:=1.rlx", &RELEASE_ACQUIRE);
    check("x:=1.sc; y:=1.sc || y:=1.rlx; a=y.sc; x:=1.sc", &NO_WRITE_ORDER);
    // RC11 orders seq_cst accesses by synchronisation through other accesses; psc′ does not.
    let without_full = [Model::Tso, Model::Ra, Model::Sra, Model::Rc20, Model::Rc11];
    check("x:=1.sc; y:=1.rel || wait(y=1).acq; a=z.sc || z:=1.sc; b=x.sc", &without_full);
}

#[test]
fn observational_robustness_ignores_reads_that_nobody_uses() {
    let unused = litmus("x:=1.rlx; y:=1.rlx || a=y.rlx; b=x.rlx");
    let used = litmus("x:=1.rlx; y:=1.rlx || a=y.rlx; b=x.rlx; observe(b)");
    let written = litmus("x:=1.rlx; y:=1.rlx || a=y.rlx; b=x.rlx; z:=b.rlx");
    let awaited = litmus("x:=1.rlx; y:=1.rlx || a=y.rlx; wait(x=0).rlx");
    let options = Options::default();
    assert_eq!(observationally_robust(&unused, Model::Rc20, &options).holds(), Some(true));
    for program in [used, written, awaited] {
        assert_eq!(observationally_robust(&program, Model::Rc20, &options).holds(), Some(false), "{}", program.name);
    }
}

#[test]
fn races_on_plain_locations() {
    let free = |text: &str, model| race_free(&litmus(text), model, &Options::default()).holds() == Some(true);
    for model in [Model::Ra, Model::Rc20] {
        assert!(free("d:=1; y:=1.rel || wait(y=1).acq; a=d", model));
        assert!(!free("d:=1 || a=d", model));
        assert!(free("a=d || a=d", model));
    }
    assert!(free("d:=1; y:=1.rlx || wait(y=1).rlx; a=d", Model::Ra));
    assert!(!free("d:=1; y:=1.rlx || wait(y=1).rlx; a=d", Model::Rc20));
    // Only a stale read of y leads to the race.
    assert!(!free("d:=1; x:=1.rlx; y:=1.rel || wait(x=1).rlx; wait(y=0).acq; a=d", Model::Rc20));
}

#[test]
fn failures_and_counts() {
    let program = litmus("x:=1.rlx; y:=1.rlx || wait(y=1).rlx; a=x.rlx; assert(a)");
    let options = Options::default();
    assert_eq!(failures(&program, Model::Sc, &options), Ok(vec![]));
    assert_eq!(failures(&program, Model::Rc20, &options).map(|found| found.len()), Ok(1));
    let sb = litmus("x:=1.rlx; a=y.rlx || y:=1.rlx; a=x.rlx");
    assert_eq!(count_complete(&sb, Model::Sc, &options), Ok(3));
    assert_eq!(count_complete(&sb, Model::Tso, &options), Ok(4));
    let stale = litmus("x:=1.rlx; x:=2.rlx; x:=3.rlx || a=x.rlx");
    assert_eq!(count_complete(&stale, Model::Rc20, &options), Ok(4));
    let two = litmus("x:=1.rlx; x:=2.rlx || x:=3.rlx");
    assert_eq!(count_complete(&two, Model::Rc20, &options), Ok(3));
}
