//! Control flow.

use crate::{Instr, Pc, Thread, dataflow};
use steadfast_span::{Index, IndexVec};

/// The positions where control can continue after the instruction at `pc`. A failed assume ends the thread and has no successor.
pub fn successors(pc: Pc, instr: &Instr) -> Vec<Pc> {
    match instr {
        Instr::Jump(target) => vec![*target],
        Instr::Branch { then, otherwise, .. } if then == otherwise => vec![*then],
        Instr::Branch { then, otherwise, .. } => vec![*then, *otherwise],
        Instr::Choose(targets) => targets.clone(),
        Instr::Halt => Vec::new(),
        _ => vec![Pc::new(pc.index() + 1)],
    }
}

/// The search for a way back ends after this many instructions.
const FAR: usize = 64;

/// By position, whether it is an access that may return to itself without another access in between. If the search takes too long, the answer is yes.
pub fn may_return(thread: &Thread) -> IndexVec<Pc, bool> {
    let is_access = |pc: Pc| dataflow::place(&thread.code[pc].op).is_some();
    let may_return = |start: Pc| {
        let mut reached = successors(start, &thread.code[start].op);
        let mut at = 0;
        while let Some(&pc) = reached.get(at) {
            if pc == start || at == FAR {
                return true;
            }
            if pc.index() < thread.code.len() && !is_access(pc) {
                for next in successors(pc, &thread.code[pc].op) {
                    if !reached.contains(&next) {
                        reached.push(next);
                    }
                }
            }
            at += 1;
        }
        false
    };
    thread.code.enumerated().map(|(pc, _)| is_access(pc) && may_return(pc)).collect()
}

#[cfg(test)]
mod tests {
    use super::may_return;
    use crate::{BinaryOp, Expr, FenceOrder, Instr, ProgramBuilder, ReadOrder, WriteOrder};
    use steadfast_span::Index;

    #[test]
    fn a_loop_around_one_access_returns_and_a_loop_around_two_does_not() {
        let mut program = ProgramBuilder::new("loops");
        let (x, y) = (program.atomic("x", 0), program.atomic("y", 0));
        program.thread("t", |t| {
            let r = t.register("r");
            let is_zero = Expr::binary(BinaryOp::Eq, Expr::Reg(r), Expr::Const(0));
            let (wait, twice, end) = (t.label(), t.label(), t.label());
            t.bind(wait);
            t.load(r, x, ReadOrder::Acquire);
            t.fence(FenceOrder::SeqCst);
            t.branch(is_zero.clone(), wait, twice);
            t.bind(twice);
            t.store(y, Expr::Const(1), WriteOrder::Release);
            t.load(r, x, ReadOrder::Acquire);
            t.branch(is_zero, twice, end);
            t.bind(end);
            t.emit(Instr::Halt);
        });
        let program = program.finish();
        let thread = &program.threads.as_slice()[0];
        let found = may_return(thread);
        assert_eq!(found.enumerated().filter(|(_, may)| **may).map(|(pc, _)| pc.index()).collect::<Vec<_>>(), [0]);
    }

    #[test]
    fn too_far_to_tell_is_yes() {
        let mut program = ProgramBuilder::new("far");
        let x = program.atomic("x", 0);
        program.thread("t", |t| {
            let r = t.register("r");
            t.load(r, x, ReadOrder::Acquire);
            (0..200).for_each(|_| t.emit(Instr::Assign { dst: r, value: Expr::Const(0) }));
        });
        let program = program.finish();
        assert!(may_return(&program.threads.as_slice()[0]).as_slice()[0]);
    }
}
