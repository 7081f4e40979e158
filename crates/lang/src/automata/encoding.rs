//! Numbers as bytes.
//!
//! All registers and locations share one encoding, in which 0 is 0, because registers start with 0. Consecutive values have consecutive
//! bytes, and small values are their own bytes: then an expression over bytes is hardly larger than the expression over numbers. (With a sum over a
//! table of all values, expressions were so large that processing them took longer than checking the program.)

use super::ast::{Operator, Term};
use super::numbers::Values;
use steadfast_ir::{BinaryOp, Expr, RegId, UnaryOp};
use steadfast_span::Index;

/// The encoding of numbers as bytes.
#[derive(Debug)]
pub(super) struct Encoding {
    /// In the order of their bytes. The first run begins with 0.
    runs: Vec<Run>,
}

/// Consecutive values with consecutive bytes.
#[derive(Clone, Copy, Debug)]
struct Run {
    low: i32,
    high: i32,
    /// The byte of the lowest value.
    byte: i32,
}

impl Run {
    fn len(self) -> i32 {
        self.high - self.low + 1
    }

    /// The difference between a value and its byte, in the wrapping arithmetic of expressions.
    fn shift(self) -> i32 {
        self.low.wrapping_sub(self.byte)
    }

    /// Whether values and bytes are equal modulo the number of bytes.
    fn is_modular(self, modulus: u16) -> bool {
        (i64::from(self.low) - i64::from(self.byte)) % i64::from(modulus) == 0
    }
}

impl Encoding {
    /// An encoding of at most 256 values, which include 0.
    pub(super) fn of(values: &Values) -> Self {
        let values: Vec<i32> = values.iter().filter_map(|value| i32::try_from(value).ok()).collect();
        let low = values.first().map_or(0, |&value| value.min(0));
        let high = values.last().map_or(0, |&value| value.max(0));
        if i64::from(high) - i64::from(low) < 256 { Self::of_all(low..=high) } else { Self::of_all(values) }
    }

    fn of_all(values: impl IntoIterator<Item = i32>) -> Self {
        let mut runs: Vec<Run> = Vec::new();
        for value in values {
            match runs.last_mut() {
                // Values below 0 are separate, so that 0 begins a run.
                Some(run) if run.high == value - 1 && value != 0 => run.high = value,
                _ => runs.push(Run { low: value, high: value, byte: 0 }),
            }
        }
        // Values just below 0 come last: then they are equal to their bytes modulo the number of bytes.
        runs.sort_by_key(|run| (run.low != 0, run.high == -1));
        let mut byte = 0;
        for run in &mut runs {
            run.byte = byte;
            byte += run.len();
        }
        Self { runs }
    }

    /// How many bytes are in use.
    pub(super) fn modulus(&self) -> u16 {
        u16::try_from(self.runs.iter().map(|run| run.len()).sum::<i32>()).unwrap_or(256)
    }

    /// The values in the order of their bytes.
    pub(super) fn values(&self) -> impl Iterator<Item = i32> + '_ {
        self.runs.iter().flat_map(|run| run.low..=run.high)
    }

    /// The largest absolute value.
    pub(super) fn magnitude(&self) -> i64 {
        let largest = |run: &Run| run.low.unsigned_abs().max(run.high.unsigned_abs());
        self.runs.iter().map(largest).max().unwrap_or(0).into()
    }

    /// About how large the expression for a term becomes.
    pub(super) fn cost(&self, term: &Term) -> usize {
        let one_way = 5 * self.runs.len();
        term.size().saturating_mul(one_way).saturating_mul(one_way)
    }

    /// A text for values that have no byte.
    pub(super) fn describe(&self) -> String {
        let (low, high) = (self.values().min().unwrap_or(0), self.values().max().unwrap_or(0));
        if i64::from(high) - i64::from(low) < 256 {
            format!("a value leaves {low} to {high}")
        } else {
            format!("a value is none of the {} that are represented", self.modulus())
        }
    }

    fn decode(&self, byte: Expr) -> Expr {
        let shifted = self.runs.iter().filter(|run| run.shift() != 0);
        let shifts = sum(shifted.map(|run| (run.shift(), lies_in(&byte, run.byte, run.byte + run.len() - 1))));
        plus(byte, shifts)
    }

    /// The byte for the value of an expression, before it is reduced.
    pub(super) fn encode(&self, value: &Expr) -> Expr {
        let modulus = self.modulus();
        let shifted = || self.runs.iter().filter(|run| !run.is_modular(modulus));
        if let Some(value) = value.as_const() {
            let run = shifted().find(|run| (run.low..=run.high).contains(&value));
            return Expr::Const(run.map_or(value, |run| value.wrapping_sub(run.shift())));
        }
        let shifts = sum(shifted().map(|run| (run.shift().wrapping_neg(), lies_in(value, run.low, run.high))));
        plus(value.clone(), shifts)
    }

    /// Whether the value of an expression has a byte.
    pub(super) fn holds(&self, value: &Expr) -> Expr {
        is_in_one_of(value, self.runs.iter().map(|run| (run.low, run.high)))
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

    /// Whether 32 bits suffice to compute a term.
    pub(super) fn fits(&self, term: &Term) -> bool {
        self.largest(term).is_some()
    }

    /// The largest absolute value of a term. Nothing if some part of it exceeds 32 bits.
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
                    // The bits beyond the larger operand are those of the sign.
                    BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor => 2 * left.max(right) + 1,
                    _ => 1,
                }
            }
        };
        (largest <= i64::from(i32::MAX)).then_some(largest)
    }
}

/// Whether an expression has one of these values, which are sorted.
pub(super) fn is_one_of(value: &Expr, among: impl Iterator<Item = i32>) -> Expr {
    let mut ranges: Vec<(i32, i32)> = Vec::new();
    for known in among {
        match ranges.last_mut() {
            Some((_, high)) if *high == known - 1 => *high = known,
            _ => ranges.push((known, known)),
        }
    }
    is_in_one_of(value, ranges.into_iter())
}

/// Whether the value of an expression is in one of these ranges, which do not overlap.
fn is_in_one_of(value: &Expr, ranges: impl Iterator<Item = (i32, i32)>) -> Expr {
    sum(ranges.map(|(low, high)| (1, lies_in(value, low, high))))
}

fn lies_in(value: &Expr, low: i32, high: i32) -> Expr {
    let compare = |op, bound| Expr::binary(op, value.clone(), Expr::Const(bound));
    if low == high {
        return compare(BinaryOp::Eq, low);
    }
    Expr::binary(BinaryOp::And, compare(BinaryOp::Ge, low), compare(BinaryOp::Le, high))
}

fn plus(value: Expr, more: Expr) -> Expr {
    if more == Expr::Const(0) { value } else { Expr::binary(BinaryOp::Add, value, more) }
}

/// The sum of factors times conditions, as a balanced tree.
pub(super) fn sum(parts: impl Iterator<Item = (i32, Expr)>) -> Expr {
    let scaled = |(factor, condition): (i32, Expr)| match factor {
        1 => condition,
        _ => Expr::binary(BinaryOp::Mul, Expr::Const(factor), condition),
    };
    let mut parts: Vec<Expr> = parts.filter(|(factor, _)| *factor != 0).map(scaled).collect();
    while parts.len() > 1 {
        let mut rest = std::mem::take(&mut parts).into_iter();
        while let Some(one) = rest.next() {
            parts.push(match rest.next() {
                Some(other) => Expr::binary(BinaryOp::Add, one, other),
                None => one,
            });
        }
    }
    parts.pop().unwrap_or(Expr::Const(0))
}
