//! Everything that litmus tests do not have: arrays, loops, errors of the program, odd values, and what cannot be exported.

mod support;

use steadfast_export::{PromelaOptions, Supported, promela};
use steadfast_graph::oracle::{Options, robust};
use steadfast_ir::{
    BinaryOp, Expr, Instr, Place, Program, ProgramBuilder, ReadOrder, RmwOrder, ThreadBuilder, Wrap, WriteOrder,
};
use steadfast_model::{Model, Notion};
use steadfast_span::Span;
use support::Outcome;

const MODELS: [Supported; 4] = [Supported::Sc, Supported::Ra, Supported::Sra, Supported::Rc20];

/// A program with one thread.
fn single(emit: impl FnOnce(&mut ThreadBuilder)) -> Program {
    let mut b = ProgramBuilder::new("single");
    b.thread("t", emit);
    b.finish()
}

fn spin(program: &Program, model: Supported) -> Option<Outcome> {
    support::spin(program, PromelaOptions::new(model, Notion::Graph))
}

/// Checks which assertion is violated, the same under all models.
fn check(program: &Program, expected: Option<&str>) {
    for model in MODELS {
        let Some(outcome) = spin(program, model) else { return };
        assert_eq!(outcome.violated.as_deref(), expected, "{model:?}\n{program}");
    }
}

fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    Expr::binary(op, left, right)
}

#[test]
fn array_cells_are_locations_of_their_own() {
    for (index, expected) in [(1, None), (2, Some("defined")), (-1, Some("defined"))] {
        let mut b = ProgramBuilder::new("array");
        let base = b.atomic("a[0]", 0);
        let second = b.atomic("a[1]", 0);
        b.thread("t", |t| {
            let (i, r) = (t.register("i"), t.register("r"));
            t.emit(Instr::Assign { dst: i, value: Expr::Const(3) });
            let index = binary(BinaryOp::Add, Expr::Reg(i), Expr::Const(index - 3));
            let place = Place::Element { base, len: 2, index };
            t.store(place, Expr::Const(7), WriteOrder::Release);
            t.load(r, second, ReadOrder::Acquire);
            t.emit(Instr::Assert(binary(BinaryOp::Eq, Expr::Reg(r), Expr::Const(7))));
        });
        check(&b.finish(), expected);
    }
}

#[test]
fn plain_cells_race_only_with_themselves() {
    for (other, expected) in [(0, None), (1, Some("race_free"))] {
        let mut b = ProgramBuilder::new("plain-array");
        let base = b.plain("a[0]", 0);
        b.plain("a[1]", 0);
        for index in [1, other] {
            b.thread("t", |t| {
                let i = t.register("i");
                t.emit(Instr::Assign { dst: i, value: Expr::Const(index) });
                let place = Place::Element { base, len: 2, index: Expr::Reg(i) };
                t.emit(Instr::PlainStore { place, value: Expr::Const(1) });
            });
        }
        check(&b.finish(), expected);
    }
}

#[test]
fn a_division_by_zero_is_an_error_if_it_is_looked_at() {
    for (left, divisor, expected) in [(0, 1, None), (0, 0, Some("defined")), (1, 0, None)] {
        let program = single(|t| {
            let (d, r) = (t.register("d"), t.register("r"));
            t.emit(Instr::Assign { dst: d, value: Expr::Const(divisor) });
            let quotient = binary(BinaryOp::Div, Expr::Const(4), Expr::Reg(d));
            t.emit(Instr::Assign { dst: r, value: binary(BinaryOp::Or, Expr::Const(left), quotient) });
        });
        check(&program, expected);
    }
}

#[test]
fn assertions_fail_and_assumptions_end_the_thread() {
    let zero = || Expr::Const(0);
    check(&single(|t| t.emit(Instr::Assert(zero()))), Some("0"));
    let assumed = single(|t| {
        t.emit(Instr::Assume(zero()));
        t.emit(Instr::Assert(zero()));
    });
    check(&assumed, None);
}

#[test]
fn any_branch_of_a_choice_is_taken() {
    let program = single(|t| {
        let (left, right, r) = (t.label(), t.label(), t.register("r"));
        t.choose(&[left, right]);
        t.bind(left);
        t.emit(Instr::Assign { dst: r, value: Expr::Const(1) });
        t.bind(right);
        t.emit(Instr::Assert(binary(BinaryOp::Eq, Expr::Reg(r), Expr::Const(0))));
    });
    check(&program, Some("(r_r==0)"));
}

#[test]
fn loops_without_accesses_end_the_search_and_not_the_searcher() {
    let program = single(|t| {
        let (head, r) = (t.label(), t.register("r"));
        t.bind(head);
        t.emit(Instr::Assign { dst: r, value: binary(BinaryOp::Add, Expr::Reg(r), Expr::Const(1)) });
        t.jump(head);
    });
    check(&program, None);
}

#[test]
fn a_thread_that_waits_for_ever_is_not_an_error() {
    let mut b = ProgramBuilder::new("deadlock");
    let x = b.atomic("x", 0);
    let wait =
        |value| Instr::Wait { dst: None, place: x.into(), values: vec![Expr::Const(value)], order: ReadOrder::Acquire };
    b.thread("t", |t| t.emit(wait(1)));
    b.thread("u", |t| t.emit(Instr::Lock(x.into())));
    b.thread("v", |t| t.emit(Instr::Lock(x.into())));
    check(&b.finish(), None);
}

#[test]
fn negative_values_wrap_as_the_language_says() {
    for (wrap, stored) in [(Wrap::Euclidean, 10), (Wrap::TruncatedByte, 255)] {
        let mut b = ProgramBuilder::new("wrap");
        b.wrap(wrap).modulus(11);
        let x = b.atomic("x", 0);
        b.thread("t", |t| {
            let r = t.register("r");
            t.fetch_add(None, x, Expr::Const(-1), RmwOrder::AcqRel);
            t.load(r, x, ReadOrder::Acquire);
            t.emit(Instr::Assert(binary(BinaryOp::Eq, Expr::Reg(r), Expr::Const(stored))));
        });
        check(&b.finish(), None);
    }
}

/// Message passing where `x` has a class for each of 64 values, which takes three words: the expected value is any of them.
fn many_values(order: WriteOrder) -> Program {
    let mut b = ProgramBuilder::new("many-values");
    b.modulus(64);
    let (x, y) = (b.atomic("x", 5), b.atomic("y", 0));
    b.thread("writer", |t| {
        t.store(x, Expr::Const(40), WriteOrder::Relaxed);
        t.store(x, Expr::Const(63), WriteOrder::Relaxed);
        t.store(y, Expr::Const(1), order);
    });
    b.thread("reader", |t| {
        let (r, e) = (t.register("r"), t.register("e"));
        t.load(r, y, ReadOrder::Acquire);
        let value = binary(BinaryOp::Mul, Expr::Reg(r), Expr::Const(40));
        t.emit(Instr::Assign { dst: e, value });
        let order = ReadOrder::Relaxed;
        t.emit(Instr::Wait { dst: None, place: x.into(), values: vec![Expr::Reg(e)], order });
    });
    b.thread("other", |t| t.fetch_add(None, x, Expr::Const(1), RmwOrder::Relaxed));
    b.finish()
}

#[test]
fn views_may_take_several_words() {
    let mut without_classes = PromelaOptions::new(Supported::Rc20, Notion::Graph);
    without_classes.critical_values = false;
    for (order, expected) in [(WriteOrder::Release, None), (WriteOrder::Relaxed, Some("robust"))] {
        let program = many_values(order);
        assert!(promela(&program, &without_classes).is_ok_and(|text| text.contains("Vc_2[")), "three words are used");
        assert_eq!(robust(&program, Model::Rc20, &Options::default()).holds(), Some(expected.is_none()));
        let Some(outcome) = support::spin(&program, without_classes) else { return };
        assert_eq!(outcome.violated.as_deref(), expected, "{order}");
    }
}

#[test]
fn local_steps_make_no_states() {
    let mut b = ProgramBuilder::new("two-counters");
    let (x, y) = (b.atomic("x", 0), b.atomic("y", 0));
    for loc in [x, y] {
        b.thread("t", |t| {
            let r = t.register("r");
            t.load(r, loc, ReadOrder::Relaxed);
            t.emit(Instr::Assign { dst: r, value: binary(BinaryOp::Add, Expr::Reg(r), Expr::Const(1)) });
            t.emit(Instr::Assign { dst: r, value: binary(BinaryOp::Mul, Expr::Reg(r), Expr::Const(3)) });
            t.store(loc, Expr::Reg(r), WriteOrder::Relaxed);
        });
    }
    let Some(outcome) = spin(&b.finish(), Supported::Sc) else { return };
    assert_eq!(outcome, Outcome { violated: None, states: 9 });
}

#[test]
fn seq_cst_accesses_are_not_part_of_rc20() {
    let mut b = ProgramBuilder::new("seq-cst");
    let x = b.atomic("x", 0);
    b.thread("t", |t| {
        t.at(Span::new(3, 8));
        t.store(x, Expr::Const(1), WriteOrder::SeqCst);
    });
    let program = b.finish();
    let export = |model| promela(&program, &PromelaOptions::new(model, Notion::Graph));
    assert!(export(Supported::Ra).is_ok() && export(Supported::Sra).is_ok() && export(Supported::Sc).is_ok());
    let error = export(Supported::Rc20).expect_err("RC20 has no seq_cst accesses");
    assert_eq!(error.span, Span::new(3, 8));
    assert!(error.message.contains("psc"));
}
