//! Expressions: C's operators with C's precedences.

use super::ast::{Expr, ExprKind};
use super::codes;
use super::parser::{Failed, Parser, Rule};
use super::token::Token;
use crate::support::{MAX_NESTING, too_deep};
use steadfast_diag::Diagnostic;
use steadfast_ir::{BinaryOp, UnaryOp};
use steadfast_span::Span;

impl Parser<'_> {
    /// Any expression.
    pub(super) fn expression(&mut self) -> Rule<Expr> {
        self.nested(|parser| parser.binary(0))
    }

    /// An expression without comparisons and shifts, for places where `>` has another meaning.
    pub(super) fn sum(&mut self) -> Rule<Expr> {
        self.nested(|parser| parser.binary(BinaryOp::Add.precedence()))
    }

    /// Operators with at least this precedence, by precedence climbing.
    fn binary(&mut self, weakest: u8) -> Rule<Expr> {
        let mut left = self.unary()?;
        while let Some(op) = BinaryOp::of_symbol(self.token_text()).filter(|op| op.precedence() >= weakest) {
            self.advance();
            let right = self.nested(|parser| parser.binary(op.precedence() + 1))?;
            let span = left.span.to(right.span);
            let height = left.height.max(right.height);
            left = self.build(ExprKind::Binary(op, Box::new(left), Box::new(right)), span, height)?;
        }
        Ok(left)
    }

    fn unary(&mut self) -> Rule<Expr> {
        let op = match self.peek() {
            Token::Not => UnaryOp::Not,
            Token::Minus => UnaryOp::Neg,
            Token::Tilde => UnaryOp::BitNot,
            _ => return self.postfix(),
        };
        let start = self.advance();
        let operand = self.nested(Self::unary)?;
        let (span, height) = (start.to(operand.span), operand.height);
        self.build(ExprKind::Unary(op, Box::new(operand)), span, height)
    }

    /// A primary expression, followed by any number of `.method(…)`.
    fn postfix(&mut self) -> Rule<Expr> {
        let mut expr = self.primary()?;
        while self.eat(Token::Dot) {
            let method = self.name("the name of an access, such as `load`")?;
            if self.peek() != Token::LeftParen {
                return Err(self.unexpected("`(`"));
            }
            let (arguments, height) = self.arguments()?;
            let (span, height) = (expr.span.to(self.last_span()), height.max(expr.height));
            expr = self.build(ExprKind::Method { place: Box::new(expr), method, arguments }, span, height)?;
        }
        Ok(expr)
    }

    fn primary(&mut self) -> Rule<Expr> {
        let start = self.span();
        let kind = match self.peek() {
            Token::Number => ExprKind::Number(self.number()),
            Token::True => self.truth(1),
            Token::False => self.truth(0),
            Token::LeftParen => return self.group(),
            Token::Name => return self.named(),
            _ => return Err(self.unexpected("an expression")),
        };
        Ok(Expr { kind, span: start, height: 1 })
    }

    fn truth(&mut self, value: i32) -> ExprKind {
        self.advance();
        ExprKind::Number(value)
    }

    /// An expression in parentheses. Its span includes them, so that messages show all of `(a + b)`.
    fn group(&mut self) -> Rule<Expr> {
        let open = self.advance();
        let mut inner = self.expression()?;
        let close = self.expect(Token::RightParen, "`)`")?;
        inner.span = open.to(close);
        Ok(inner)
    }

    /// `name`, `name(…)`, `name[…]` or `path::to::name`
    fn named(&mut self) -> Rule<Expr> {
        let start = self.span();
        let mut name = self.take_name();
        while self.eat(Token::Path) {
            let last = self.name("a name")?;
            name.text = last.text;
            name.span = start.to(last.span);
        }
        match self.peek() {
            Token::LeftParen => {
                let (arguments, height) = self.arguments()?;
                let span = start.to(self.last_span());
                self.build(ExprKind::Call { function: name, arguments }, span, height)
            }
            Token::LeftBracket => {
                self.advance();
                let index = self.expression()?;
                let close = self.expect(Token::RightBracket, "`]`")?;
                let height = index.height;
                self.build(ExprKind::Index { array: name, index: Box::new(index) }, start.to(close), height)
            }
            _ => Ok(Expr { span: name.span, kind: ExprKind::Name(name), height: 1 }),
        }
    }

    /// `(a, b)`, with the height of the highest argument.
    fn arguments(&mut self) -> Rule<(Vec<Expr>, u16)> {
        self.advance();
        let mut arguments = Vec::new();
        while self.peek() != Token::RightParen {
            arguments.push(self.expression()?);
            if !self.eat(Token::Comma) {
                break;
            }
        }
        self.expect(Token::RightParen, "`,` or `)`")?;
        let height = arguments.iter().map(|argument| argument.height).max().unwrap_or(0);
        Ok((arguments, height))
    }

    /// A node over parts of the given height. Long chains such as `a + b + …` are high although nothing is nested.
    fn build(&mut self, kind: ExprKind, span: Span, below: u16) -> Rule<Expr> {
        if usize::from(below) >= MAX_NESTING {
            self.report(too_deep(span));
            return Err(Failed);
        }
        Ok(Expr { kind, span, height: below + 1 })
    }

    fn number(&mut self) -> i32 {
        let span = self.span();
        let text = self.token_text().replace('_', "");
        let (digits, radix) = match text.get(..2) {
            Some("0x" | "0X") => (&text[2..], 16),
            Some("0b" | "0B") => (&text[2..], 2),
            _ => (&text[..], 10),
        };
        self.advance();
        if let Ok(value) = i32::from_str_radix(digits, radix) {
            return value;
        }
        let problem = if !digits.is_empty() && digits.chars().all(|digit| digit.is_digit(radix)) {
            Diagnostic::error(codes::OUT_OF_RANGE, "this number is too large").at(span, "does not fit 32 bits")
        } else {
            Diagnostic::error(codes::SYNTAX, "this is not a number")
                .at(span, "not a number")
                .note("numbers are written `42`, `0x2a` or `0b101010`")
        };
        self.report(problem);
        // The number is incorrect, but the expression can be parsed further.
        0
    }
}
