//! Changes random programs of the language so that C can express them. The checker gets the changed programs, too.

use steadfast_ir::{BinaryOp, Expr, Instr, Instruction, Pc, Program, ReadOrder, RegId, Register, RmwOrder, Thread};
use steadfast_ir::{FenceOrder, WriteOrder};
use steadfast_span::{Index, Span};

/// All values are bytes, and there are too few additions for an overflow. C would wrap at the width of the location.
const MODULUS: u16 = 256;

/// Which forms of a compare-exchange the compiler passes to the runtime unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Forms {
    /// A weak one does not become a strong one.
    pub(super) weak: bool,
    /// Its order on failure may be stronger than on success.
    pub(super) any_failure: bool,
}

/// Changes a program to a form that C has. A thread that fails an assertion just stops, so the program stays usable.
pub(super) fn to_c(program: &mut Program, forms: Forms) {
    program.locations.iter_mut().for_each(|location| location.modulus = MODULUS);
    for thread in &mut program.threads {
        thread.registers.iter_mut().for_each(|register| register.modulus = MODULUS);
        for Instruction { op, .. } in &mut thread.code {
            match op {
                Instr::Assert(condition) => *op = Instr::Assume(condition.clone()),
                Instr::Wait { values, .. } => values.truncate(1),
                Instr::Cas { success, failure, spurious, .. } => {
                    *spurious &= forms.weak;
                    if !forms.any_failure {
                        *failure = allowed(*success, *failure);
                    }
                }
                _ => {}
            }
        }
    }
}

/// The failure order that gcc keeps. gcc makes a compare-exchange `seq_cst` if its failure order is stronger than its success order, by gcc's numbers for orders.
fn allowed(success: RmwOrder, failure: ReadOrder) -> ReadOrder {
    match (success, failure) {
        (RmwOrder::Relaxed, _) => ReadOrder::Relaxed,
        (RmwOrder::SeqCst, failure) => failure,
        (_, ReadOrder::SeqCst) => ReadOrder::Acquire,
        (_, failure) => failure,
    }
}

/// Whether the program has an instruction that waits.
pub(super) fn waits(program: &Program) -> bool {
    let waits = |op: &Instr| matches!(op, Instr::Wait { .. } | Instr::BlockingCas { .. } | Instr::Lock(_));
    program.threads.iter().any(|thread| thread.code.iter().any(|instruction| waits(&instruction.op)))
}

/// Replaces waits: the thread looks once, and stops if the value is not there. A compiled thread that waits in vain would never end.
pub(super) fn look_once(program: &mut Program) {
    for thread in &mut program.threads {
        let scratch = RegId::new(thread.registers.len());
        thread.registers.push(Register { name: "seen".into(), modulus: MODULUS, temporary: false });
        expand(thread, |_, op| {
            let is = |value: &Expr| Instr::Assume(Expr::binary(BinaryOp::Eq, Expr::Reg(scratch), value.clone()));
            let exchange = |place: &steadfast_ir::Place, expected: &Expr, new: Expr, order: RmwOrder| Instr::Cas {
                dst: Some(scratch),
                place: place.clone(),
                expected: expected.clone(),
                new,
                success: order,
                failure: order.read(),
                spurious: false,
            };
            match op {
                Instr::Wait { dst, place, values, order } => {
                    let mut ops = vec![Instr::Load { dst: scratch, place: place.clone(), order: *order }];
                    ops.extend(values.first().map(is));
                    ops.extend(dst.map(|dst| Instr::Assign { dst, value: Expr::Reg(scratch) }));
                    Some(ops)
                }
                Instr::BlockingCas { place, expected, new, order } => {
                    Some(vec![exchange(place, expected, new.clone(), *order), is(expected)])
                }
                Instr::Lock(place) => {
                    let free = Expr::Const(0);
                    Some(vec![exchange(place, &free, Expr::Const(1), RmwOrder::Acquire), is(&free)])
                }
                _ => None,
            }
        });
    }
}

/// The program for the checker: a weak compare-exchange becomes a choice between a spurious failure and a strong one.
pub(super) fn for_checker(program: &Program) -> Program {
    let mut asked = program.clone();
    for thread in &mut asked.threads {
        expand(thread, |at, op| match op {
            Instr::Cas { spurious: true, .. } => {
                let mut strong = op.clone();
                if let Instr::Cas { spurious, .. } = &mut strong {
                    *spurious = false;
                }
                let choice = Instr::Choose(vec![Pc::new(at + 1), Pc::new(at + 3)]);
                Some(vec![choice, op.clone(), Instr::Jump(Pc::new(at + 4)), strong])
            }
            _ => None,
        });
    }
    asked
}

/// Replaces `seq_cst` by weaker orders, for the model in which it means only acquire and release.
pub(super) fn without_seq_cst(program: &mut Program) {
    let read = |order: &mut ReadOrder| {
        if *order == ReadOrder::SeqCst {
            *order = ReadOrder::Acquire;
        }
    };
    let update = |order: &mut RmwOrder| {
        if *order == RmwOrder::SeqCst {
            *order = RmwOrder::AcqRel;
        }
    };
    for Instruction { op, .. } in program.threads.iter_mut().flat_map(|thread| thread.code.iter_mut()) {
        match op {
            Instr::Load { order, .. } | Instr::Wait { order, .. } => read(order),
            Instr::Store { order: order @ WriteOrder::SeqCst, .. } => *order = WriteOrder::Release,
            Instr::Rmw { order, .. } | Instr::BlockingCas { order, .. } => update(order),
            Instr::Cas { success, failure, .. } => {
                update(success);
                read(failure);
            }
            Instr::Fence(order @ FenceOrder::SeqCst) => *order = FenceOrder::AcqRel,
            _ => {}
        }
    }
}

/// Replaces some instructions by others. `others` gets the place of the first new instruction; jumps to the old instruction lead to it.
fn expand(thread: &mut Thread, others: impl Fn(usize, &Instr) -> Option<Vec<Instr>>) {
    let mut code: Vec<Instr> = Vec::new();
    let mut old = Vec::new();
    let mut places = Vec::new();
    for Instruction { op, .. } in &thread.code {
        places.push(Pc::new(code.len()));
        if let Some(ops) = others(code.len(), op) {
            code.extend(ops);
        } else {
            old.push(code.len());
            code.push(op.clone());
        }
    }
    let move_along = |target: &mut Pc| *target = places[target.index()];
    for at in old {
        match &mut code[at] {
            Instr::Jump(target) => move_along(target),
            Instr::Branch { then, otherwise, .. } => [then, otherwise].into_iter().for_each(move_along),
            Instr::Choose(targets) => targets.iter_mut().for_each(move_along),
            _ => {}
        }
    }
    thread.code = code.into_iter().map(|op| Instruction { op, span: Span::default() }).collect();
}
