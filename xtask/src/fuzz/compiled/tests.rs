//! Tests of the printed C programs, without a compiler.

use super::adapt::{self, Forms};
use super::case::{Case, Compiler, Expected, build_of};
use super::source::{Memory, source};
use super::trial::judge;
use super::{batches, chance};
use steadfast_clocks::Supported as Runtime;
use steadfast_ir::{Expr, Instr, Program, ProgramBuilder, ReadOrder, RmwOrder, WriteOrder};
use steadfast_model::Notion;
use steadfast_robust::{Options, Supported, Verdict, check};

fn case(program: Program) -> Case {
    let widths = [8, 16].into_iter().collect();
    let (memory, expected) = (Memory::Fresh, Expected::Silence);
    Case { seed: 7, model: Runtime::Rc11, program, widths, memory, dense: true, expected }
}

/// Two threads: each stores to one location and then does something to the other.
fn two_threads(then: impl Fn(steadfast_ir::RegId, steadfast_ir::Place) -> Instr) -> Program {
    let mut builder = ProgramBuilder::new("test");
    let (x, y) = (builder.atomic("x", 0), builder.atomic("y", 3));
    for (name, mine, other) in [("t0", x, y), ("t1", y, x)] {
        builder.thread(name, |thread| {
            let register = thread.register("r0");
            thread.store(mine, Expr::Const(1), WriteOrder::Release);
            thread.emit(then(register, other.into()));
        });
    }
    builder.finish()
}

fn load(dst: steadfast_ir::RegId, place: steadfast_ir::Place) -> Instr {
    Instr::Load { dst, place, order: ReadOrder::Acquire }
}

fn weak_exchange(dst: steadfast_ir::RegId, place: steadfast_ir::Place) -> Instr {
    let (expected, new) = (Expr::Const(0), Expr::Const(2));
    let (success, failure) = (RmwOrder::Relaxed, ReadOrder::SeqCst);
    Instr::Cas { dst: Some(dst), place, expected, new, success, failure, spurious: true }
}

#[test]
fn accesses_are_those_of_c() {
    let text = source(&[case(two_threads(load))]).unwrap();
    for line in [
        "    _Atomic uint8_t x;",
        "    _Atomic uint16_t y;",
        "    atomic_init(&m->y, 3);",
        "    atomic_store_explicit(&m->x, (uint8_t)1, memory_order_release);",
        "    r0 = atomic_load_explicit(&m->y, memory_order_acquire);",
        "    self->seen[1] = r0;",
        "    { sizeof(struct p0), 1, p0_set, 2, { p0_t0, p0_t1 } },",
    ] {
        assert!(text.lines().any(|found| found == line), "{line}\n{text}");
    }
}

#[test]
fn nothing_that_compilers_simplify() {
    let nothing_added = |dst, place| {
        let update = Expr::binary(steadfast_ir::BinaryOp::Add, Expr::Old, Expr::Const(0));
        Instr::Rmw { dst: Some(dst), place, update, order: RmwOrder::Relaxed }
    };
    let text = source(&[case(two_threads(nothing_added))]).unwrap();
    assert!(text.contains("r0 = atomic_fetch_sub_explicit(&m->y, nothing, memory_order_relaxed);"), "{text}");
    let exchange = |_, place| Instr::Rmw { dst: None, place, update: Expr::Const(2), order: RmwOrder::Release };
    let text = source(&[case(two_threads(exchange))]).unwrap();
    assert!(
        text.contains("self->seen[1] = atomic_exchange_explicit(&m->y, (uint8_t)2, memory_order_release);"),
        "{text}"
    );
}

#[test]
fn compare_exchanges_are_as_the_compiler_passes_them_on() {
    let mut program = two_threads(weak_exchange);
    adapt::to_c(&mut program, Forms { weak: true, any_failure: false });
    let text = source(&[case(program.clone())]).unwrap();
    let expected =
        "atomic_compare_exchange_weak_explicit(&m->y, &old, (uint8_t)2, memory_order_relaxed, memory_order_relaxed);";
    assert!(text.contains(expected), "{text}");
    // For the checker: a choice, a spurious failure, a jump, and the strong one.
    assert_eq!(
        adapt::for_checker(&program).threads.as_slice()[0].code.len(),
        program.threads.as_slice()[0].code.len() + 3
    );
    adapt::to_c(&mut program, Forms { weak: false, any_failure: true });
    assert!(source(&[case(program)]).unwrap().contains("atomic_compare_exchange_strong_explicit"));
}

#[test]
fn a_wait_becomes_a_look() {
    let wait = |_, place| Instr::Wait { dst: None, place, values: vec![Expr::Const(1)], order: ReadOrder::Acquire };
    let mut program = two_threads(wait);
    assert!(adapt::waits(&program));
    adapt::look_once(&mut program);
    assert!(!adapt::waits(&program));
    program.validate().unwrap();
    assert!(source(&[case(program)]).unwrap().contains("if (!((seen == 1))) goto end;"));
}

/// The second load of the witness comes after three other steps and two beginnings. One thread may begin while the other runs, so there are several orders.
#[test]
fn a_chance_counts_orders() {
    let program = two_threads(load);
    let outcome = check(&program, &Options::new(Supported::Rc11, Notion::Graph));
    let Verdict::NotRobust(witness) = outcome.verdict else { panic!("store buffering is robust?") };
    let chance = chance::of(&program, &witness);
    let orders = chance * f64::from(1 << (witness.run.len() + 1 + 2));
    assert!((orders - orders.round()).abs() < 1e-9 && (2.0..=10.0).contains(&orders), "{orders} orders");
}

#[test]
fn programs_do_not_depend_on_their_neighbours() {
    assert_eq!(batches(60, 70), [60..64, 64..128, 128..130]);
    assert_eq!(batches(5, 0), []);
    assert_eq!(build_of(63).compiler, Compiler::Gcc);
    assert_ne!(build_of(63), build_of(64));
    let (once, again) = (Case::of(11).unwrap(), Case::of(11).unwrap());
    assert_eq!(source(&[once]).unwrap(), source(&[again]).unwrap());
}

/// Compares the reports about a program with the checker's verdict.
#[test]
fn reports_are_judged_by_what_the_checker_says() {
    use Expected::{Race, Silence, Violation};
    use steadfast_sanitize::record::Kind;
    let [stale, overtaken, race, deadlock] = [Kind::StaleRead, Kind::OvertakingWrite, Kind::Race, Kind::Deadlock];
    let cases: [(Expected, &[Kind], &str); 10] = [
        (Silence, &[], "as expected"),
        (Silence, &[stale], "false alarm: stale-read"),
        (Silence, &[deadlock], "false alarm: deadlock"),
        (Violation(0.5), &[], "something is missing"),
        (Violation(0.5), &[overtaken], "as expected"),
        (Violation(0.5), &[stale, race], "false alarm: race"),
        (Race(0.5), &[], "something is missing"),
        (Race(0.5), &[stale], "something is missing"),
        (Race(0.5), &[stale, race], "as expected"),
        (Race(0.5), &[race, deadlock], "false alarm: deadlock"),
    ];
    for (expected, reported, verdict) in cases {
        let judged = judge(expected, &reported.iter().copied().collect());
        let text = judged.map_or("something is missing".into(), |outcome| outcome.text());
        assert_eq!(text, verdict, "{expected:?} {reported:?}");
    }
}
