//! Numbers as bytes.
//!
//! All registers and locations share one encoding, in which 0 is 0, because registers start there. If the values lie close together, the byte is the value modulo
//! the size of their range; else it is the value's place in a table.

use super::ast::{Operator, Term};
use super::values::Values;
use steadfast_ir::{BinaryOp, Expr, RegId, UnaryOp};
use steadfast_span::Index;

/// How numbers are written as bytes.
#[derive(Debug)]
pub(super) enum Encoding {
    /// A range of at most 256 values that contains 0.
    Range { low: i32, high: i32 },
    /// The values in the order of their bytes; the first one is 0.
    Table(Vec<i32>),
}

impl Encoding {
    /// An encoding of these values, at most 256, among which 0 is.
    pub(super) fn of(values: &Values) -> Self {
        let values: Vec<i32> = values.iter().filter_map(|&value| i32::try_from(value).ok()).collect();
        let low = values.first().map_or(0, |&value| value.min(0));
        let high = values.last().map_or(0, |&value| value.max(0));
        if i64::from(high) - i64::from(low) < 256 {
            return Self::Range { low, high };
        }
        let mut table = values;
        table.sort_by_key(|value| (value.unsigned_abs(), *value));
        Self::Table(table)
    }

    /// How many bytes are in use.
    pub(super) fn modulus(&self) -> u16 {
        match self {
            Self::Range { low, high } => u16::try_from(high - low + 1).unwrap_or(256),
            Self::Table(values) => values.len() as u16,
        }
    }

    /// The largest absolute value.
    pub(super) fn magnitude(&self) -> i64 {
        let largest = match self {
            Self::Range { low, high } => low.unsigned_abs().max(high.unsigned_abs()),
            Self::Table(values) => values.iter().map(|value| value.unsigned_abs()).max().unwrap_or(0),
        };
        i64::from(largest)
    }

    /// How large the expression for a term becomes, about.
    pub(super) fn cost(&self, term: &Term) -> usize {
        match self {
            Self::Range { .. } => term.size().saturating_mul(5),
            Self::Table(values) => term.size().saturating_mul(3 * values.len()).saturating_mul(values.len()),
        }
    }

    /// What is said when a value lies outside.
    pub(super) fn describe(&self) -> String {
        match self {
            Self::Range { low, high } => format!("a value leaves {low} to {high}"),
            Self::Table(values) => {
                format!("a value is none of the {} that are represented", values.len())
            }
        }
    }

    fn decode(&self, byte: Expr) -> Expr {
        match self {
            Self::Range { low: 0, .. } => byte,
            Self::Range { high, .. } => {
                let is_negative = Expr::binary(BinaryOp::Gt, byte.clone(), Expr::Const(*high));
                let size = Expr::Const(i32::from(self.modulus()));
                Expr::binary(BinaryOp::Sub, byte, Expr::binary(BinaryOp::Mul, size, is_negative))
            }
            Self::Table(values) => {
                let is = |at: i32| Expr::binary(BinaryOp::Eq, byte.clone(), Expr::Const(at));
                sum((0..).zip(values).map(|(at, &value)| (value, is(at))))
            }
        }
    }

    /// The byte for the value of an expression, before it is reduced.
    pub(super) fn encode(&self, value: &Expr) -> Expr {
        match self {
            Self::Range { .. } => value.clone(),
            Self::Table(values) => {
                let is = |known: i32| Expr::binary(BinaryOp::Eq, value.clone(), Expr::Const(known));
                let constant = value.as_const().and_then(|value| values.iter().position(|&known| known == value));
                constant.map_or_else(|| sum((0..).zip(values).map(|(at, &known)| (at, is(known)))), number)
            }
        }
    }

    /// Whether the value of an expression has a byte.
    pub(super) fn holds(&self, value: &Expr) -> Expr {
        match self {
            Self::Range { low, high } => Expr::binary(
                BinaryOp::And,
                Expr::binary(BinaryOp::Ge, value.clone(), Expr::Const(*low)),
                Expr::binary(BinaryOp::Le, value.clone(), Expr::Const(*high)),
            ),
            Self::Table(values) => is_one_of(value, values.iter().copied()),
        }
    }

    /// An expression over bytes that has the value of a term.
    pub(super) fn expr(&self, term: &Term) -> Expr {
        match term {
            Term::Number(number) => Expr::Const(i32::try_from(*number).unwrap_or(0)),
            Term::Register(register) => self.decode(Expr::Reg(RegId::new(*register))),
            Term::Old => self.decode(Expr::Old),
            Term::Not(operand) => Expr::unary(UnaryOp::Not, self.expr(operand)),
            Term::Binary(Operator(op), left, right) => Expr::binary(*op, self.expr(left), self.expr(right)),
        }
    }

    /// Whether a term can be computed with 32 bits.
    pub(super) fn fits(&self, term: &Term) -> bool {
        self.largest(term).is_some()
    }

    /// How large the absolute value of a term can be, if all of its parts fit 32 bits.
    fn largest(&self, term: &Term) -> Option<i64> {
        let largest = match term {
            Term::Number(number) => number.abs(),
            Term::Register(_) | Term::Old => self.magnitude(),
            Term::Not(operand) => self.largest(operand).map(|_| 1)?,
            Term::Binary(Operator(op), left, right) => {
                let (left, right) = (self.largest(left)?, self.largest(right)?);
                match op {
                    BinaryOp::Add | BinaryOp::Sub => left + right,
                    BinaryOp::Mul => left.checked_mul(right)?,
                    // Bits beyond the larger operand stay as the signs are.
                    BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor => 2 * left.max(right) + 1,
                    _ => 1,
                }
            }
        };
        (largest <= i64::from(i32::MAX)).then_some(largest)
    }
}

/// A position in a table.
fn number(at: usize) -> Expr {
    Expr::Const(i32::try_from(at).unwrap_or(0))
}

/// Whether an expression has one of these values.
pub(super) fn is_one_of(value: &Expr, among: impl Iterator<Item = i32>) -> Expr {
    let is = |known: i32| Expr::binary(BinaryOp::Eq, value.clone(), Expr::Const(known));
    sum(among.map(|known| (1, is(known))))
}

/// The sum of factors times conditions, as a balanced tree.
pub(super) fn sum(parts: impl Iterator<Item = (i32, Expr)>) -> Expr {
    let scaled = |(factor, condition): (i32, Expr)| match factor {
        1 => condition,
        _ => Expr::binary(BinaryOp::Mul, Expr::Const(factor), condition),
    };
    let mut parts: Vec<Expr> = parts.filter(|(factor, _)| *factor != 0).map(scaled).collect();
    while parts.len() > 1 {
        let pairs = parts.chunks(2).map(|pair| match pair {
            [one, other] => Expr::binary(BinaryOp::Add, one.clone(), other.clone()),
            alone => alone[0].clone(),
        });
        parts = pairs.collect();
    }
    parts.pop().unwrap_or(Expr::Const(0))
}
