//! Parses blocks and statements.

use super::ast::{Expr, ExprKind, Name, Statement, StatementKind};
use super::operations::{FUNCTIONS, METHODS};
use super::parser::{Parse, Parser, Reported};
use super::token::TokenKind as T;
use crate::codes;
use steadfast_diag::{closest, suggest};
use steadfast_ir::FenceOrder;
use steadfast_span::Span;

/// The keywords of statements, for suggestions.
const STATEMENTS: [&str; 7] = ["if", "while", "goto", "oneof", "skip", "fence", "local"];

/// Whether a word is more similar to a keyword than to any operation: `whlie (…)` is no call.
fn is_misspelt_statement(word: &str) -> bool {
    let known = METHODS.into_iter().chain(FUNCTIONS).chain(STATEMENTS);
    closest(word, known).is_some_and(|meant| STATEMENTS.contains(&meant))
}

impl<'s> Parser<'s, '_> {
    /// `{ … }`. A block that is not closed ends where a declaration begins, or with the file.
    pub(super) fn block(&mut self) -> Parse<Vec<Statement<'s>>> {
        let open = self.expect(T::OpenBrace, "`{`")?;
        let statements = self.nested(|parser| Ok(parser.statements()))?;
        // After this error, the statements are still checked for others.
        let _ = self.expect_close(open, T::CloseBrace, "`}`");
        Ok(statements)
    }

    /// The statements up to the end of the block, without those that have errors.
    fn statements(&mut self) -> Vec<Statement<'s>> {
        let mut statements = Vec::new();
        while !matches!(self.kind(), T::CloseBrace | T::EndOfFile) && !self.kind().begins_declaration() {
            let start = self.position();
            match self.statement() {
                Ok(statement) => statements.push(statement),
                Err(Reported) => self.skip_statement(start),
            }
        }
        statements
    }

    /// What follows a condition: a block, or a single statement.
    fn body(&mut self) -> Parse<Vec<Statement<'s>>> {
        if self.kind() == T::OpenBrace {
            return self.block();
        }
        let statement = self.nested(Self::statement)?;
        Ok(vec![statement])
    }

    fn statement(&mut self) -> Parse<Statement<'s>> {
        let start = self.peek().span;
        match self.kind() {
            T::If => self.if_statement(start),
            T::While => self.while_statement(start),
            T::OneOf => self.one_of(start),
            T::Name if self.second_kind() == T::Colon => {
                let name = self.name("a label")?;
                self.bump();
                Ok(Statement { kind: StatementKind::Label(name), span: name.span })
            }
            T::Semicolon => {
                self.bump();
                Ok(Statement { kind: StatementKind::Skip, span: start })
            }
            _ => {
                let kind = self.simple_statement()?;
                let span = self.span_since(start);
                self.semicolon()?;
                Ok(Statement { kind, span })
            }
        }
    }

    /// A statement that ends with `;`, without it.
    fn simple_statement(&mut self) -> Parse<StatementKind<'s>> {
        match (self.kind(), self.second_kind()) {
            (T::Local, _) => Ok(self.locals()),
            (T::Goto, _) => {
                self.bump();
                Ok(StatementKind::Goto(self.name("a label")?))
            }
            (T::Skip, _) => {
                self.bump();
                Ok(StatementKind::Skip)
            }
            (T::Fence, _) => self.fence(),
            (T::Name, T::Dot) => self.method(None),
            (T::Name, T::Assign) => self.assignment(),
            (T::Name, T::OpenParen) => self.call_statement(),
            _ => Err(self.no_statement()),
        }
    }

    fn no_statement(&mut self) -> Reported {
        let token = self.peek();
        let problem = self.expected(codes::UNEXPECTED, "a statement");
        let word = if token.kind == T::Name { self.slice(token.span) } else { "" };
        self.report_once(suggest(problem, word, STATEMENTS))
    }

    fn locals(&mut self) -> StatementKind<'s> {
        self.bump();
        let mut names = Vec::new();
        self.list(|parser| {
            names.push(parser.name("the name of a local variable")?);
            Ok(())
        });
        StatementKind::Local(names)
    }

    fn assignment(&mut self) -> Parse<StatementKind<'s>> {
        let dst = self.name("a local variable")?;
        self.bump();
        match (self.kind(), self.second_kind()) {
            (T::Name, T::Dot) => self.method(Some(dst)),
            (T::Name, T::OpenParen) => self.function_access(Some(dst)),
            _ => Ok(StatementKind::Assign { dst, value: self.expression()? }),
        }
    }

    /// `assert(e)` and the like, and accesses that are written like functions.
    fn call_statement(&mut self) -> Parse<StatementKind<'s>> {
        let word = self.slice(self.peek().span);
        match word {
            "assert" | "assume" | "verify" => self.bump(),
            _ if is_misspelt_statement(word) => return Err(self.no_statement()),
            _ => return self.function_access(None),
        };
        let open = self.expect(T::OpenParen, "`(`")?;
        let value = self.expression()?;
        self.expect_close(open, T::CloseParen, "`)`")?;
        Ok(match (word, value) {
            ("assert", cond) => StatementKind::Assert(cond),
            ("assume", cond) => StatementKind::Assume(cond),
            (_, Expr { kind: ExprKind::Name(text), span, .. }) => StatementKind::Verify(Name { text, span }),
            (_, other) => {
                let problem = steadfast_diag::Diagnostic::error(codes::NOT_A_VALUE, "`verify` takes a local variable");
                return Err(self.report(problem.at(other.span, "this is an expression")));
            }
        })
    }

    fn fence(&mut self) -> Parse<StatementKind<'s>> {
        self.bump();
        let Some(open) = self.accept(T::OpenParen) else { return Ok(StatementKind::Fence(FenceOrder::SeqCst)) };
        let token = self.peek();
        let order = match self.slice(token.span) {
            "acq" => FenceOrder::Acquire,
            "rel" => FenceOrder::Release,
            "acq_rel" | "rel_acq" => FenceOrder::AcqRel,
            "seq_cst" | "upd" | ")" => FenceOrder::SeqCst,
            _ => return Err(self.bad_fence()),
        };
        if token.kind != T::CloseParen {
            self.bump();
        }
        self.expect_close(open, T::CloseParen, "`)`")?;
        Ok(StatementKind::Fence(order))
    }

    fn bad_fence(&mut self) -> Reported {
        let token = self.peek();
        if token.kind != T::Name && token.kind != T::Mode {
            return self.unexpected("the mode of the fence");
        }
        self.unknown_mode(token.span, "a fence can be `acq`, `rel`, `acq_rel` or `seq_cst`")
    }

    fn if_statement(&mut self, start: Span) -> Parse<Statement<'s>> {
        let cond = self.condition();
        let span = self.span_since(start);
        let then = self.body()?;
        let otherwise = match self.accept(T::Else) {
            Some(_) => self.body()?,
            None => Vec::new(),
        };
        Ok(Statement { kind: StatementKind::If { cond, then, otherwise }, span })
    }

    fn while_statement(&mut self, start: Span) -> Parse<Statement<'s>> {
        let cond = self.condition();
        let span = self.span_since(start);
        let body = self.body()?;
        Ok(Statement { kind: StatementKind::While { cond, body }, span })
    }

    /// The keyword and its condition. After an error, some condition is returned, so that the body is still checked.
    fn condition(&mut self) -> Expr<'s> {
        let keyword = self.bump();
        self.parenthesised().unwrap_or_else(|Reported| {
            self.skip_to_block();
            Expr { kind: ExprKind::Number(0), span: keyword.span, height: 1 }
        })
    }

    fn parenthesised(&mut self) -> Parse<Expr<'s>> {
        let open = self.expect(T::OpenParen, "`(`")?;
        let cond = self.expression()?;
        if self.kind() == T::Assign {
            let problem = self.expected(codes::UNEXPECTED, "`)`");
            return Err(self.report_once(problem.help("`==` compares; `=` assigns and is a statement of its own")));
        }
        self.expect_close(open, T::CloseParen, "`)`")?;
        Ok(cond)
    }

    /// `oneof({ … } { … });`
    fn one_of(&mut self, start: Span) -> Parse<Statement<'s>> {
        self.bump();
        let span = self.span_since(start);
        let open = self.expect(T::OpenParen, "`(`")?;
        let mut branches = vec![self.block()?];
        while self.kind() == T::OpenBrace {
            branches.push(self.block()?);
        }
        self.expect_close(open, T::CloseParen, "`{` or `)`")?;
        self.semicolon()?;
        Ok(Statement { kind: StatementKind::OneOf(branches), span })
    }
}
