//! Programs that are too large for the oracle: more threads, and loops. The checker is compared with itself.

use crate::edit::insert;
use crate::random::{Config, Focus, program};
use steadfast_ir::{BinaryOp, Expr, Instr, Pc, Program, RegId, ThreadId};
use steadfast_random::Rng;
use steadfast_span::Index;

/// How many threads there are at most.
const THREADS: usize = 4;

/// Two random programs side by side, over the same locations, with a loop or two.
pub(crate) fn large(rng: &mut Rng) -> Program {
    let seq_cst = rng.chance(50);
    let config =
        Config { focus: rng.pick(&[Focus::Mixed, Focus::Contention]), seq_cst, branches: 20, ..Config::default() };
    let (mut result, other) = (program(rng, &config), program(rng, &config));
    let places = THREADS.saturating_sub(result.threads.len());
    other.threads.iter().take(places).for_each(|thread| {
        result.threads.push(thread.clone());
    });
    for _ in 0..rng.below(3) {
        add_loop(&mut result, rng);
    }
    result
}

/// A jump backwards, taken while a register has a certain value. Nothing says that the loop does anything, or ends.
fn add_loop(program: &mut Program, rng: &mut Rng) {
    let id = ThreadId::new(rng.below(program.threads.len()));
    let thread = &mut program.threads[id];
    let at = rng.below(thread.code.len());
    let back = Pc::new(at - rng.below(at + 1).min(3));
    let (register, value) = (RegId::new(rng.below(thread.registers.len())), Expr::Const(rng.pick(&[0, 1, 2])));
    let cond = Expr::binary(rng.pick(&[BinaryOp::Eq, BinaryOp::Ne]), Expr::Reg(register), value);
    insert(thread, at, vec![Instr::Branch { cond, then: back, otherwise: Pc::new(at + 1) }]);
}
