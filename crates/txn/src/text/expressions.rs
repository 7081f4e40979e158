//! Expressions, by precedence climbing.

use super::ast::{Tree, TreeKind};
use super::parser::{Parser, Read};
use super::token::TokenKind as T;
use crate::program::{BinaryOp, UnaryOp};

/// The operator with its strength; operators of the same strength group to the left.
fn operator(kind: T) -> Option<(BinaryOp, u8)> {
    Some(match kind {
        T::OrOr => (BinaryOp::Or, 1),
        T::AndAnd => (BinaryOp::And, 2),
        T::EqEq => (BinaryOp::Equal, 3),
        T::NotEq => (BinaryOp::NotEqual, 3),
        T::Less => (BinaryOp::Less, 4),
        T::LessEq => (BinaryOp::LessEqual, 4),
        T::Greater => (BinaryOp::Greater, 4),
        T::GreaterEq => (BinaryOp::GreaterEqual, 4),
        T::Plus => (BinaryOp::Add, 5),
        T::Minus => (BinaryOp::Subtract, 5),
        T::Star => (BinaryOp::Multiply, 6),
        T::Slash => (BinaryOp::Divide, 6),
        T::Percent => (BinaryOp::Remainder, 6),
        _ => return None,
    })
}

impl Parser<'_> {
    pub(super) fn expression(&mut self) -> Read<Tree> {
        self.nested(|parser| parser.climb(0))
    }

    fn climb(&mut self, weakest: u8) -> Read<Tree> {
        let mut left = self.nested(Self::operand)?;
        let before = self.depth;
        while let Some((op, strength)) = operator(self.kind()).filter(|(_, strength)| *strength > weakest) {
            self.bump();
            let right = self.nested(|parser| parser.climb(strength))?;
            let span = left.span.to(right.span);
            left = Tree { kind: TreeKind::Binary(op, left.into(), right.into()), span };
            // A chain nests to the left, and whoever walks over it later recurses.
            self.depth += 1;
            self.nested(|_| Ok(()))?;
        }
        self.depth = before;
        Ok(left)
    }

    fn operand(&mut self) -> Read<Tree> {
        let start = self.peek().span;
        let kind = match self.kind() {
            T::Number => TreeKind::Number(self.number()?.0),
            T::SelfWord => {
                self.bump();
                TreeKind::SelfWord
            }
            T::Name => TreeKind::Name(self.target()?),
            T::Not | T::Minus => {
                let op = if self.bump().kind == T::Not { UnaryOp::Not } else { UnaryOp::Minus };
                let operand = self.nested(Self::operand)?;
                return Ok(Tree { span: start.to(operand.span), kind: TreeKind::Unary(op, operand.into()) });
            }
            T::OpenParen => {
                self.bump();
                let inner = self.expression()?;
                self.expect(T::CloseParen, "`)`")?;
                return Ok(inner);
            }
            _ => return self.unexpected("an expression"),
        };
        let end = match &kind {
            TreeKind::Name(target) => target.indices.last().map_or(target.name.span, |index| index.span),
            _ => start,
        };
        Ok(Tree { kind, span: start.to(end) })
    }
}
