//! Lowering of annotations for proofs: loads that may yield other values than the one in memory, and invariants.

use super::ast::{Expr as Ast, ExprKind, SharedKind};
use super::codes;
use super::globals::Global;
use super::lower::Lowering;
use super::lower_statements::fold;
use super::lower_values::Want;
use super::parametric::{Guess, Reading};
use super::types::Ty;
use steadfast_diag::Diagnostic;
use steadfast_ir::{BinaryOp, Expr, Instr, Place, ReadOrder};
use steadfast_span::Span;

/// The annotations of a thread.
#[derive(Debug, Default)]
pub(super) struct Annotations {
    /// Loads that may yield other values.
    pub(super) guesses: Vec<(Span, Guess)>,
    /// The places of invariants.
    pub(super) invariants: Vec<Span>,
}

impl<'a> Lowering<'a, '_> {
    /// `x.load_at_most()`, `x.load_at_least()` or `x.load_or(number)`. In a finite program it is a load, and then a choice.
    pub(super) fn guess(
        &mut self,
        expr: &'a Ast,
        (place, ty, order): (Place, Ty, ReadOrder),
        method: &str,
        value: Option<Expr>,
    ) -> Expr {
        let read = self.registers.temporary(ty.modulus);
        self.run(Instr::Load { dst: read, place, order }, expr.span);
        let other = value.map(|value| value.as_const());
        if let Some(None) = other {
            let problem = Diagnostic::error(codes::NOT_CONSTANT, "the other value is not constant");
            self.report(
                problem.at(expr.span, "which number may it yield instead?").help("write a number: `x.load_or(0)`"),
            );
            return Expr::Reg(read);
        }
        let guess = match method {
            "load_at_most" => Guess::AtMost,
            "load_at_least" => Guess::AtLeast,
            _ => Guess::Or(other.flatten().unwrap_or_default()),
        };
        if self.globals.proving {
            self.annotations.guesses.push((expr.span, guess));
        } else {
            self.choose_guess(expr, (read, ty), guess);
        }
        Expr::Reg(read)
    }

    fn choose_guess(&mut self, expr: &'a Ast, (read, ty): (steadfast_ir::RegId, Ty), guess: Guess) {
        if let Guess::Or(other) = guess {
            let (same, changed, end) = (self.code.label(), self.code.label(), self.code.label());
            self.code.choose(vec![same, changed], expr.span);
            self.code.bind(changed);
            self.run(Instr::Assign { dst: read, value: Expr::Const(ty.store(other)) }, expr.span);
            self.code.jump(end, expr.span);
            self.code.bind(same);
            self.code.bind(end);
            return;
        }
        let any = self.any_of(expr, (0, i32::from(ty.modulus) - 1), Want::Value);
        let op = if guess == Guess::AtMost { BinaryOp::Le } else { BinaryOp::Ge };
        self.run(Instr::Assume(Expr::binary(op, any.clone(), Expr::Reg(read))), expr.span);
        self.run(Instr::Assign { dst: read, value: any }, expr.span);
    }

    /// `invariant(e)`. Only a proof uses it.
    pub(super) fn invariant(&mut self, expr: &'a Ast, argument: &'a Ast) {
        if matches!(self.globals.reading, Reading::Instance(_)) {
            return;
        }
        if !self.globals.proving {
            let problem = Diagnostic::error(codes::NOT_FINITE, "invariants are for `steadfast prove`");
            self.report(problem.at(expr.span, "`check` needs none").help("remove it, or use `assert(…)`"));
            return;
        }
        let stated = self.stated(argument, expr.span);
        self.run(Instr::Assert(stated), expr.span);
        self.annotations.invariants.push(expr.span);
    }

    /// The expression of an invariant, in which names of locations stand for their contents.
    fn stated(&mut self, expr: &'a Ast, whole: Span) -> Expr {
        self.deeper(expr.span, Expr::Const(0), |this| match &expr.kind {
            ExprKind::Unary(op, operand) => Expr::unary(*op, this.stated(operand, whole)),
            ExprKind::Binary(op, left, right) => {
                let (left, right) = (this.stated(left, whole), this.stated(right, whole));
                fold(*op, left, right)
            }
            ExprKind::Name(name) if this.local(&name.text).is_none() => match this.global(&name.text) {
                Some(Global::Shared(global)) if global.cells.is_none() => {
                    this.content(global.base.into(), global.ty, whole)
                }
                _ => this.value(expr),
            },
            ExprKind::Index { array, index } if this.local(&array.text).is_none() => match this.global(&array.text) {
                Some(Global::Shared(global)) if global.cells.is_some() && global.kind != SharedKind::Mutex => {
                    let index = this.stated(index, whole);
                    let len = global.cells.unwrap_or_default();
                    this.content(Place::Element { base: global.base, len, index }, global.ty, whole)
                }
                _ => this.value(expr),
            },
            ExprKind::Method { .. } | ExprKind::Call { .. } => {
                let problem = Diagnostic::error(codes::MISUSED, "an invariant runs nothing");
                this.report(
                    problem
                        .at(expr.span, "not a value")
                        .help("a name stands for what the location holds: `invariant(x == 0);`"),
                );
                Expr::Const(0)
            }
            _ => this.value(expr),
        })
    }

    fn content(&mut self, place: Place, ty: Ty, whole: Span) -> Expr {
        let dst = self.registers.temporary(ty.modulus);
        self.run(Instr::PlainLoad { dst, place }, whole);
        Expr::Reg(dst)
    }
}
