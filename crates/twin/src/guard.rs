//! Plain accesses behind a flag, as programs really have them.
//!
//! Accesses that are random almost always race already under SC. Whether a race exists only under a weak model is decided by how one
//! thread passes the location on to another, so many programs get such a hand-over, right or wrong.

use crate::edit::insert;
use steadfast_ir::{
    BinaryOp, Expr, FenceOrder, Instr, LocId, Pc, Place, Program, ReadOrder, RegId, RmwOrder, ThreadId, WriteOrder,
};
use steadfast_random::Rng;
use steadfast_span::Index;

/// Lets one thread raise a flag behind its plain accesses, and the others wait for the flag before theirs.
pub(crate) fn hand_over(program: &mut Program, rng: &mut Rng) {
    let flag = a_flag(program, rng);
    around_plain_accesses(program, rng, |rng| raise(&flag, rng), |rng| lower(&flag, rng));
}

/// The same with two flags: one that the others wait for, and one that they read without looking at the value. Whether they synchronise depends on what that read takes.
pub(crate) fn hand_over_unseen(program: &mut Program, rng: &mut Rng) {
    let [seen, unseen] = [a_flag(program, rng), a_flag(program, rng)];
    let both = |rng: &mut Rng| {
        let mut code = if rng.chance(50) { raise(&unseen, rng) } else { Vec::new() };
        code.extend(raise(&unseen, rng));
        code.extend(raise(&seen, rng));
        code
    };
    let look = |rng: &mut Rng| {
        let order = rng.pick(&[ReadOrder::Relaxed, ReadOrder::Acquire, ReadOrder::Acquire]);
        let mut code = lower(&seen, rng);
        code.push(Instr::Load { dst: RegId::new(1), place: unseen.clone(), order });
        code
    };
    around_plain_accesses(program, rng, both, look);
}

/// With a flag behind `seq_cst` fences: whoever raises it has seen that the others are not past theirs. That orders the accesses, but only where fences synchronise is it happens-before.
pub(crate) fn hand_over_by_fences(program: &mut Program, rng: &mut Rng) {
    let [seen, arrived] = [a_flag(program, rng), a_flag(program, rng)];
    let first_of_all = |rng: &mut Rng| {
        let (register, place) = (RegId::new(2), arrived.clone());
        let nobody = Expr::binary(BinaryOp::Eq, Expr::Reg(register), Expr::Const(0));
        let load = Instr::Load { dst: register, place, order: rng.pick(&[ReadOrder::Relaxed, ReadOrder::SeqCst]) };
        let mut code = vec![Instr::Fence(FenceOrder::SeqCst), load, Instr::Assume(nobody)];
        code.extend(raise(&seen, rng));
        code
    };
    let arrive = |rng: &mut Rng| {
        let order = rng.pick(&[WriteOrder::Relaxed, WriteOrder::Release]);
        let mut code = vec![Instr::Store { place: arrived.clone(), value: Expr::Const(1), order }];
        code.push(Instr::Fence(FenceOrder::SeqCst));
        code.extend(lower(&seen, rng));
        code
    };
    around_plain_accesses(program, rng, first_of_all, arrive);
}

fn a_flag(program: &Program, rng: &mut Rng) -> Place {
    Place::Fixed(LocId::new(1 + rng.below(program.locations.len() - 1)))
}

/// Puts something behind the plain accesses of one thread, and something before those of most others.
fn around_plain_accesses(
    program: &mut Program,
    rng: &mut Rng,
    behind: impl Fn(&mut Rng) -> Vec<Instr>,
    before: impl Fn(&mut Rng) -> Vec<Instr>,
) {
    let owner = ThreadId::new(rng.below(program.threads.len()));
    for id in program.threads.indices() {
        let thread = &mut program.threads[id];
        let plain: Vec<usize> = (0..thread.code.len()).filter(|&at| is_plain(&thread.code[Pc::new(at)].op)).collect();
        let (Some(&first), Some(&last)) = (plain.first(), plain.last()) else { continue };
        if id == owner {
            insert(thread, last + 1, behind(rng));
        } else if rng.chance(90) {
            insert(thread, first, before(rng));
        }
    }
}

fn is_plain(op: &Instr) -> bool {
    matches!(op, Instr::PlainLoad { .. } | Instr::PlainStore { .. })
}

fn raise(flag: &Place, rng: &mut Rng) -> Vec<Instr> {
    let mut code = Vec::new();
    if rng.chance(25) {
        code.push(Instr::Fence(rng.pick(&[FenceOrder::Release, FenceOrder::SeqCst])));
    }
    let (place, value) = (flag.clone(), Expr::Const(1));
    code.push(if rng.chance(80) {
        let order = rng.pick(&[WriteOrder::Relaxed, WriteOrder::Release, WriteOrder::Release, WriteOrder::SeqCst]);
        Instr::Store { place, value, order }
    } else {
        let order = rng.pick(&[RmwOrder::Relaxed, RmwOrder::Acquire, RmwOrder::Release, RmwOrder::AcqRel]);
        Instr::Rmw { dst: None, place, update: value, order }
    });
    code
}

fn lower(flag: &Place, rng: &mut Rng) -> Vec<Instr> {
    let (place, seen, register) = (flag.clone(), Expr::Const(1), RegId::new(2));
    let order = rng.pick(&[ReadOrder::Relaxed, ReadOrder::Acquire, ReadOrder::Acquire, ReadOrder::SeqCst]);
    let mut code = match rng.below(3) {
        0 => vec![Instr::Wait { dst: None, place, values: vec![seen], order }],
        1 => {
            let order = rng.pick(&[RmwOrder::Relaxed, RmwOrder::Acquire, RmwOrder::Release, RmwOrder::AcqRel]);
            vec![Instr::BlockingCas { place, expected: seen, new: Expr::Const(rng.pick(&[1, 2])), order }]
        }
        _ => vec![
            Instr::Load { dst: register, place, order },
            Instr::Assume(Expr::binary(BinaryOp::Eq, Expr::Reg(register), seen)),
        ],
    };
    if rng.chance(25) {
        code.push(Instr::Fence(rng.pick(&[FenceOrder::Acquire, FenceOrder::SeqCst])));
    }
    code
}
