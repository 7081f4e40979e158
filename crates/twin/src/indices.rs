//! Programs with counters that may only matter relative to each other, so that the checker translates them.
//!
//! One thread moves an index on. Another one computes a second index from what it saw, perhaps long ago. Where the two compare in a
//! certain way, there is one half of store buffering. So the program is robust iff they never do, and a translation that misjudges distances shows.

use steadfast_ir::{
    BinaryOp, Expr, Instr, LocId, Program, ProgramBuilder, ReadOrder, RegId, ThreadBuilder, WriteOrder,
};
use steadfast_random::Rng;

/// The locations of such a program.
struct Locations {
    top: LocId,
    bottom: LocId,
    moved: LocId,
    written: LocId,
    halves: [LocId; 2],
}

/// A random program with indices.
pub(crate) fn indices(rng: &mut Rng) -> Program {
    let mut b = ProgramBuilder::new("indices");
    b.modulus(256);
    let start = |rng: &mut Rng| rng.pick(&[1, 1, 4, 70, 190]);
    let at = Locations {
        top: b.atomic("top", start(rng)),
        bottom: b.atomic("bottom", start(rng)),
        moved: b.atomic("moved", 0),
        written: b.atomic("written", 0),
        halves: [b.atomic("y", 0), b.atomic("z", 0)],
    };
    let limit = rng.pick(&[9, 80, 200, 250]);
    b.thread("mover", |t| mover(t, rng, &at, limit));
    b.thread("writer", |t| writer(t, rng, &at, limit));
    b.thread("judge", |t| judge(t, rng, &at, limit));
    b.thread("other", |t| half(t, [at.halves[1], at.halves[0]]));
    b.finish()
}

fn offset(rng: &mut Rng) -> i32 {
    rng.pick(&[0, 0, 0, 1, 2, 3, 5, 10, 120, 149, -1, -2, -4, -60])
}

fn plus(register: RegId, offset: i32) -> Expr {
    if offset == 0 {
        Expr::Reg(register)
    } else {
        Expr::binary(BinaryOp::Add, Expr::Reg(register), Expr::Const(offset))
    }
}

/// How `index` and `other` compare, one of them perhaps with an offset.
fn comparison(rng: &mut Rng, index: RegId, other: RegId) -> Expr {
    use BinaryOp::{Eq, Ge, Gt, Le, Lt, Ne};
    let (here, there) = if rng.chance(50) { (offset(rng), 0) } else { (0, offset(rng)) };
    Expr::binary(rng.pick(&[Lt, Le, Gt, Ge, Eq, Ne]), plus(index, here), plus(other, there))
}

fn bounded(t: &mut ThreadBuilder, register: RegId, limit: i32) {
    t.emit(Instr::Assume(Expr::binary(BinaryOp::Lt, Expr::Reg(register), Expr::Const(limit))));
}

fn signalled(t: &mut ThreadBuilder, flag: LocId) {
    t.emit(Instr::Wait { dst: None, place: flag.into(), values: vec![Expr::Const(1)], order: ReadOrder::Acquire });
}

/// Runs some code only if a condition holds.
fn only_if(t: &mut ThreadBuilder, condition: Expr, code: impl FnOnce(&mut ThreadBuilder)) {
    let (then, end) = (t.label(), t.label());
    t.branch(condition, then, end);
    t.bind(then);
    code(t);
    t.bind(end);
}

/// Moves `top` on, by much or little, as long as that is allowed.
fn mover(t: &mut ThreadBuilder, rng: &mut Rng, at: &Locations, limit: i32) {
    let (index, seen) = (t.register("t"), t.register("b"));
    let (steps, advance) = (1 + rng.below(3), rng.pick(&[1, 1, 2, 7, 40]));
    let window = rng.chance(30).then(|| rng.pick(&[0, 3, 120]));
    t.load(index, at.top, ReadOrder::Acquire);
    if window.is_some() {
        t.load(seen, at.bottom, ReadOrder::Acquire);
    }
    let end = t.label();
    for _ in 0..steps {
        bounded(t, index, limit);
        if let Some(window) = window {
            let go_on = t.label();
            t.branch(Expr::binary(BinaryOp::Le, Expr::Reg(index), plus(seen, window)), go_on, end);
            t.bind(go_on);
        }
        t.emit(Instr::Assign { dst: index, value: plus(index, advance) });
        t.store(at.top, Expr::Reg(index), WriteOrder::Release);
    }
    t.bind(end);
    t.store(at.moved, Expr::Const(1), WriteOrder::Release);
}

/// Writes `bottom`, computed from what was seen before or after `top` moved on.
fn writer(t: &mut ThreadBuilder, rng: &mut Rng, at: &Locations, limit: i32) {
    let (seen, index, top) = (t.register("b"), t.register("r"), t.register("t"));
    t.load(seen, rng.pick(&[at.top, at.bottom]), ReadOrder::Acquire);
    if rng.chance(60) {
        signalled(t, at.moved);
    }
    let guarded = rng.chance(40);
    if guarded {
        t.load(top, at.top, ReadOrder::Acquire);
    }
    bounded(t, seen, limit);
    t.emit(Instr::Assign { dst: index, value: plus(seen, offset(rng)) });
    let (place, value) = (at.bottom, plus(index, offset(rng)));
    if guarded {
        let condition = comparison(rng, index, top);
        only_if(t, condition, |t| t.store(place, value, WriteOrder::Release));
    } else {
        t.store(place, value, WriteOrder::Release);
    }
    t.store(at.written, Expr::Const(1), WriteOrder::Release);
}

/// Compares the two, and is one half of store buffering if they are as it wants.
fn judge(t: &mut ThreadBuilder, rng: &mut Rng, at: &Locations, limit: i32) {
    let (bottom, top, index) = (t.register("x"), t.register("t"), t.register("w"));
    if rng.chance(60) {
        signalled(t, at.written);
    }
    if rng.chance(30) {
        signalled(t, at.moved);
    }
    t.load(bottom, at.bottom, ReadOrder::Acquire);
    t.load(top, at.top, ReadOrder::Acquire);
    bounded(t, bottom, limit);
    t.emit(Instr::Assign { dst: index, value: plus(bottom, offset(rng)) });
    let condition = comparison(rng, index, top);
    only_if(t, condition, |t| half(t, at.halves));
}

fn half(t: &mut ThreadBuilder, [mine, theirs]: [LocId; 2]) {
    let read = t.register("q");
    t.store(mine, Expr::Const(1), WriteOrder::Relaxed);
    t.load(read, theirs, ReadOrder::Relaxed);
}
