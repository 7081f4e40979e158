//! Compare-and-exchange. A weak one may fail although it finds the expected value, so the value that it reads does not say whether it succeeded: its result is a `bool`.

use super::lower::Lowering;
use super::lower_values::Want;
use super::types::Ty;
use steadfast_ir::{BinaryOp, Expr, Instr, Place, ReadOrder, RegId, RmwOrder};
use steadfast_span::Span;

/// A compare-and-exchange: an attempt to replace a value by another.
pub(super) struct Attempt {
    pub(super) place: Place,
    /// The type of the place.
    pub(super) ty: Ty,
    pub(super) expected: Expr,
    pub(super) new: Expr,
    pub(super) success: RmwOrder,
    pub(super) failure: ReadOrder,
}

impl Attempt {
    fn cas(&self, dst: Option<RegId>, spurious: bool) -> Instr {
        let Self { place, expected, new, success, failure, .. } = self;
        let (place, expected, new) = (place.clone(), expected.clone(), new.clone());
        Instr::Cas { dst, place, expected, new, success: *success, failure: *failure, spurious }
    }
}

impl Lowering<'_, '_> {
    /// The strong form. Its result is the old value.
    pub(super) fn strong_attempt(&mut self, attempt: &Attempt, span: Span, want: Want) -> Expr {
        let dst = self.destination(want, attempt.ty);
        self.run(attempt.cas(dst, false), span);
        dst.map_or(Expr::Const(0), Expr::Reg)
    }

    /// The weak form. Its result is whether it succeeded. It is either the strong form, or fails whatever it finds.
    pub(super) fn weak_attempt(&mut self, mut attempt: Attempt, span: Span, want: Want) -> Expr {
        let wanted =
            self.destination(want, Ty::BOOL).map(|success| (success, self.registers.temporary(attempt.ty.modulus)));
        if wanted.is_some() && attempt.expected.as_const().is_none() {
            // The result is compared with the expected value afterwards, so that must still be available.
            let expected = self.registers.temporary(attempt.ty.modulus);
            self.run(Instr::Assign { dst: expected, value: attempt.expected }, span);
            attempt.expected = Expr::Reg(expected);
        }
        let (really, fails, end) = (self.code.label(), self.code.label(), self.code.label());
        self.code.choose(vec![really, fails], span);
        self.code.bind(really);
        self.run(attempt.cas(wanted.map(|(_, found)| found), false), span);
        if let Some((success, found)) = wanted {
            let value = Expr::binary(BinaryOp::Eq, Expr::Reg(found), attempt.expected.clone());
            self.run(Instr::Assign { dst: success, value }, span);
        }
        self.code.jump(end, span);
        self.code.bind(fails);
        self.run(attempt.cas(None, true), span);
        if let Some((success, _)) = wanted {
            self.run(Instr::Assign { dst: success, value: Expr::Const(0) }, span);
        }
        self.code.bind(end);
        wanted.map_or(Expr::Const(0), |(success, _)| Expr::Reg(success))
    }
}
