//! Types, which are ranges of values.

use steadfast_ir::{BinaryOp, Expr, UNBOUNDED, UnaryOp};

/// The values of a variable or a location: `0..modulus`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ty {
    /// One more than the largest value; 1 to 256, or [`UNBOUNDED`].
    pub(super) modulus: u16,
    /// A `bool` becomes 1 when anything but 0 is stored into it, as in C; a `u1` takes the remainder.
    pub(super) boolean: bool,
    /// In an instance of a template: it is an integer, and a run that leaves the range ends.
    pub(super) integer: bool,
}

impl Ty {
    /// `bool`
    pub(super) const BOOL: Self = Self { modulus: 2, boolean: true, integer: false };
    /// `u8`, the type of objects without a type.
    pub(super) const U8: Self = Self { modulus: 256, boolean: false, integer: false };

    /// `int` in a template.
    pub(super) const INT: Self = Self { modulus: UNBOUNDED, boolean: false, integer: false };

    /// The type with this name.
    pub(super) fn named(name: &str) -> Option<Self> {
        if name == "bool" {
            return Some(Self::BOOL);
        }
        let bits: u32 = name.strip_prefix('u')?.parse().ok()?;
        (1..=8).contains(&bits).then(|| Self::below(1 << bits))
    }

    /// The values below `modulus`.
    pub(super) fn below(modulus: u16) -> Self {
        Self { modulus, boolean: false, integer: false }
    }

    /// `int` in an instance: the integers below `modulus`.
    pub(super) fn integers_below(modulus: u16) -> Self {
        Self { modulus, boolean: false, integer: true }
    }

    /// The values from 0 to `last`, which is at most 255.
    pub(super) fn up_to(last: i32) -> Self {
        Self::below(last.clamp(0, 255).unsigned_abs() as u16 + 1)
    }

    /// Whether a value can be stored unchanged.
    pub(super) fn contains(self, value: i32) -> bool {
        self == Self::INT || (0..i32::from(self.modulus)).contains(&value)
    }

    /// A constant, as it is stored.
    pub(super) fn store(self, value: i32) -> i32 {
        match self {
            Self::INT => value,
            Self { boolean: true, .. } => i32::from(value != 0),
            Self { modulus, .. } => value.rem_euclid(i32::from(modulus)),
        }
    }
}

/// Whether an expression is always 0 or 1. `of` gives the modulus of a register.
pub(super) fn is_truth(expr: &Expr, of: &dyn Fn(steadfast_ir::RegId) -> u16) -> bool {
    match expr {
        Expr::Const(value) => matches!(value, 0 | 1),
        Expr::Reg(reg) => of(*reg) <= 2,
        Expr::Old => false,
        Expr::Unary(op, _) => *op == UnaryOp::Not,
        Expr::Binary(op, left, right) => match op {
            BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor => is_truth(left, of) && is_truth(right, of),
            _ => op.is_truth(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_types() {
        assert_eq!(Ty::named("u4"), Some(Ty::below(16)));
        assert_eq!(Ty::named("u8"), Some(Ty::U8));
        assert_eq!(Ty::named("bool"), Some(Ty::BOOL));
        for wrong in ["u0", "u9", "u", "u16", "int", "", "u4294967296"] {
            assert_eq!(Ty::named(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn storing_wraps_and_bool_does_not() {
        assert_eq!(Ty::below(16).store(-1), 15);
        assert_eq!(Ty::below(2).store(2), 0);
        assert_eq!(Ty::BOOL.store(2), 1);
    }
}
