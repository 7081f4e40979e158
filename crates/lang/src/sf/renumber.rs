//! Gives the registers of an instruction their final numbers.
//!
//! Code that is dropped, such as the branch of another copy of the thread, leaves unused registers behind. They are not
//! declared, and the others get smaller numbers.

use steadfast_ir::{Expr, Instr, Place, RegId};
use steadfast_span::Index;

/// Replaces every register in an instruction.
pub(super) fn instruction(instr: &mut Instr, to: &[RegId]) {
    match instr {
        Instr::Assign { dst, value } => {
            register(dst, to);
            expression(value, to);
        }
        Instr::Branch { cond, .. } | Instr::Assume(cond) | Instr::Assert(cond) => expression(cond, to),
        Instr::Bound { within, .. } => expression(within, to),
        Instr::Observe(reg) => register(reg, to),
        Instr::Load { dst, place: at, .. } | Instr::PlainLoad { dst, place: at } => {
            register(dst, to);
            place(at, to);
        }
        Instr::Store { place: at, value, .. } | Instr::PlainStore { place: at, value } => {
            place(at, to);
            expression(value, to);
        }
        Instr::Rmw { dst, place: at, update, .. } => {
            optional(dst, to);
            place(at, to);
            expression(update, to);
        }
        Instr::Cas { dst, place: at, expected, new, .. } => {
            optional(dst, to);
            place(at, to);
            expression(expected, to);
            expression(new, to);
        }
        Instr::BlockingCas { place: at, expected, new, .. } => {
            place(at, to);
            expression(expected, to);
            expression(new, to);
        }
        Instr::Wait { dst, place: at, values, .. } => {
            optional(dst, to);
            place(at, to);
            for value in values {
                expression(value, to);
            }
        }
        Instr::Lock(at) | Instr::Unlock(at) => place(at, to),
        Instr::Jump(_) | Instr::Choose(_) | Instr::Exclusive(_) | Instr::Fence(_) | Instr::Halt => {}
    }
}

/// Replaces every register in an expression.
pub(super) fn expression(expr: &mut Expr, to: &[RegId]) {
    match expr {
        Expr::Const(_) | Expr::Old => {}
        Expr::Reg(reg) => register(reg, to),
        Expr::Unary(_, operand) => expression(operand, to),
        Expr::Binary(_, left, right) => {
            expression(left, to);
            expression(right, to);
        }
    }
}

fn place(place: &mut Place, to: &[RegId]) {
    if let Place::Element { index, .. } = place {
        expression(index, to);
    }
}

fn optional(reg: &mut Option<RegId>, to: &[RegId]) {
    if let Some(reg) = reg {
        register(reg, to);
    }
}

fn register(reg: &mut RegId, to: &[RegId]) {
    *reg = to[reg.index()];
}
