//! The positions where a thread runs alone.

use crate::{Instr, Pc, Thread, cfg};
use steadfast_span::{Index, IndexVec};

/// By position, whether a thread there prevents all others from running: some way to it passes [`Instr::Exclusive`] but not the end of the section.
pub fn exclusive_at(thread: &Thread) -> IndexVec<Pc, bool> {
    let mut reached = vec![[false; 2]; thread.code.len()];
    let mut stack = vec![(Pc::new(0), false)];
    while let Some((pc, alone)) = stack.pop() {
        if std::mem::replace(&mut reached[pc.index()][usize::from(alone)], true) {
            continue;
        }
        let op = &thread.code[pc].op;
        let alone = if let Instr::Exclusive(begins) = op { *begins } else { alone };
        stack.extend(cfg::successors(pc, op).into_iter().map(|next| (next, alone)));
    }
    reached.into_iter().map(|[_, alone]| alone).collect()
}

#[cfg(test)]
mod tests {
    use super::exclusive_at;
    use crate::{Expr, Instr, ProgramBuilder, WriteOrder};

    #[test]
    fn from_the_beginning_to_the_end() {
        let mut program = ProgramBuilder::new("section");
        let x = program.atomic("x", 0);
        program.thread("t", |t| {
            t.store(x, Expr::Const(1), WriteOrder::Relaxed);
            t.emit(Instr::Exclusive(true));
            t.store(x, Expr::Const(2), WriteOrder::Relaxed);
            t.emit(Instr::Exclusive(false));
        });
        let program = program.finish();
        let alone = exclusive_at(&program.threads.as_slice()[0]);
        assert_eq!(alone.as_slice(), [false, false, true, true, false]);
    }
}
