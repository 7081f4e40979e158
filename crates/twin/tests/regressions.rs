//! Programs that the checker and its twins once disagreed about.
#![allow(missing_docs)]

use steadfast_ir::{BinaryOp, Expr, Instr, Place, Program, ProgramBuilder, ReadOrder, WriteOrder};
use steadfast_robust::Supported;
use steadfast_twin::{Answer, Depth, Judgement, Question, Subject, judge};

fn agree(program: &Program, model: Supported, subject: Subject, answer: Answer) {
    let question = Question { model, subject };
    assert_eq!(judge(program, question, Depth::Thorough), Judgement::Agree(answer), "{question}\n{program}");
}

/// Relaxed message passing; what the receiver does with the message is given.
fn message_passing(receive: impl FnOnce(&mut steadfast_ir::ThreadBuilder, steadfast_ir::LocId)) -> Program {
    let mut b = ProgramBuilder::new("message-passing");
    let (x, y) = (b.atomic("x", 0), b.atomic("y", 0));
    b.thread("sender", |t| {
        t.store(x, Expr::Const(1), WriteOrder::Relaxed);
        t.store(y, Expr::Const(1), WriteOrder::Relaxed);
    });
    b.thread("receiver", |t| {
        let values = vec![Expr::Const(1)];
        t.emit(Instr::Wait { dst: None, place: y.into(), values, order: ReadOrder::Relaxed });
        receive(t, x);
    });
    b.finish()
}

/// The stale value leads straight into a failing assertion, so that there is no state behind the read.
#[test]
fn an_assertion_that_fails_for_the_stale_value_only() {
    let program = message_passing(|t, x| {
        let r = t.register("r");
        t.load(r, x, ReadOrder::Relaxed);
        t.emit(Instr::Assert(Expr::binary(BinaryOp::Ne, Expr::Reg(r), Expr::Const(0))));
    });
    for subject in [Subject::Graph, Subject::Letter, Subject::Observational] {
        agree(&program, Supported::Rc20, subject, Answer::NotRobust);
        agree(&program, Supported::Ra, subject, Answer::Robust);
    }
    agree(&program, Supported::Rc11, Subject::Graph, Answer::NotRobust);
}

/// The same with an index that is out of range for the stale value only.
#[test]
fn an_index_that_is_wrong_for_the_stale_value_only() {
    let program = message_passing(|t, x| {
        let r = t.register("r");
        t.load(r, x, ReadOrder::Relaxed);
        let index = Expr::binary(BinaryOp::Sub, Expr::Reg(r), Expr::Const(1));
        t.store(Place::Element { base: x, len: 1, index }, Expr::Const(2), WriteOrder::Relaxed);
    });
    agree(&program, Supported::Rc20, Subject::Graph, Answer::NotRobust);
    agree(&program, Supported::Rc11, Subject::Graph, Answer::NotRobust);
    agree(&program, Supported::Sra, Subject::Graph, Answer::Robust);
}
