//! A readable listing of a program, for debugging and for test messages.

use crate::{Expr, Instr, Place, Program, Thread, UnaryOp};
use std::fmt;
use steadfast_span::Index;

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for location in &self.locations {
            writeln!(f, "{:?} {} = {} mod {}", location.kind, location.name, location.init, location.modulus)?;
        }
        for thread in &self.threads {
            writeln!(f, "thread {}", thread.name)?;
            for (pc, instruction) in thread.code.enumerated() {
                writeln!(f, "  {:3}: {}", pc.index(), self.instr_text(thread, &instruction.op))?;
            }
        }
        Ok(())
    }
}

impl Program {
    /// One expression, with the register names of its thread.
    pub fn expr_text(thread: &Thread, expr: &Expr) -> String {
        match expr {
            Expr::Const(value) => value.to_string(),
            Expr::Reg(reg) => thread.registers[*reg].name.clone(),
            Expr::Old => "old".into(),
            Expr::Unary(op, operand) => {
                let symbol = match op {
                    UnaryOp::Not => "!",
                    UnaryOp::Neg => "-",
                    UnaryOp::BitNot => "~",
                };
                format!("{symbol}{}", Self::expr_text(thread, operand))
            }
            Expr::Binary(op, left, right) => {
                format!("({} {} {})", Self::expr_text(thread, left), op.symbol(), Self::expr_text(thread, right))
            }
        }
    }

    fn place_text(&self, thread: &Thread, place: &Place) -> String {
        match place {
            Place::Fixed(loc) => self.locations[*loc].name.clone(),
            Place::Element { base, index, .. } => {
                let name = self.locations[*base].name.trim_end_matches("[0]");
                format!("{name}[{}]", Self::expr_text(thread, index))
            }
        }
    }

    /// One instruction on one line.
    pub fn instr_text(&self, thread: &Thread, instr: &Instr) -> String {
        let expr = |e: &Expr| Self::expr_text(thread, e);
        let place = |p: &Place| self.place_text(thread, p);
        let into =
            |dst: &Option<crate::RegId>| dst.map_or(String::new(), |reg| format!("{} := ", thread.registers[reg].name));
        match instr {
            Instr::Assign { dst, value } => format!("{} := {}", thread.registers[*dst].name, expr(value)),
            Instr::Jump(target) => format!("goto {}", target.index()),
            Instr::Branch { cond, then, otherwise } => {
                format!("if {} goto {} else {}", expr(cond), then.index(), otherwise.index())
            }
            Instr::Choose(targets) => format!("choose {:?}", targets.iter().map(|t| t.index()).collect::<Vec<_>>()),
            Instr::Assume(cond) => format!("assume {}", expr(cond)),
            Instr::Assert(cond) => format!("assert {}", expr(cond)),
            Instr::Bound { within, .. } => format!("bound {}", expr(within)),
            Instr::Exclusive(true) => "exclusive".into(),
            Instr::Exclusive(false) => "shared".into(),
            Instr::Observe(reg) => format!("observe {}", thread.registers[*reg].name),
            Instr::Load { dst, place: p, order } => format!("{}{}.load({order})", into(&Some(*dst)), place(p)),
            Instr::Store { place: p, value, order } => format!("{}.store({}, {order})", place(p), expr(value)),
            Instr::PlainLoad { dst, place: p } => format!("{}{}", into(&Some(*dst)), place(p)),
            Instr::PlainStore { place: p, value } => format!("{} = {}", place(p), expr(value)),
            Instr::Rmw { dst, place: p, update, order } => {
                format!("{}{}.update({}, {order})", into(dst), place(p), expr(update))
            }
            Instr::Cas { dst, place: p, expected, new, success, failure, spurious } => format!(
                "{}{}.cas{}({}, {}, {success}, {failure})",
                into(dst),
                place(p),
                if *spurious { "_that_fails" } else { "" },
                expr(expected),
                expr(new)
            ),
            Instr::BlockingCas { place: p, expected, new, order } => {
                format!("{}.blocking_cas({}, {}, {order})", place(p), expr(expected), expr(new))
            }
            Instr::Wait { dst, place: p, values, order } => {
                let values: Vec<_> = values.iter().map(expr).collect();
                format!("{}{}.wait({}, {order})", into(dst), place(p), values.join(" | "))
            }
            Instr::Lock(p) => format!("{}.lock()", place(p)),
            Instr::Unlock(p) => format!("{}.unlock()", place(p)),
            Instr::Fence(order) => format!("fence({order})"),
            Instr::Halt => "halt".into(),
        }
    }
}
