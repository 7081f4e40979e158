//! Variations that the generator of random programs does not make: threads with equal code, fences alone, cells of arrays, locks,
//! assumptions, choices before the first access, initial values.

use crate::edit::insert;
use steadfast_ir::{
    BinaryOp, Expr, FenceOrder, Instr, Instruction, LocId, LocKind, Pc, Place, Program, ReadOrder, RegId, RmwOrder,
    ThreadId, WriteOrder,
};
use steadfast_random::Rng;
use steadfast_span::Index;

/// Perhaps varies a program.
pub(crate) fn vary(program: &mut Program, rng: &mut Rng) {
    if rng.chance(30) {
        duplicate_thread(program, rng);
    }
    if rng.chance(25) && has_sc_fence(program) {
        each_instruction(program, rng, leave_it_to_fences);
    }
    if rng.chance(20) {
        each_instruction(program, rng, lock);
    }
    if rng.chance(10) && program.locations.iter().all(|location| location.kind == LocKind::Atomic) {
        let cells = program.locations.len() as u16;
        each_instruction(program, rng, |op, rng| index(op, rng, cells));
    }
    if rng.chance(10) {
        each_instruction(program, rng, assume);
    }
    if rng.chance(10) {
        start_anywhere(program, rng);
    }
    if rng.chance(10) {
        program.locations.iter_mut().for_each(|location| location.init = rng.pick(&[0, 1, 2]));
    }
}

/// Some threads begin with a choice where to begin. The end is one of the places, so that a thread can start where others only arrive.
fn start_anywhere(program: &mut Program, rng: &mut Rng) {
    for thread in &mut program.threads {
        if rng.chance(60) {
            let end = thread.code.len();
            let mut starts: Vec<Pc> = (0..=rng.below(3)).map(|_| Pc::new(1 + rng.below(end))).collect();
            starts.insert(rng.below(starts.len() + 1), Pc::new(end));
            insert(thread, 0, vec![Instr::Choose(starts)]);
        }
    }
}

/// Makes two threads equal, so that symmetry has something to do. A third thread replaces one of the others: four are too many for the oracle.
fn duplicate_thread(program: &mut Program, rng: &mut Rng) {
    let threads = program.threads.len();
    let original = rng.below(threads);
    let copy = program.threads[ThreadId::new(original)].clone();
    if threads == 2 && copy.code.len() <= 4 {
        program.threads.push(copy);
    } else {
        program.threads[ThreadId::new((original + 1) % threads)] = copy;
    }
}

fn each_instruction(program: &mut Program, rng: &mut Rng, change: impl Fn(&mut Instr, &mut Rng)) {
    for thread in &mut program.threads {
        thread.code.iter_mut().for_each(|Instruction { op, .. }| change(op, rng));
    }
}

fn has_sc_fence(program: &Program) -> bool {
    let mut code = program.threads.iter().flat_map(|thread| &thread.code);
    code.any(|instruction| instruction.op == Instr::Fence(FenceOrder::SeqCst))
}

/// Everything but fences becomes relaxed: what `seq_cst` fences do, and in which model, shows best where nothing else orders anything.
fn leave_it_to_fences(op: &mut Instr, rng: &mut Rng) {
    match op {
        Instr::Load { order, .. } | Instr::Wait { order, .. } => *order = ReadOrder::Relaxed,
        Instr::Store { order, .. } => *order = WriteOrder::Relaxed,
        Instr::Rmw { order, .. } | Instr::BlockingCas { order, .. } => *order = RmwOrder::Relaxed,
        Instr::Cas { success, failure, .. } => (*success, *failure) = (RmwOrder::Relaxed, ReadOrder::Relaxed),
        Instr::Fence(order) if rng.chance(70) => *order = FenceOrder::SeqCst,
        _ => {}
    }
}

/// Blocking compare-and-swaps from 0 become locks, and some stores unlocks.
fn lock(op: &mut Instr, rng: &mut Rng) {
    match op {
        Instr::BlockingCas { place, expected: Expr::Const(0), .. } => *op = Instr::Lock(place.clone()),
        Instr::Store { place, .. } if rng.chance(30) => *op = Instr::Unlock(place.clone()),
        _ => {}
    }
}

/// Some accesses go to the cell that a register chooses.
fn index(op: &mut Instr, rng: &mut Rng, cells: u16) {
    let register = Expr::Reg(RegId::new(rng.below(3)));
    let cell = if rng.chance(70) {
        Expr::binary(BinaryOp::Rem, register, Expr::Const(cells.into()))
    } else {
        // May lie outside, which is a failure.
        register
    };
    let indexed = Place::Element { base: LocId::new(0), len: cells.into(), index: cell };
    let (Instr::Load { place, .. }
    | Instr::Store { place, .. }
    | Instr::Rmw { place, .. }
    | Instr::Cas { place, .. }
    | Instr::Wait { place, .. }) = op
    else {
        return;
    };
    if rng.chance(25) {
        *place = indexed;
    }
}

/// Some waits become a load and an assumption, which in the graph is a different thing.
fn assume(op: &mut Instr, rng: &mut Rng) {
    match op {
        Instr::Branch { cond, .. } if rng.chance(50) => *op = Instr::Assume(cond.clone()),
        Instr::BlockingCas { place, new, .. } if rng.chance(20) => {
            *op = Instr::Rmw { dst: None, place: place.clone(), update: new.clone(), order: RmwOrder::AcqRel };
        }
        _ => {}
    }
}
