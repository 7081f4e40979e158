//! Expressions and the reduction of their values. Promela computes with C's `int`, as we do, but it has no Euclidean remainder, it must not
//! divide by zero even in a branch that is not taken, and it does not define shifts by more than 31.

use steadfast_ir::{BinaryOp, Expr, Program, RegId, Thread, UnaryOp, Value, Wrap};
use steadfast_span::IndexVec;

/// The variable that holds the value of a location before an access to it.
pub(crate) const OLD: &str = "old";

/// Writes the expressions of one thread.
#[derive(Clone, Copy)]
pub(crate) struct Expressions<'a> {
    pub(crate) program: &'a Program,
    pub(crate) thread: &'a Thread,
    pub(crate) registers: &'a IndexVec<RegId, String>,
}

impl Expressions<'_> {
    /// The expression, not reduced. It has some value even where ours has none; see [`Self::divides_by_zero`].
    pub(crate) fn text(&self, expr: &Expr) -> String {
        match expr {
            Expr::Const(value) => constant(*value),
            Expr::Reg(reg) => self.registers[*reg].clone(),
            Expr::Old => OLD.into(),
            Expr::Unary(op, operand) => {
                let operand = self.text(operand);
                match op {
                    UnaryOp::Not => format!("({operand} == 0)"),
                    UnaryOp::Neg => format!("(0 - {operand})"),
                    UnaryOp::BitNot => format!("(~{operand})"),
                }
            }
            Expr::Binary(op, left, right) => {
                let (left_text, right_text) = (self.text(left), self.text(right));
                match op {
                    BinaryOp::Div | BinaryOp::Rem => division(*op, &left_text, &right_text, right.as_const()),
                    BinaryOp::Shl | BinaryOp::Shr => format!("({left_text} {} ({right_text} & 31))", op.symbol()),
                    BinaryOp::And | BinaryOp::Or => {
                        format!("({left_text} != 0 {} {right_text} != 0)", op.symbol())
                    }
                    _ => format!("({left_text} {} {right_text})", op.symbol()),
                }
            }
        }
    }

    /// The expression as a condition.
    pub(crate) fn condition(&self, expr: &Expr) -> String {
        format!("({} != 0)", self.text(expr))
    }

    /// The expression, reduced to `0..modulus` as [`Program::reduce`] does.
    pub(crate) fn reduced(&self, expr: &Expr, modulus: u16) -> String {
        if let Some(value) = self.constant(expr, modulus) {
            return value.to_string();
        }
        let text = self.text(expr);
        if modulus.is_power_of_two() && (modulus == 256 || self.program.wrap == Wrap::Euclidean) {
            return match expr {
                Expr::Reg(reg) if self.thread.registers[*reg].modulus <= modulus => text,
                _ => format!("({text} & {})", modulus - 1),
            };
        }
        match self.program.wrap {
            Wrap::Euclidean if matches!(expr, Expr::Reg(_) | Expr::Old) => format!("({text} % {modulus})"),
            Wrap::Euclidean => format!("((({text} % {modulus}) + {modulus}) % {modulus})"),
            Wrap::TruncatedByte => format!("(({text} % {modulus}) & 255)"),
        }
    }

    /// The value of a constant expression, reduced.
    pub(crate) fn constant(&self, expr: &Expr, modulus: u16) -> Option<Value> {
        expr.as_const().map(|value| self.program.reduce(value, modulus))
    }

    /// The value of a register that receives `value`, a byte less than `below`.
    pub(crate) fn received(&self, value: &str, below: u16, modulus: u16) -> String {
        match self.program.wrap {
            Wrap::Euclidean if modulus < below => format!("({value} % {modulus})"),
            _ => value.into(),
        }
    }

    /// A condition that holds when evaluating any of the expressions divides by zero.
    pub(crate) fn divides_by_zero(&self, exprs: &[&Expr]) -> Option<String> {
        let tests: Vec<_> = exprs.iter().flat_map(|expr| self.zero_divisors(expr)).collect();
        if tests.is_empty() { None } else { Some(format!("({})", tests.join(" || "))) }
    }

    /// Conditions, of which one holds if evaluating the expression divides by zero.
    fn zero_divisors(&self, expr: &Expr) -> Vec<String> {
        let Expr::Binary(op, left, right) = expr else {
            return if let Expr::Unary(_, operand) = expr { self.zero_divisors(operand) } else { Vec::new() };
        };
        let (mut tests, behind) = (self.zero_divisors(left), self.zero_divisors(right));
        match op {
            // The right side is evaluated only if the left one does not decide.
            BinaryOp::And | BinaryOp::Or if !behind.is_empty() => {
                let undecided = if *op == BinaryOp::And { "!=" } else { "==" };
                tests.push(format!("({} {undecided} 0 && ({}))", self.text(left), behind.join(" || ")));
            }
            BinaryOp::Div | BinaryOp::Rem if right.as_const().is_none_or(|divisor| divisor == 0) => {
                tests.extend(behind);
                tests.push(format!("{} == 0", self.text(right)));
            }
            _ => tests.extend(behind),
        }
        tests
    }
}

/// A division that cannot trap: not by zero, and not of the smallest integer by -1.
fn division(op: BinaryOp, left: &str, right: &str, divisor: Option<i32>) -> String {
    let by_minus_one = if op == BinaryOp::Div { format!("(0 - {left})") } else { "0".into() };
    match divisor {
        Some(0) => "0".into(),
        Some(-1) => by_minus_one,
        Some(_) => format!("({left} {} {right})", op.symbol()),
        None => format!("({right} == 0 -> 0 : ({right} == (-1) -> {by_minus_one} : ({left} {} {right})))", op.symbol()),
    }
}

fn constant(value: i32) -> String {
    match value {
        i32::MIN => format!("((-{}) - 1)", i32::MAX),
        value if value < 0 => format!("({value})"),
        value => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use steadfast_ir::ProgramBuilder;

    fn written<T>(wrap: Wrap, write: impl FnOnce(Expressions<'_>) -> T) -> T {
        let mut b = ProgramBuilder::new("test");
        b.wrap(wrap);
        b.thread("t", |t| {
            t.register("a");
        });
        let program = b.finish();
        let thread = program.threads.iter().next().expect("one thread");
        let registers: IndexVec<RegId, String> = ["r_a".to_owned()].into_iter().collect();
        let expressions = Expressions { program: &program, thread, registers: &registers };
        write(expressions)
    }

    fn check(modulus: u16, wrap: Wrap, expr: &Expr, expected: &str) {
        assert_eq!(written(wrap, |expressions| expressions.reduced(expr, modulus)), expected);
    }

    fn a() -> Expr {
        Expr::Reg(<RegId as steadfast_span::Index>::new(0))
    }

    #[test]
    fn values_are_reduced_as_the_program_says() {
        let less = Expr::binary(BinaryOp::Sub, a(), Expr::Const(1));
        check(11, Wrap::Euclidean, &less, "((((r_a - 1) % 11) + 11) % 11)");
        check(11, Wrap::TruncatedByte, &less, "(((r_a - 1) % 11) & 255)");
        check(8, Wrap::Euclidean, &less, "((r_a - 1) & 7)");
        check(256, Wrap::TruncatedByte, &less, "((r_a - 1) & 255)");
        check(11, Wrap::TruncatedByte, &Expr::Const(-1), "255");
        check(256, Wrap::Euclidean, &a(), "r_a");
    }

    #[test]
    fn a_division_behind_a_guard() {
        let quotient = Expr::binary(BinaryOp::Div, Expr::Const(6), a());
        let undefined = |op| {
            let guarded = Expr::binary(op, a(), quotient.clone());
            written(Wrap::Euclidean, |expressions| expressions.divides_by_zero(&[&guarded]))
        };
        assert_eq!(undefined(BinaryOp::And).as_deref(), Some("((r_a != 0 && (r_a == 0)))"));
        assert_eq!(undefined(BinaryOp::Or).as_deref(), Some("((r_a == 0 && (r_a == 0)))"));
        assert_eq!(undefined(BinaryOp::Add).as_deref(), Some("(r_a == 0)"));
    }

    #[test]
    fn division_does_not_trap() {
        let quotient = Expr::binary(BinaryOp::Div, Expr::Const(6), a());
        check(256, Wrap::Euclidean, &quotient, "((r_a == 0 -> 0 : (r_a == (-1) -> (0 - 6) : (6 / r_a))) & 255)");
    }
}
