//! The search relies on it: what is added never makes a robust program not robust. Random programs, random additions, all models.

use steadfast_ir::{Expr, FenceOrder, Instr, Pc, Program, ReadOrder, RmwOrder, ThreadId, WriteOrder};
use steadfast_model::Notion;
use steadfast_random::Rng;
use steadfast_robust::{Options, Supported, Verdict, check};
use steadfast_span::Index;
use steadfast_twin::insert;
use steadfast_twin::random::{Config, program};

const PROGRAMS: u64 = 12_000;
const FENCES: [FenceOrder; 4] = [FenceOrder::Acquire, FenceOrder::Release, FenceOrder::AcqRel, FenceOrder::SeqCst];

#[test]
fn stronger_programs_stay_robust() {
    let config = Config { seq_cst: true, ..Config::default() };
    let mut robust = 0;
    for seed in 0..PROGRAMS {
        let mut rng = Rng::new(seed);
        let before = program(&mut rng, &config);
        let mut after = before.clone();
        for _ in 0..=rng.below(3) {
            strengthen(&mut after, &mut rng);
        }
        assert!(after.validate().is_ok(), "seed {seed}");
        let model = rng.pick(Supported::ALL);
        let options = Options::new(model, Notion::Graph);
        if matches!(check(&before, &options).verdict, Verdict::Robust) {
            robust += 1;
            let verdict = check(&after, &options).verdict;
            assert!(matches!(verdict, Verdict::Robust), "seed {seed}, {model:?}:\n{before}\n{after}");
        }
    }
    assert!(robust > PROGRAMS / 4, "{robust}");
}

/// Adds a fence, strengthens an ordering, or makes a store an exchange.
fn strengthen(program: &mut Program, rng: &mut Rng) {
    let thread = ThreadId::new(rng.below(program.threads.len()));
    let thread = &mut program.threads[thread];
    let at = rng.below(thread.code.len());
    if rng.chance(40) {
        let order = rng.pick(&FENCES);
        return insert(thread, at, vec![Instr::Fence(order)]);
    }
    let exchange = rng.chance(50);
    let op = &mut thread.code[Pc::new(at)].op;
    match op {
        Instr::Store { place, value, order } if exchange => {
            let order = if order.is_seq_cst() { RmwOrder::SeqCst } else { RmwOrder::AcqRel };
            *op = Instr::Rmw { dst: None, place: place.clone(), update: Expr::clone(value), order };
        }
        Instr::Store { order, .. } => *order = (*order).max(WriteOrder::Release),
        Instr::Load { order, .. } | Instr::Wait { order, .. } => {
            *order = (*order).max(if exchange { ReadOrder::Acquire } else { ReadOrder::SeqCst });
        }
        Instr::Rmw { order, .. } | Instr::BlockingCas { order, .. } => {
            *order = if exchange && *order != RmwOrder::SeqCst { RmwOrder::AcqRel } else { RmwOrder::SeqCst };
        }
        Instr::Cas { success, failure, .. } => (*success, *failure) = (RmwOrder::SeqCst, ReadOrder::SeqCst),
        _ => {}
    }
}
