//! Lowering of expressions: accesses become instructions, from left to right; the rest is an expression over registers.

use super::ast::{Expr as Ast, ExprKind, Name, Type};
use super::code::Label;
use super::codes;
use super::constant::{constant, known};
use super::globals::Global;
use super::lower::{Identity, Local, Lowering, Purpose};
use super::lower_statements::fold;
use super::parametric::Reading;
use super::types::Ty;
use steadfast_diag::Diagnostic;
use steadfast_ir::{BinaryOp, Expr, Instr, RegId, UnaryOp};

/// How a value is used.
#[derive(Clone, Copy, Debug)]
pub(super) enum Want {
    /// It is not used.
    Nothing,
    /// It is part of an expression.
    Value,
    /// It goes into this register, which is not read before that.
    Into(RegId, Ty),
}

/// Whether a value that is read can go directly into a register: a read reduces the value, but does no other conversion.
fn fits(into: Ty, from: Ty) -> bool {
    let truth = !into.boolean || from.modulus <= 2;
    truth && (!into.integer || from.modulus <= into.modulus)
}

impl<'a> Lowering<'a, '_> {
    /// The value of an expression.
    pub(super) fn value(&mut self, expr: &'a Ast) -> Expr {
        self.evaluate(expr, Want::Value)
    }

    /// Computes an expression into a register.
    pub(super) fn value_into(&mut self, expr: &'a Ast, reg: RegId, ty: Ty) {
        let value = self.evaluate(expr, Want::Into(reg, ty));
        self.assign(reg, ty, value);
    }

    /// Computes an expression. With [`Want::Into`], the result is the register if the value is already there.
    pub(super) fn evaluate(&mut self, expr: &'a Ast, want: Want) -> Expr {
        self.deeper(expr.span, Expr::Const(0), |this| this.evaluate_kind(expr, want))
    }

    fn evaluate_kind(&mut self, expr: &'a Ast, want: Want) -> Expr {
        match &expr.kind {
            ExprKind::Number(value) => Expr::Const(*value),
            ExprKind::Wrong => Expr::Const(0),
            ExprKind::Name(name) => self.named(expr, name, want),
            ExprKind::Unary(op, operand) => {
                let value = Expr::unary(*op, self.value(operand));
                value.as_const().map_or(value, Expr::Const)
            }
            ExprKind::Binary(BinaryOp::And | BinaryOp::Or, ..) if self.is_short_circuit(expr) => {
                self.short_circuit(expr, want)
            }
            ExprKind::Binary(op, left, right) => {
                let left = self.value(left);
                let right = self.value(right);
                fold(*op, left, right)
            }
            ExprKind::Index { .. } => self.plain_load(expr, want),
            ExprKind::Call { function, arguments } => self.call(expr, function, arguments, want),
            ExprKind::Method { place, method, arguments } => self.access(expr, place, method, arguments, want),
        }
    }

    fn named(&mut self, expr: &'a Ast, name: &'a Name, want: Want) -> Expr {
        match self.local(&name.text) {
            Some(Local::Register(reg, _)) => return Expr::Reg(reg),
            Some(Local::Constant(value)) => return Expr::Const(value),
            None if &*name.text == "id" => {
                return match self.id {
                    Identity::Known(id) => Expr::Const(id),
                    Identity::In(reg) => Expr::Reg(reg),
                };
            }
            None => {}
        }
        match self.global(&name.text) {
            Some(Global::Constant(value)) => return Expr::Const(value.unwrap_or(0)),
            Some(Global::Shared(_)) => return self.plain_load(expr, want),
            Some(Global::Function(_)) => {
                let problem = Diagnostic::error(codes::MISUSED, format!("`{}` is a function", name.text));
                self.report(problem.at(name.span, "not a value").help(format!("call it: `{}(…)`", name.text)));
            }
            None if super::orders::Order::named(&name.text).is_some() => {
                let problem = Diagnostic::error(codes::MISUSED, format!("`{}` is a memory ordering", name.text));
                self.report(
                    problem.at(name.span, "not a value").note("orderings come last among the arguments of an access"),
                );
            }
            None => self.unknown_name(name),
        }
        Expr::Const(0)
    }

    /// Reads a plain location.
    fn plain_load(&mut self, expr: &'a Ast, want: Want) -> Expr {
        let Some((place, global)) = self.plain_place(expr, None) else { return Expr::Const(0) };
        let dst = self.destination(want, global.ty).unwrap_or_else(|| self.registers.temporary(global.ty.modulus));
        self.run(Instr::PlainLoad { dst, place }, expr.span);
        Expr::Reg(dst)
    }

    /// The register for the value that an access reads: the wanted register, if no conversion is needed.
    pub(super) fn destination(&mut self, want: Want, from: Ty) -> Option<RegId> {
        match want {
            Want::Nothing => None,
            Want::Into(reg, ty) if fits(ty, from) => Some(reg),
            Want::Into(..) | Want::Value => Some(self.registers.temporary(from.modulus)),
        }
    }

    /// Continues at one label if the condition holds, and at the other if not.
    pub(super) fn condition(&mut self, cond: &'a Ast, then: Label, otherwise: Label) {
        self.deeper(cond.span, (), |this| match &cond.kind {
            ExprKind::Unary(UnaryOp::Not, inner) => this.condition(inner, otherwise, then),
            ExprKind::Binary(op @ (BinaryOp::And | BinaryOp::Or), left, right) if this.is_short_circuit(cond) => {
                let next = this.code.label();
                match op {
                    BinaryOp::And => this.condition(left, next, otherwise),
                    _ => this.condition(left, then, next),
                }
                this.code.bind(next);
                this.condition(right, then, otherwise);
            }
            _ => {
                let value = this.value(cond);
                this.code.branch(value, then, otherwise, cond.span);
            }
        });
    }

    /// `a && b` or `a || b` as a value, where `b` is not always evaluated.
    fn short_circuit(&mut self, expr: &'a Ast, want: Want) -> Expr {
        let (holds, fails, end) = (self.code.label(), self.code.label(), self.code.label());
        self.condition(expr, holds, fails);
        let dst = self.destination(want, Ty::BOOL).unwrap_or_else(|| self.registers.temporary(2));
        self.code.bind(holds);
        self.run(Instr::Assign { dst, value: Expr::Const(1) }, expr.span);
        self.code.jump(end, expr.span);
        self.code.bind(fails);
        self.run(Instr::Assign { dst, value: Expr::Const(0) }, expr.span);
        self.code.bind(end);
        Expr::Reg(dst)
    }

    /// Whether this is a condition that may be decided without evaluating all of it.
    pub(super) fn is_short_circuit(&mut self, expr: &Ast) -> bool {
        match &expr.kind {
            ExprKind::Unary(UnaryOp::Not, inner) => self.is_short_circuit(inner),
            ExprKind::Binary(BinaryOp::And | BinaryOp::Or, left, right) => {
                self.takes_steps(right) || self.is_short_circuit(left)
            }
            _ => false,
        }
    }

    /// Whether evaluating this takes steps: it accesses memory, calls, chooses, or can divide by zero.
    fn takes_steps(&mut self, expr: &Ast) -> bool {
        match &expr.kind {
            ExprKind::Method { .. } | ExprKind::Call { .. } | ExprKind::Index { .. } => true,
            ExprKind::Name(name) => matches!(self.global(&name.text), Some(Global::Shared(_))),
            ExprKind::Binary(BinaryOp::Div | BinaryOp::Rem, _, right)
                if known(right, self.globals).is_none_or(|divisor| divisor == 0) =>
            {
                true
            }
            _ => expr.children().into_iter().any(|child| self.takes_steps(child)),
        }
    }

    /// `any(low, high)`, or `any()` for any integer
    pub(super) fn any(&mut self, expr: &'a Ast, arguments: &'a [Ast], want: Want) -> Expr {
        if let (Some(from), []) = (self.globals.anything, arguments) {
            let dst = self.destination(want, Ty::INT).unwrap_or_else(|| self.registers.temporary(Ty::INT.modulus));
            self.run(Instr::PlainLoad { dst, place: from.into() }, expr.span);
            return Expr::Reg(dst);
        }
        if let (Reading::Instance(instance), []) = (self.globals.reading, arguments) {
            return self.any_of(expr, (0, i32::from(instance.values) - 1), want);
        }
        let [low, high] = arguments else {
            self.wrong_count(expr.span, "any", "2 arguments", arguments.len(), "any(low, high)");
            return Expr::Const(0);
        };
        let (Some(first), Some(last)) = (self.constant(low), self.constant(high)) else { return Expr::Const(0) };
        if first < 0 || last > 255 || first > last {
            let problem = Diagnostic::error(codes::OUT_OF_RANGE, format!("there are no values from {first} to {last}"));
            self.report(
                problem.at(expr.span, "not a range").help("the bounds are from 0 to 255, the smaller one first"),
            );
            return Expr::Const(0);
        }
        self.any_of(expr, (first, last), want)
    }

    pub(super) fn any_of(&mut self, expr: &'a Ast, (first, last): (i32, i32), want: Want) -> Expr {
        if first == last {
            return Expr::Const(first);
        }
        let from = Ty::up_to(last);
        let dst = self.destination(want, from).unwrap_or_else(|| self.registers.temporary(from.modulus));
        let starts: Vec<Label> = (first..=last).map(|_| self.code.label()).collect();
        let end = self.code.label();
        self.code.choose(starts.clone(), expr.span);
        for (start, value) in starts.into_iter().zip(first..) {
            self.code.bind(start);
            self.run(Instr::Assign { dst, value: Expr::Const(value) }, expr.span);
            self.code.jump(end, expr.span);
        }
        self.code.bind(end);
        Expr::Reg(dst)
    }

    /// The value of an expression that must be constant.
    fn constant(&mut self, expr: &Ast) -> Option<i32> {
        match self.purpose {
            Purpose::Check => constant(expr, self.globals, self.problems),
            Purpose::Build => known(expr, self.globals),
        }
    }

    /// The type that is written.
    pub(super) fn ty(&mut self, ty: &Type) -> Ty {
        match self.purpose {
            Purpose::Check => self.globals.ty(ty, self.problems),
            // Checking has reported all errors.
            Purpose::Build => self.globals.ty(ty, &mut steadfast_diag::Diagnostics::new(crate::codes::TOO_MANY_ERRORS)),
        }
    }

    /// Warns about a constant that changes when it is stored.
    pub(super) fn warn_if_changed(&mut self, value: &Ast, ty: Ty) {
        let Some(constant) = known(value, self.globals).filter(|&constant| !ty.contains(constant)) else { return };
        if !ty.boolean {
            let label = format!("stored as {}", ty.store(constant));
            let problem = Diagnostic::warning(codes::CHANGED, format!("{constant} is out of range and wraps around"));
            self.report(
                problem.at(value.span, label).note(format!("the values here are from 0 to {}", ty.modulus - 1)),
            );
        }
    }

    /// Reports a wrong number of arguments.
    pub(super) fn wrong_count(
        &mut self,
        span: steadfast_span::Span,
        name: &str,
        takes: &str,
        given: usize,
        usage: &str,
    ) {
        let given = match given {
            0 => "none is given".to_string(),
            1 => "1 is given".to_string(),
            more => format!("{more} are given"),
        };
        let message = format!("`{name}` takes {takes}, but {given}");
        let problem = Diagnostic::error(codes::ARITY, message).at(span, "wrong number of arguments");
        self.report(problem.help(format!("write `{usage}`")));
    }

    /// Reports an expression without a value that is used as a value.
    pub(super) fn no_value(&mut self, expr: &Ast, what: &str, want: Want) {
        if !matches!(want, Want::Nothing) {
            let problem = Diagnostic::error(codes::NO_VALUE, format!("{what} gives no value"));
            self.report(problem.at(expr.span, "used as a value here").help("make it a statement of its own"));
        }
    }
}
