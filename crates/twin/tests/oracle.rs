//! The oracle agrees with itself and with two other ways to enumerate graphs on random programs: the borderline theorem and prefix closure, tested.
#![allow(missing_docs)]

use steadfast_graph::GhostEdges;
use steadfast_graph::oracle::{
    Options, Strategy, failures, flat, observationally_robust, race_free, robust, store_buffer,
};
use steadfast_ir::Program;
use steadfast_model::Model;
use steadfast_random::Rng;
use steadfast_twin::random::{Config, Focus, Weights, program};
use steadfast_twin::shrink;

const WEAK: [Model; 7] = [Model::Tso, Model::Ra, Model::Sra, Model::Rc20, Model::Rc11, Model::Rc11Full, Model::AcqRel];

/// Checks a claim about random programs. The claim is `None` where the oracle gave up.
fn for_random_programs(seed: u64, count: usize, config: &Config, claim: &dyn Fn(&Program) -> Option<bool>) {
    let mut rng = Rng::new(seed);
    let mut decided = 0;
    for round in 0..count {
        let program = program(&mut rng, config);
        match claim(&program) {
            Some(true) => decided += 1,
            Some(false) => {
                let small = shrink(&program, &|candidate| claim(candidate) == Some(false));
                panic!("seed {seed}, program {round}, shrunk to\n{small}");
            }
            None => {}
        }
    }
    assert!(decided * 2 > count, "only {decided} of {count} programs were small enough");
}

/// Whether a strategy gives the same answers as the borderline one, for every model.
fn agrees(program: &Program, strategy: Strategy, ghosts: GhostEdges) -> Option<bool> {
    let options = Options { strategy, ghosts, max_graphs: 2_000, ..Options::default() };
    let borderline = Options { strategy: Strategy::Borderline, ..options };
    let answers =
        |model| Some((robust(program, model, &options).holds()?, robust(program, model, &borderline).holds()?));
    let answers: Vec<_> = WEAK.into_iter().filter_map(answers).collect();
    (answers.len() * 2 > WEAK.len()).then(|| answers.iter().all(|(one, other)| one == other))
}

#[test]
fn extending_all_consistent_graphs_changes_nothing() {
    let small = Config { small: true, seq_cst: true, ..Config::default() };
    for_random_programs(1, 2_000, &small, &|p| agrees(p, Strategy::Consistent, GhostEdges::Ignored));
    let large = Config { seq_cst: true, ..Config::default() };
    for_random_programs(2, 200, &large, &|p| agrees(p, Strategy::Consistent, GhostEdges::Ignored));
}

#[test]
fn nor_by_the_letter() {
    let fenced = Config { focus: Focus::Fences, ..Config::default() };
    for_random_programs(3, 100, &fenced, &|p| agrees(p, Strategy::Consistent, GhostEdges::Counted));
    let contended = Config { focus: Focus::Contention, ..Config::default() };
    for_random_programs(4, 100, &contended, &|p| agrees(p, Strategy::Consistent, GhostEdges::Counted));
}

#[test]
fn extending_inconsistent_graphs_changes_nothing() {
    let config = Config { small: true, seq_cst: true, ..Config::default() };
    for_random_programs(5, 500, &config, &|p| agrees(p, Strategy::Free, GhostEdges::Ignored));
}

/// Whether being robust against `stronger` follows from being robust against `weaker`.
fn implies(program: &Program, weaker: Model, stronger: Model) -> Option<bool> {
    let options = Options { max_graphs: 3_000, ..Options::default() };
    let holds = |model| robust(program, model, &options).holds();
    Some(!holds(weaker)? || holds(stronger)?)
}

#[test]
fn weaker_models_have_fewer_robust_programs() {
    let config = Config { seq_cst: true, ..Config::default() };
    for_random_programs(6, 500, &config, &|p| implies(p, Model::Ra, Model::Sra));
    for_random_programs(14, 1_000, &config, &|p| implies(p, Model::Sra, Model::Tso));
    for_random_programs(7, 500, &config, &|p| implies(p, Model::Rc11, Model::Rc11Full));
    for_random_programs(15, 500, &config, &|p| implies(p, Model::AcqRel, Model::Rc11));
    let fenceless = Config { sc_fences: false, ..config };
    for_random_programs(8, 500, &fenceless, &|p| implies(p, Model::Rc20, Model::Rc11Full));
    for_random_programs(9, 500, &fenceless, &|p| {
        implies(p, Model::Rc20, Model::Ra).map(|holds| holds || has_seq_cst(p))
    });
}

#[test]
fn acq_rel_is_rc20_for_programs_without_seq_cst() {
    let config = Config { seq_cst: false, sc_fences: false, ..Config::default() };
    let options = Options { max_graphs: 3_000, ..Options::default() };
    let holds = |program: &Program, model| robust(program, model, &options).holds();
    for_random_programs(16, 500, &config, &|p| Some(holds(p, Model::AcqRel)? == holds(p, Model::Rc20)?));
}

fn has_seq_cst(program: &Program) -> bool {
    program.to_string().contains("seq_cst")
}

#[test]
fn programs_with_only_seq_cst_accesses_are_robust() {
    let config = Config { seq_cst: true, only_seq_cst: true, sc_fences: false, ..Config::default() };
    let options = Options { max_graphs: 3_000, ..Options::default() };
    for_random_programs(10, 300, &config, &|p| robust(p, Model::Rc20, &options).holds());
    for_random_programs(11, 300, &config, &|p| robust(p, Model::Rc11, &options).holds());
}

#[test]
fn robust_implies_observationally_robust_implies_same_failures() {
    let config = Config { small: true, observational: true, branches: 25, assertions: 25, ..Config::default() };
    let options = Options { max_graphs: 3_000, ..Options::default() };
    for_random_programs(12, 500, &config, &|p| {
        let graph = robust(p, Model::Rc20, &options).holds()?;
        let observed = observationally_robust(p, Model::Rc20, &options).holds()?;
        let same = || Some(failures(p, Model::Rc20, &options).ok()? == failures(p, Model::Sc, &options).ok()?);
        Some((!graph || observed) && (!observed || same()?))
    });
}

#[test]
fn race_freedom_is_monotone() {
    let config = Config { small: true, plain: true, sc_fences: false, ..Config::default() };
    let options = Options { max_graphs: 3_000, ..Options::default() };
    for_random_programs(13, 500, &config, &|p| {
        let free = |model| race_free(p, model, &options).holds();
        Some(!free(Model::Rc20)? || free(Model::Ra)?)
    });
}

#[test]
fn guessing_everything_changes_nothing() {
    let weights = Weights { load: 35, store: 35, rmw: 8, cas: 7, wait: 8, blocking_cas: 6, fence: 5 };
    let mut rng = Rng::new(5);
    let (mut decided, mut violated) = (WEAK.map(|_| 0), WEAK.map(|_| 0));
    for round in 0..400 {
        let config =
            Config { small: round % 8 != 0, seq_cst: true, sc_fences: round % 3 == 0, weights, ..Config::default() };
        let ghosts = if round % 2 == 0 { GhostEdges::Ignored } else { GhostEdges::Counted };
        let program = program(&mut rng, &config);
        for (at, axioms) in WEAK.into_iter().enumerate() {
            let options = Options { ghosts, ..Options::default() };
            let answers = |program: &Program| {
                let flat = flat::robust(program, axioms, &Options { max_graphs: 10_000, ..options }).holds()?;
                Some((flat, robust(program, axioms, &options).holds()?))
            };
            let Some((flat, incremental)) = answers(&program) else { continue };
            if flat != incremental {
                let small = shrink(&program, &|p| answers(p).is_some_and(|(one, other)| one != other));
                panic!("under {} flat robust {flat}, incremental {incremental} for\n{small}", axioms.name());
            }
            decided[at] += 1;
            violated[at] += usize::from(!flat);
        }
    }
    assert!(decided.iter().all(|&count| count > 200), "too few were small enough: {decided:?}");
    assert!(violated.iter().all(|&count| count > 10), "too few were not robust: {violated:?}");
}

/// Holds the machine with store buffers together with the axioms; returns how many programs were decided, and how many of them are not robust.
fn buffers_agree(seed: u64, count: usize, config: &Config) -> (usize, usize) {
    let bounds = Options { max_graphs: 10_000, ..Options::default() };
    let answers = |program: &Program| {
        Some((robust(program, Model::Tso, &bounds).holds()?, store_buffer::robust(program, &bounds).holds()?))
    };
    let mut rng = Rng::new(seed);
    let (mut decided, mut violated) = (0, 0);
    for _ in 0..count {
        let program = program(&mut rng, config);
        let Some((axioms, machine)) = answers(&program) else { continue };
        if axioms != machine {
            let small = shrink(&program, &|p| answers(p).is_some_and(|(one, other)| one != other));
            panic!("axioms say {axioms}, the machine says {machine} about\n{small}");
        }
        decided += 1;
        violated += usize::from(!machine);
    }
    (decided, violated)
}

#[test]
fn store_buffers_agree_with_the_axioms() {
    let (decided, violated) = buffers_agree(6, 1_500, &Config::default());
    assert!(decided > 1_000 && violated > 100, "{decided} decided, {violated} violated");
}

#[test]
fn also_about_branches_choices_failures_and_contention() {
    let local = Config { small: true, branches: 30, registers: 30, choices: 10, assertions: 20, ..Config::default() };
    let (decided, violated) = buffers_agree(7, 1_000, &local);
    assert!(decided > 800 && violated > 20, "{decided} decided, {violated} violated");
    let contended = Config { focus: Focus::Contention, ..Config::default() };
    let (decided, violated) = buffers_agree(8, 500, &contended);
    assert!(decided > 250 && violated > 10, "{decided} decided, {violated} violated");
}
