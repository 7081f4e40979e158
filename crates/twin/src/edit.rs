//! Changing code without breaking its jumps.

use steadfast_ir::{Instr, Instruction, Pc, Thread};
use steadfast_span::{Index, Span};

/// Inserts instructions. Jumps to the one that was there now lead to the first of them.
pub fn insert(thread: &mut Thread, at: usize, ops: Vec<Instr>) {
    let by = ops.len();
    for_each_target(thread, |target| {
        if target.index() > at {
            *target = Pc::new(target.index() + by);
        }
    });
    let mut code: Vec<Instruction> = thread.code.iter().cloned().collect();
    code.splice(at..at, ops.into_iter().map(|op| Instruction { op, span: Span::default() }));
    thread.code = code.into_iter().collect();
}

fn for_each_target(thread: &mut Thread, mut change: impl FnMut(&mut Pc)) {
    for Instruction { op, .. } in &mut thread.code {
        match op {
            Instr::Jump(target) => change(target),
            Instr::Branch { then, otherwise, .. } => [then, otherwise].into_iter().for_each(&mut change),
            Instr::Choose(targets) => targets.iter_mut().for_each(&mut change),
            _ => {}
        }
    }
}

/// Whether some jump leads backwards.
pub(crate) fn has_loop(thread: &Thread) -> bool {
    let backwards = |(pc, instruction): (Pc, &Instruction)| {
        steadfast_ir::cfg::successors(pc, &instruction.op).iter().any(|&target| target <= pc)
    };
    thread.code.enumerated().any(backwards)
}
