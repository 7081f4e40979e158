//! From tokens to the tree, by descent. After an error, reading resumes at the next statement or declaration.

use super::ast::{ExpectItem, File, Name, Operation, ProcessItem, Shared, Stmt, StmtKind, Target, TemplateItem, Tree};
use super::codes;
use super::token::{Token, TokenKind as T};
use steadfast_diag::{Diagnostic, Diagnostics, suggest};
use steadfast_span::Span;

/// Statements and expressions may be nested this deep.
pub(super) const MAX_NESTING: usize = 200;

/// Somebody has already complained; go on at the next statement.
pub(super) struct Failed;

pub(super) type Read<X> = Result<X, Failed>;

pub(super) struct Parser<'a> {
    text: &'a str,
    tokens: &'a [Token],
    at: usize,
    pub(super) depth: usize,
    pub(super) problems: &'a mut Diagnostics,
}

impl<'a> Parser<'a> {
    pub(super) fn new(text: &'a str, tokens: &'a [Token], problems: &'a mut Diagnostics) -> Self {
        Self { text, tokens, at: 0, depth: 0, problems }
    }

    pub(super) fn file(mut self) -> File {
        let mut file = File::default();
        while self.kind() != T::EndOfFile && !self.problems.is_full() {
            if self.item(&mut file).is_err() {
                self.bump();
                while !self.kind().begins_item() && self.kind() != T::EndOfFile {
                    self.bump();
                }
            }
        }
        file
    }

    fn item(&mut self, file: &mut File) -> Read<()> {
        match self.kind() {
            T::Shared => self.shared(file),
            T::Values => {
                self.bump();
                file.values = Some(self.number()?);
                self.expect(T::Semicolon, "`;`").map(drop)
            }
            T::Process => self.process(file),
            T::Template => self.template(file),
            T::Attribute => self.expectation(file),
            _ => self.unexpected("`shared`, `process` or `template`"),
        }
    }

    fn shared(&mut self, file: &mut File) -> Read<()> {
        self.bump();
        loop {
            let name = self.name("the name of a shared variable")?;
            let mut sizes = Vec::new();
            while self.eat(T::OpenBracket) {
                sizes.push(self.number()?);
                self.expect(T::CloseBracket, "`]`")?;
            }
            let initial = if self.eat(T::Equals) { Some(self.number()?) } else { None };
            file.shared.push(Shared { name, sizes, initial });
            if !self.eat(T::Comma) {
                break;
            }
        }
        self.expect(T::Semicolon, "`,` or `;`").map(drop)
    }

    fn process(&mut self, file: &mut File) -> Read<()> {
        self.bump();
        let name = self.name("the name of the process")?;
        let mut copies = None;
        if self.eat(T::OpenBracket) {
            copies = Some(self.number()?);
            self.expect(T::CloseBracket, "`]`")?;
        }
        let body = self.block()?;
        file.processes.push(ProcessItem { name, copies, body });
        Ok(())
    }

    fn template(&mut self, file: &mut File) -> Read<()> {
        self.bump();
        let name = self.name("the name of the template")?;
        let parameters = if self.eat(T::OpenParen) { self.names(T::CloseParen, "`)`")? } else { Vec::new() };
        self.expect(T::OpenBrace, "`{`")?;
        let mut operations = Vec::new();
        while !self.eat(T::CloseBrace) {
            operations.push(self.operation()?);
        }
        file.templates.push(TemplateItem { name, parameters, operations });
        Ok(())
    }

    fn operation(&mut self) -> Read<Operation> {
        let kind = self.name("`read`, `write`, `update` or `lock`")?;
        if !matches!(&*kind.text, "read" | "write" | "update" | "lock") {
            let problem = Diagnostic::error(codes::UNEXPECTED, format!("there is no operation `{}`", kind.text))
                .at(kind.span, "expected `read`, `write`, `update` or `lock`");
            self.problems.push(suggest(problem, &kind.text, ["read", "write", "update", "lock"]));
            return Err(Failed);
        }
        let table = self.name("the name of a table")?;
        let mut key = Vec::new();
        while self.eat(T::OpenBracket) {
            key.push(self.name("a parameter of the template")?);
            self.expect(T::CloseBracket, "`]`")?;
        }
        let attributes = if self.eat(T::OpenParen) { Some(self.names(T::CloseParen, "`)`")?) } else { None };
        self.expect(T::Semicolon, "`;`")?;
        Ok(Operation { kind, table, key, attributes })
    }

    fn names(&mut self, close: T, wanted: &str) -> Read<Vec<Name>> {
        let mut names = Vec::new();
        if self.eat(close) {
            return Ok(names);
        }
        loop {
            names.push(self.name("a name")?);
            if !self.eat(T::Comma) {
                break;
            }
        }
        self.expect(close, wanted)?;
        Ok(names)
    }

    fn expectation(&mut self, file: &mut File) -> Read<()> {
        let start = self.bump().span;
        let read = self.expectation_body();
        let end = self.peek().span;
        let Ok(expectation) = read else {
            let problem = Diagnostic::error(codes::BAD_EXPECTATION, "this expectation cannot be read");
            let problem = problem.at(start.to(end), "in this attribute");
            self.problems.push(problem.help("write `#![expect(robust, model = ccv)]`"));
            return Err(Failed);
        };
        file.expectations.push(expectation);
        Ok(())
    }

    fn expectation_body(&mut self) -> Read<ExpectItem> {
        let name = self.quiet_name()?;
        if name.text != "expect" || !self.eat(T::OpenParen) {
            return Err(Failed);
        }
        let verdict = self.quiet_name()?;
        let comma = self.eat(T::Comma);
        let key = self.quiet_name()?;
        if !comma || key.text != "model" || !self.eat(T::Equals) {
            return Err(Failed);
        }
        let model = self.quiet_name()?;
        if self.eat(T::CloseParen) && self.eat(T::CloseBracket) {
            Ok(ExpectItem { verdict, model })
        } else {
            Err(Failed)
        }
    }

    /// `{ … }`
    pub(super) fn block(&mut self) -> Read<Vec<Stmt>> {
        let open = self.expect(T::OpenBrace, "`{`")?;
        let mut body = Vec::new();
        loop {
            match self.kind() {
                T::CloseBrace => {
                    self.bump();
                    return Ok(body);
                }
                kind if kind == T::EndOfFile || kind.begins_item() => {
                    let problem = Diagnostic::error(codes::UNEXPECTED, "this `{` is never closed");
                    let here = self.peek().span;
                    self.problems.push(problem.at(open, "opened here").context(here, "`}` is missing before this"));
                    return Err(Failed);
                }
                _ => {}
            }
            match self.nested(Self::statement) {
                Ok(statement) => body.push(statement),
                Err(Failed) => self.recover()?,
            }
        }
    }

    /// Skips to where the next statement may begin.
    fn recover(&mut self) -> Read<()> {
        if self.problems.is_full() {
            return Err(Failed);
        }
        loop {
            match self.kind() {
                T::Semicolon => {
                    self.bump();
                    return Ok(());
                }
                T::CloseBrace | T::EndOfFile => return Ok(()),
                kind if kind.begins_item() || kind.begins_statement() => return Ok(()),
                _ => self.bump(),
            };
        }
    }

    fn statement(&mut self) -> Read<Stmt> {
        let start = self.peek().span;
        let kind = self.statement_kind()?;
        let end = self.tokens[self.at.saturating_sub(1)].span;
        Ok(Stmt { kind, span: start.to(end) })
    }

    fn statement_kind(&mut self) -> Read<StmtKind> {
        match self.kind() {
            T::Txn | T::Serializable => {
                let serializable = self.eat(T::Serializable);
                self.expect(T::Txn, "`txn`")?;
                let name = if self.kind() == T::Name { Some(self.name("a name")?) } else { None };
                Ok(StmtKind::Txn(name, serializable, self.block()?))
            }
            T::Loop => {
                self.bump();
                self.block().map(StmtKind::Loop)
            }
            T::Choose => {
                self.bump();
                let mut branches = vec![self.block()?];
                while self.eat(T::Or) {
                    branches.push(self.block()?);
                }
                Ok(StmtKind::Choose(branches))
            }
            T::If => self.condition(),
            T::Pick => {
                self.bump();
                let name = self.name("a register")?;
                self.expect(T::In, "`in`")?;
                let (low, high) = self.range()?;
                self.expect(T::Semicolon, "`;`")?;
                Ok(StmtKind::Pick(name, low, high))
            }
            T::For => {
                self.bump();
                let name = self.name("a name")?;
                self.expect(T::In, "`in`")?;
                let (low, high) = self.range()?;
                Ok(StmtKind::For(name, low, high, self.block()?))
            }
            T::Assume => {
                self.bump();
                let condition = self.expression()?;
                self.expect(T::Semicolon, "`;`")?;
                Ok(StmtKind::Assume(condition))
            }
            T::Skip => {
                self.bump();
                self.expect(T::Semicolon, "`;`")?;
                Ok(StmtKind::Skip)
            }
            T::Name => {
                let target = self.target()?;
                self.expect(T::Assign, "`:=`")?;
                let value = self.expression()?;
                self.expect(T::Semicolon, "`;`")?;
                Ok(StmtKind::Assign(target, value))
            }
            _ => self.unexpected("a statement"),
        }
    }

    fn condition(&mut self) -> Read<StmtKind> {
        self.bump();
        let condition = if self.eat(T::Star) { None } else { Some(self.expression()?) };
        let then = self.block()?;
        let otherwise = match self.eat(T::Else) {
            false => Vec::new(),
            true if self.kind() == T::If => vec![self.nested(Self::statement)?],
            true => self.block()?,
        };
        Ok(StmtKind::If(condition, then, otherwise))
    }

    fn range(&mut self) -> Read<(Tree, Tree)> {
        let low = self.expression()?;
        self.expect(T::Range, "`..`")?;
        Ok((low, self.expression()?))
    }

    pub(super) fn target(&mut self) -> Read<Target> {
        let name = self.name("a name")?;
        let mut indices = Vec::new();
        while self.eat(T::OpenBracket) {
            indices.push(self.expression()?);
            self.expect(T::CloseBracket, "`]`")?;
        }
        Ok(Target { name, indices })
    }

    /// Reads something one level deeper.
    pub(super) fn nested<X>(&mut self, read: impl FnOnce(&mut Self) -> Read<X>) -> Read<X> {
        if self.depth >= MAX_NESTING {
            let message = format!("the program is nested more than {MAX_NESTING} levels deep");
            let span = self.peek().span;
            self.problems.push(Diagnostic::error(codes::TOO_LARGE, message).at(span, "this is one level too many"));
            // What follows cannot be told from what encloses it, so nothing more is read.
            self.at = self.tokens.len() - 1;
            return Err(Failed);
        }
        let before = self.depth;
        self.depth += 1;
        let result = read(self);
        self.depth = before;
        result
    }

    pub(super) fn peek(&self) -> Token {
        self.tokens[self.at.min(self.tokens.len() - 1)]
    }

    pub(super) fn kind(&self) -> T {
        self.peek().kind
    }

    pub(super) fn bump(&mut self) -> Token {
        let token = self.peek();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    pub(super) fn eat(&mut self, kind: T) -> bool {
        let found = self.kind() == kind;
        if found {
            self.bump();
        }
        found
    }

    pub(super) fn expect(&mut self, kind: T, wanted: &str) -> Read<Span> {
        if self.kind() == kind { Ok(self.bump().span) } else { self.unexpected(wanted) }
    }

    fn quiet_name(&mut self) -> Read<Name> {
        if self.kind() != T::Name {
            return Err(Failed);
        }
        self.name("a name")
    }

    pub(super) fn name(&mut self, wanted: &str) -> Read<Name> {
        let span = self.expect(T::Name, wanted)?;
        Ok(Name { text: self.text[span.range()].to_owned(), span })
    }

    pub(super) fn number(&mut self) -> Read<(i64, Span)> {
        let span = self.expect(T::Number, "a number")?;
        let value = self.text[span.range()].parse::<i64>().ok().filter(|&value| value <= i64::from(i32::MAX));
        value.map(|value| (value, span)).ok_or_else(|| {
            let problem = Diagnostic::error(codes::BAD_NUMBER, "this number cannot be read");
            self.problems.push(problem.at(span, "expected decimal digits, at most 2147483647"));
            Failed
        })
    }

    pub(super) fn unexpected<X>(&mut self, wanted: &str) -> Read<X> {
        let token = self.peek();
        let found = match token.kind {
            T::EndOfFile => "the end of the file".to_owned(),
            _ => format!("`{}`", self.text[token.span.range()].chars().take(40).collect::<String>()),
        };
        let problem = Diagnostic::error(codes::UNEXPECTED, format!("expected {wanted}, found {found}"));
        let problem = problem.at(token.span, format!("expected {wanted}"));
        self.problems.push(match (wanted, token.kind) {
            ("`:=`", T::Equals) => problem.help("an assignment is written `:=`"),
            ("`shared`, `process` or `template`", T::Txn) => problem.help("a transaction belongs into a `process`"),
            _ => problem,
        });
        Err(Failed)
    }
}
