//! Parses expressions, with C's operators and precedences: `c & 1 == 1` is `c & (1 == 1)`.

use super::ast::{Expr, ExprKind};
use super::parser::{Parse, Parser, Reported};
use super::token::TokenKind as T;
use crate::codes;
use crate::support::MAX_NESTING;
use steadfast_diag::Diagnostic;
use steadfast_ir::{BinaryOp, UnaryOp};

impl<'s> Parser<'s, '_> {
    /// An expression.
    pub(super) fn expression(&mut self) -> Parse<Expr<'s>> {
        self.operations(1)
    }

    /// A chain of operators with at least this precedence. All operators are left-associative.
    fn operations(&mut self, weakest: u8) -> Parse<Expr<'s>> {
        self.nested(|parser| {
            let mut left = parser.operand()?;
            while let Some(op) = parser.operator().filter(|op| op.precedence() >= weakest) {
                parser.bump();
                let right = parser.operations(op.precedence() + 1)?;
                left = parser.binary(op, left, right)?;
            }
            Ok(left)
        })
    }

    /// The binary operator that comes next.
    fn operator(&self) -> Option<BinaryOp> {
        BinaryOp::of_symbol(self.slice(self.peek().span))
    }

    /// Joins two operands. A loop parses a chain, but its tree is as deep as the chain is long.
    fn binary(&mut self, op: BinaryOp, left: Expr<'s>, right: Expr<'s>) -> Parse<Expr<'s>> {
        let height = left.height.max(right.height) + 1;
        let span = left.span.to(right.span);
        if height > MAX_NESTING {
            return Err(self.too_deep(span));
        }
        Ok(Expr { kind: ExprKind::Binary(op, Box::new(left), Box::new(right)), span, height })
    }

    fn operand(&mut self) -> Parse<Expr<'s>> {
        let token = self.peek();
        let leaf = |kind| Expr { kind, span: token.span, height: 1 };
        match token.kind {
            T::Number => Ok(leaf(ExprKind::Number(self.number("a number")?.value))),
            T::True | T::False => {
                self.bump();
                Ok(leaf(ExprKind::Number(i32::from(token.kind == T::True))))
            }
            T::Name if matches!(self.second_kind(), T::Dot | T::OpenParen) => Err(self.access_in_expression()),
            T::Name => Ok(leaf(ExprKind::Name(self.name("a value")?.text))),
            T::OpenParen => {
                self.bump();
                let inner = self.expression()?;
                self.expect_close(token, T::CloseParen, "`)`")?;
                Ok(Expr { span: self.span_since(token.span), ..inner })
            }
            T::Plus => {
                self.bump();
                self.nested(Self::operand)
            }
            T::Minus => self.unary(UnaryOp::Neg),
            T::Not => self.unary(UnaryOp::Not),
            T::Tilde => self.unary(UnaryOp::BitNot),
            _ => Err(self.unexpected("a value")),
        }
    }

    fn unary(&mut self, op: UnaryOp) -> Parse<Expr<'s>> {
        let start = self.bump().span;
        let operand = self.nested(Self::operand)?;
        let (span, height) = (start.to(operand.span), operand.height + 1);
        if height > MAX_NESTING {
            return Err(self.too_deep(span));
        }
        Ok(Expr { kind: ExprKind::Unary(op, Box::new(operand)), span, height })
    }

    fn access_in_expression(&mut self) -> Reported {
        let token = self.peek();
        let word = self.slice(token.span);
        let problem = Diagnostic::error(codes::ACCESS_IN_EXPRESSION, "memory is accessed inside an expression");
        let problem = problem.at(token.span, "each access is a statement of its own");
        let example = if self.second_kind() == T::Dot { format!("{word}.load(…)") } else { format!("{word}(…)") };
        self.report_once(
            problem.help(format!("first write `r = {example};` with a local variable `r`, then use `r` here")),
        )
    }
}
