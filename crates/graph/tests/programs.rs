//! Every instruction and the bounds.
#![allow(missing_docs)]

mod support;

use steadfast_graph::oracle::{Limit, Options, OracleVerdict, count_complete, failures, race_free, robust};
use steadfast_ir::{
    BinaryOp, EvalError, Expr, Instr, LocId, Place, Program, ProgramBuilder, ReadOrder, RegId, RmwOrder, Wrap,
    WriteOrder,
};
use steadfast_model::Model;
use support::litmus;

fn sc_failures(program: &Program) -> Vec<Option<EvalError>> {
    let found = failures(program, Model::Sc, &Options::default()).expect("small enough");
    found.into_iter().map(|failure| failure.error).collect()
}

fn sc_runs(program: &Program) -> usize {
    count_complete(program, Model::Sc, &Options::default()).expect("small enough")
}

fn register_is(register: RegId, value: i32) -> Expr {
    Expr::binary(BinaryOp::Eq, Expr::Reg(register), Expr::Const(value))
}

#[test]
fn choices_branch_and_assumptions_prune() {
    let mut b = ProgramBuilder::new("choose");
    let x = b.atomic("x", 0);
    b.thread("t", |t| {
        let r = t.register("r");
        let (one, two, end) = (t.label(), t.label(), t.label());
        t.choose(&[one, two]);
        t.bind(one);
        t.emit(Instr::Assign { dst: r, value: Expr::Const(1) });
        t.jump(end);
        t.bind(two);
        t.emit(Instr::Assign { dst: r, value: Expr::Const(2) });
        t.bind(end);
        t.emit(Instr::Assume(register_is(r, 2)));
        t.store(x, Expr::Reg(r), WriteOrder::Relaxed);
    });
    b.thread("u", |t| {
        let r = t.register("r");
        t.load(r, x, ReadOrder::Relaxed);
        t.emit(Instr::Assert(Expr::binary(BinaryOp::Ne, Expr::Reg(r), Expr::Const(1))));
    });
    let program = b.finish();
    assert_eq!(sc_failures(&program), []);
    // Ending at the assumption, or storing before or after the load.
    assert_eq!(sc_runs(&program), 3);
}

#[test]
fn compare_and_swap_succeeds_or_fails_or_always_fails() {
    let cas = |spurious| {
        let mut b = ProgramBuilder::new("cas");
        let x = b.atomic("x", 0);
        b.thread("t", |t| {
            let r = t.register("r");
            let (success, failure) = (RmwOrder::AcqRel, ReadOrder::Acquire);
            let (expected, new) = (Expr::Const(0), Expr::Const(1));
            t.emit(Instr::Cas { dst: Some(r), place: x.into(), expected, new, success, failure, spurious });
        });
        b.thread("u", |t| t.store(x, Expr::Const(2), WriteOrder::Relaxed));
        b.finish()
    };
    assert_eq!(sc_runs(&cas(false)), 2);
    assert_eq!(sc_runs(&cas(true)), 2);
}

#[test]
fn locks_exclude_each_other() {
    let mut b = ProgramBuilder::new("lock");
    let (m, d) = (b.atomic("m", 0), b.plain("d", 0));
    for name in ["t", "u"] {
        b.thread(name, |t| {
            let r = t.register("r");
            t.emit(Instr::Lock(m.into()));
            t.emit(Instr::PlainLoad { dst: r, place: d.into() });
            let value = Expr::binary(BinaryOp::Add, Expr::Reg(r), Expr::Const(1));
            t.emit(Instr::PlainStore { place: d.into(), value });
            t.emit(Instr::Unlock(m.into()));
        });
    }
    let program = b.finish();
    for model in Model::ALL.iter().copied() {
        assert_eq!(race_free(&program, model, &Options::default()).holds(), Some(true), "{}", model.name());
        assert_eq!(robust(&program, model, &Options::default()).holds(), Some(true), "{}", model.name());
    }
    assert_eq!(sc_runs(&program), 2);
}

#[test]
fn arrays_are_indexed_and_checked() {
    let indexed = |index: i32| {
        let mut b = ProgramBuilder::new("array");
        let base = b.atomic("a[0]", 5);
        b.atomic("a[1]", 7);
        b.thread("t", |t| {
            let r = t.register("r");
            let place = Place::Element { base, len: 2, index: Expr::Const(index) };
            t.load(r, place, ReadOrder::Relaxed);
            t.emit(Instr::Assert(register_is(r, 7)));
        });
        b.finish()
    };
    assert_eq!(sc_failures(&indexed(1)), []);
    assert_eq!(sc_failures(&indexed(0)), [None]);
    assert_eq!(sc_failures(&indexed(2)), [Some(EvalError::IndexOutOfBounds)]);
    assert_eq!(sc_failures(&indexed(-1)), [Some(EvalError::IndexOutOfBounds)]);
}

#[test]
fn an_update_can_fail_because_of_a_stale_value() {
    // Dividing by y fails only if y is still 0, which x = 1 excludes under SC.
    let mut b = ProgramBuilder::new("division");
    let (x, y) = (b.atomic("x", 0), b.atomic("y", 0));
    b.thread("t", |t| {
        t.store(y, Expr::Const(1), WriteOrder::Relaxed);
        t.store(x, Expr::Const(1), WriteOrder::Relaxed);
    });
    b.thread("u", |t| {
        let values = vec![Expr::Const(1)];
        t.emit(Instr::Wait { dst: None, place: x.into(), values, order: ReadOrder::Relaxed });
        let update = Expr::binary(BinaryOp::Div, Expr::Const(1), Expr::Old);
        t.emit(Instr::Rmw { dst: None, place: y.into(), update, order: RmwOrder::Relaxed });
    });
    let program = b.finish();
    assert_eq!(sc_failures(&program), []);
    let weak = failures(&program, Model::Rc20, &Options::default()).unwrap();
    assert_eq!(weak[0].error, Some(EvalError::DivisionByZero));
    let strong = failures(&program, Model::Ra, &Options::default()).unwrap();
    assert_eq!(strong, []);
}

#[test]
fn values_are_reduced_as_the_program_says() {
    let stored = |wrap| {
        let mut b = ProgramBuilder::new("wrap");
        b.modulus(11).wrap(wrap);
        let x = b.atomic("x", 0);
        b.thread("t", |t| t.store(x, Expr::Const(-1), WriteOrder::Relaxed));
        b.thread("u", |t| {
            let r = t.register("r");
            t.load(r, x, ReadOrder::Relaxed);
            t.emit(Instr::Assume(Expr::binary(BinaryOp::Ne, Expr::Reg(r), Expr::Const(0))));
            t.emit(Instr::Assert(register_is(r, 10)));
        });
        sc_failures(&b.finish())
    };
    assert_eq!(stored(Wrap::Euclidean), []);
    assert_eq!(stored(Wrap::TruncatedByte), [None]);
}

#[test]
fn what_does_not_fit_is_said_and_not_guessed() {
    let looping = |body: &dyn Fn(&mut steadfast_ir::ThreadBuilder, LocId)| {
        let mut b = ProgramBuilder::new("loop");
        let x = b.atomic("x", 0);
        b.thread("t", |t| {
            let again = t.label();
            t.bind(again);
            body(t, x);
            t.jump(again);
        });
        let options = Options { max_graphs: 1_000, max_events: 20, ..Options::default() };
        match robust(&b.finish(), Model::Rc20, &options) {
            OracleVerdict::TooLarge(limit) => limit,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(looping(&|_, _| {}), Limit::LocalLoop);
    assert_eq!(looping(&|t, x| t.store(x, Expr::Const(1), WriteOrder::Relaxed)), Limit::Events);
    let sb = litmus("x:=1.rlx; a=y.acq || y:=1.rel; F.sc; a=x.rlx");
    let options = Options { max_graphs: 3, ..Options::default() };
    assert!(matches!(robust(&sb, Model::Sc, &options), OracleVerdict::TooLarge(Limit::Graphs)));
}
