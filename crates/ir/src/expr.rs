//! Expressions over registers, computed in `i32` and reduced only when their value is stored.

use crate::{RegId, RegSet, Value};
use steadfast_span::Index;

/// An expression. It never touches memory.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Expr {
    /// A constant.
    Const(i32),
    /// The value of a register.
    Reg(RegId),
    /// The value that a read-modify-write has just read. Only meaningful in the `update` of [`crate::Instr::Rmw`].
    Old,
    /// A unary operation.
    Unary(UnaryOp, Box<Expr>),
    /// A binary operation.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
}

/// Unary operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// `!a`: 1 if `a` is 0, else 0.
    Not,
    /// `-a`
    Neg,
    /// `~a`
    BitNot,
}

/// Binary operators. Comparisons and the logical operators yield 0 or 1. As in C, the logical operators evaluate their right side, which may divide by zero,
/// only if the left one does not decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "each is named after its operator")]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    BitAnd,
    BitOr,
    BitXor,
    Shl,
    Shr,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    And,
    Or,
}

/// Why an expression has no value. These are errors of the program at run time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EvalError {
    /// `a / 0` or `a % 0`.
    DivisionByZero,
    /// An array index outside its array.
    IndexOutOfBounds,
}

impl std::fmt::Display for EvalError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::DivisionByZero => "division by zero",
            Self::IndexOutOfBounds => "array index out of bounds",
        })
    }
}

impl Expr {
    /// `left op right`
    pub fn binary(op: BinaryOp, left: Self, right: Self) -> Self {
        Self::Binary(op, Box::new(left), Box::new(right))
    }

    /// `op operand`
    pub fn unary(op: UnaryOp, operand: Self) -> Self {
        Self::Unary(op, Box::new(operand))
    }

    /// The value with the given registers; `old` is what a read-modify-write read.
    pub fn eval(&self, registers: &[Value], old: Value) -> Result<i32, EvalError> {
        match self {
            Self::Const(value) => Ok(*value),
            Self::Reg(reg) => Ok(i32::from(registers[reg.index()])),
            Self::Old => Ok(i32::from(old)),
            Self::Unary(op, operand) => Ok(op.apply(operand.eval(registers, old)?)),
            Self::Binary(op @ (BinaryOp::And | BinaryOp::Or), left, right) => {
                let holds = left.eval(registers, old)? != 0;
                let decides = holds == (*op == BinaryOp::Or);
                Ok(i32::from(if decides { holds } else { right.eval(registers, old)? != 0 }))
            }
            Self::Binary(op, left, right) => op.apply(left.eval(registers, old)?, right.eval(registers, old)?),
        }
    }

    /// The constant value, if it contains no register.
    pub fn as_const(&self) -> Option<i32> {
        match self {
            Self::Const(value) => Some(*value),
            Self::Reg(_) | Self::Old => None,
            Self::Unary(op, operand) => Some(op.apply(operand.as_const()?)),
            Self::Binary(op, left, right) => op.apply(left.as_const()?, right.as_const()?).ok(),
        }
    }

    /// Adds every register in it.
    pub fn collect_registers(&self, into: &mut RegSet) {
        match self {
            Self::Const(_) | Self::Old => {}
            Self::Reg(reg) => into.insert(*reg),
            Self::Unary(_, operand) => operand.collect_registers(into),
            Self::Binary(_, left, right) => {
                left.collect_registers(into);
                right.collect_registers(into);
            }
        }
    }

    /// Whether it contains [`Expr::Old`].
    pub fn mentions_old(&self) -> bool {
        match self {
            Self::Const(_) | Self::Reg(_) => false,
            Self::Old => true,
            Self::Unary(_, operand) => operand.mentions_old(),
            Self::Binary(_, left, right) => left.mentions_old() || right.mentions_old(),
        }
    }

    /// The same expression with every register replaced.
    #[must_use]
    pub fn substitute(&self, replace: &dyn Fn(RegId) -> Expr) -> Self {
        match self {
            Self::Const(_) | Self::Old => self.clone(),
            Self::Reg(reg) => replace(*reg),
            Self::Unary(op, operand) => Self::unary(*op, operand.substitute(replace)),
            Self::Binary(op, left, right) => Self::binary(*op, left.substitute(replace), right.substitute(replace)),
        }
    }
}

impl UnaryOp {
    /// The operation on `i32`, wrapping on overflow.
    pub fn apply(self, operand: i32) -> i32 {
        match self {
            Self::Not => i32::from(operand == 0),
            Self::Neg => operand.wrapping_neg(),
            Self::BitNot => !operand,
        }
    }
}

impl BinaryOp {
    /// All operators, by precedence.
    pub const ALL: [Self; 18] = [
        Self::Or,
        Self::And,
        Self::BitOr,
        Self::BitXor,
        Self::BitAnd,
        Self::Eq,
        Self::Ne,
        Self::Lt,
        Self::Le,
        Self::Gt,
        Self::Ge,
        Self::Shl,
        Self::Shr,
        Self::Add,
        Self::Sub,
        Self::Mul,
        Self::Div,
        Self::Rem,
    ];

    /// The operator with this symbol.
    pub fn of_symbol(symbol: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|op| op.symbol() == symbol)
    }

    /// How strongly it binds in C, from 1 to 10: `c & 1 == 1` is `c & (1 == 1)`.
    pub fn precedence(self) -> u8 {
        match self {
            Self::Or => 1,
            Self::And => 2,
            Self::BitOr => 3,
            Self::BitXor => 4,
            Self::BitAnd => 5,
            Self::Eq | Self::Ne => 6,
            Self::Lt | Self::Le | Self::Gt | Self::Ge => 7,
            Self::Shl | Self::Shr => 8,
            Self::Add | Self::Sub => 9,
            Self::Mul | Self::Div | Self::Rem => 10,
        }
    }

    /// Whether all its results are 0 or 1.
    pub fn is_truth(self) -> bool {
        use BinaryOp::{And, Eq, Ge, Gt, Le, Lt, Ne, Or};
        matches!(self, Eq | Ne | Lt | Le | Gt | Ge | And | Or)
    }

    /// The operation on `i32`, wrapping on overflow, with C's truncating division.
    pub fn apply(self, left: i32, right: i32) -> Result<i32, EvalError> {
        let truth = |holds: bool| Ok(i32::from(holds));
        match self {
            Self::Add => Ok(left.wrapping_add(right)),
            Self::Sub => Ok(left.wrapping_sub(right)),
            Self::Mul => Ok(left.wrapping_mul(right)),
            Self::Div | Self::Rem if right == 0 => Err(EvalError::DivisionByZero),
            Self::Div => Ok(left.wrapping_div(right)),
            Self::Rem => Ok(left.wrapping_rem(right)),
            Self::BitAnd => Ok(left & right),
            Self::BitOr => Ok(left | right),
            Self::BitXor => Ok(left ^ right),
            Self::Shl => Ok(left.wrapping_shl(right.cast_unsigned())),
            Self::Shr => Ok(left.wrapping_shr(right.cast_unsigned())),
            Self::Eq => truth(left == right),
            Self::Ne => truth(left != right),
            Self::Lt => truth(left < right),
            Self::Le => truth(left <= right),
            Self::Gt => truth(left > right),
            Self::Ge => truth(left >= right),
            Self::And => truth(left != 0 && right != 0),
            Self::Or => truth(left != 0 || right != 0),
        }
    }

    /// Its symbol.
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Add => "+",
            Self::Sub => "-",
            Self::Mul => "*",
            Self::Div => "/",
            Self::Rem => "%",
            Self::BitAnd => "&",
            Self::BitOr => "|",
            Self::BitXor => "^",
            Self::Shl => "<<",
            Self::Shr => ">>",
            Self::Eq => "==",
            Self::Ne => "!=",
            Self::Lt => "<",
            Self::Le => "<=",
            Self::Gt => ">",
            Self::Ge => ">=",
            Self::And => "&&",
            Self::Or => "||",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_looked_at_may_divide_by_zero() {
        let (nothing, one) = (Expr::Const(0), Expr::Const(1));
        let wrong = Expr::binary(BinaryOp::Div, one.clone(), nothing.clone());
        let value = |op, left: &Expr, right: &Expr| Expr::binary(op, left.clone(), right.clone()).eval(&[], 0);
        assert_eq!(value(BinaryOp::And, &nothing, &wrong), Ok(0));
        assert_eq!(value(BinaryOp::Or, &Expr::Const(7), &wrong), Ok(1));
        for (op, left) in [(BinaryOp::And, &one), (BinaryOp::Or, &nothing)] {
            assert_eq!(value(op, left, &wrong), Err(EvalError::DivisionByZero));
            assert_eq!(value(op, &wrong, left), Err(EvalError::DivisionByZero));
            assert_eq!(value(op, left, &Expr::Const(5)), Ok(1));
            assert_eq!(value(op, left, &nothing), Ok(0));
        }
    }

    #[test]
    fn symbols_name_operators() {
        assert!(BinaryOp::ALL.into_iter().all(|op| BinaryOp::of_symbol(op.symbol()) == Some(op)));
        assert_eq!(BinaryOp::of_symbol("or"), None);
        assert!(BinaryOp::ALL.is_sorted_by_key(|op| op.precedence()));
    }
}
