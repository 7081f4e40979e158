//! The parser's position, its errors, and how it recovers from them.
//!
//! The parser uses recursive descent. A rule that fails has reported the error and returns [`Reported`]; the statement or declaration around it then skips to
//! the place where the next one begins, so that one run reports several errors. Two errors at the same token are one mistake, and only the
//! first is kept.

use super::ast::Name;
use super::token::{Token, TokenKind};
use crate::codes;
use crate::support::{self, Depth};
use steadfast_diag::{Diagnostic, Diagnostics};
use steadfast_span::Span;

/// The rule did not match, and the error was reported.
#[derive(Debug)]
pub(super) struct Reported;

/// The result of a rule.
pub(super) type Parse<T> = Result<T, Reported>;

/// A position in the tokens of one file.
pub(super) struct Parser<'s, 'd> {
    pub(super) text: &'s str,
    /// invariant: the last one, and only that, is [`TokenKind::EndOfFile`].
    tokens: Vec<Token>,
    position: usize,
    depth: Depth,
    diagnostics: &'d mut Diagnostics,
    /// The token with the last error about an unexpected token.
    failed_at: Option<usize>,
    /// Whether the rest of the file is skipped without further errors.
    gave_up: bool,
}

impl<'s, 'd> Parser<'s, 'd> {
    pub(super) fn new(text: &'s str, tokens: Vec<Token>, diagnostics: &'d mut Diagnostics) -> Self {
        Self { text, tokens, position: 0, depth: Depth::default(), diagnostics, failed_at: None, gave_up: false }
    }

    /// The next token, without taking it.
    pub(super) fn peek(&self) -> Token {
        self.tokens[self.position]
    }

    /// The kind of the next token.
    pub(super) fn kind(&self) -> TokenKind {
        self.peek().kind
    }

    /// The kind of the token after the next one.
    pub(super) fn second_kind(&self) -> TokenKind {
        self.tokens.get(self.position + 1).map_or(TokenKind::EndOfFile, |token| token.kind)
    }

    /// Takes the next token. The end of the file is never passed.
    pub(super) fn bump(&mut self) -> Token {
        let token = self.peek();
        self.position = (self.position + 1).min(self.tokens.len() - 1);
        token
    }

    /// Takes the next token if it is of this kind.
    pub(super) fn accept(&mut self, kind: TokenKind) -> Option<Token> {
        (self.kind() == kind).then(|| self.bump())
    }

    /// The last token that was taken, or the first one if none was.
    pub(super) fn previous(&self) -> Token {
        self.tokens[self.position.saturating_sub(1)]
    }

    /// The span from the beginning of `start` to the end of the last token that was taken.
    pub(super) fn span_since(&self, start: Span) -> Span {
        start.to(self.previous().span)
    }

    /// The text under a span.
    pub(super) fn slice(&self, span: Span) -> &'s str {
        self.text.get(span.range()).unwrap_or_default()
    }

    /// Takes a token of this kind, or reports that `what` was expected.
    pub(super) fn expect(&mut self, kind: TokenKind, what: &str) -> Parse<Token> {
        self.accept(kind).ok_or_else(|| self.unexpected(what))
    }

    /// Takes the closing bracket for an opening one.
    pub(super) fn expect_close(&mut self, open: Token, close: TokenKind, what: &str) -> Parse<Token> {
        if let Some(token) = self.accept(close) {
            return Ok(token);
        }
        let problem = self.expected(codes::UNCLOSED, what);
        Err(self.report_once(problem.context(open.span, "to close this")))
    }

    /// Takes a name, or reports that `what` was expected.
    pub(super) fn name(&mut self, what: &str) -> Parse<Name<'s>> {
        let token = self.peek();
        if token.kind == TokenKind::Name {
            self.bump();
            return Ok(Name { text: self.slice(token.span), span: token.span });
        }
        if !token.kind.is_reserved_word() {
            return Err(self.unexpected(what));
        }
        let word = self.slice(token.span);
        let problem = Diagnostic::error(codes::RESERVED_WORD, format!("`{word}` is a reserved word and no name"));
        Err(self.report_once(problem.at(token.span, format!("expected {what}"))))
    }

    /// The name of the next token in messages.
    fn found(&self) -> String {
        match self.peek() {
            Token { kind: TokenKind::EndOfFile, .. } => "the end of the file".into(),
            token => format!("`{}`", self.slice(token.span).chars().take(40).collect::<String>()),
        }
    }

    /// An error about the next token.
    pub(super) fn expected(&self, code: steadfast_diag::Code, what: &str) -> Diagnostic {
        let message = format!("expected {what}, found {}", self.found());
        Diagnostic::error(code, message).at(self.peek().span, format!("expected {what}"))
    }

    /// Reports that `what` was expected instead of the next token.
    pub(super) fn unexpected(&mut self, what: &str) -> Reported {
        let problem = self.expected(codes::UNEXPECTED, what);
        self.report_once(problem)
    }

    /// Reports an error about the next token, unless one about it was reported already.
    pub(super) fn report_once(&mut self, problem: Diagnostic) -> Reported {
        if self.failed_at.replace(self.position) == Some(self.position) {
            return Reported;
        }
        self.report(problem)
    }

    /// Reports an error.
    pub(super) fn report(&mut self, problem: Diagnostic) -> Reported {
        if !self.gave_up {
            self.diagnostics.push(problem);
        }
        if self.diagnostics.is_full() {
            self.give_up();
        }
        Reported
    }

    /// Applies a rule that may recurse, one level deeper. All recursion goes through here, so that the stack is bounded.
    pub(super) fn nested<T>(&mut self, rule: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        if !self.depth.enter() {
            return Err(self.too_deep(self.peek().span));
        }
        let result = rule(self);
        self.depth.leave();
        result
    }

    /// Reports that the nesting limit is reached at `span`, and skips the rest of the file, which could not be understood.
    pub(super) fn too_deep(&mut self, span: Span) -> Reported {
        self.report(support::too_deep(span));
        self.give_up();
        Reported
    }

    fn give_up(&mut self) {
        self.gave_up = true;
        self.position = self.tokens.len() - 1;
    }

    /// Takes the `;` after a statement or declaration. If it is missing at the end of a line, parsing continues as if it were there.
    pub(super) fn semicolon(&mut self) -> Parse<()> {
        if self.accept(TokenKind::Semicolon).is_some() {
            return Ok(());
        }
        let end = self.previous().span.end;
        let message = format!("expected `;`, found {}", self.found());
        let problem = Diagnostic::error(codes::UNEXPECTED, message).at(Span::new(end, end), "expected `;`");
        let reported = self.report_once(problem);
        let resumes = self.starts_line() || matches!(self.kind(), TokenKind::CloseBrace | TokenKind::EndOfFile);
        if resumes { Ok(()) } else { Err(reported) }
    }

    /// Whether the next token is the first one of its line.
    fn starts_line(&self) -> bool {
        let gap = Span::new(self.previous().span.end, self.peek().span.start);
        gap.start <= gap.end && self.slice(gap).contains('\n')
    }

    /// After an error in a statement that began at token `start`, skips to the place where a statement can begin. Takes at least one token unless the block or the
    /// file ends here.
    pub(super) fn skip_statement(&mut self, start: usize) {
        let mut open = 0_usize;
        loop {
            match self.kind() {
                TokenKind::EndOfFile => return,
                TokenKind::CloseBrace if open == 0 => return,
                kind if kind.begins_declaration() => return,
                kind if open == 0 && self.position > start && kind.begins_statement() && self.starts_line() => return,
                kind => {
                    self.bump();
                    match kind {
                        TokenKind::OpenBrace => open += 1,
                        TokenKind::CloseBrace => open -= 1,
                        _ => {}
                    }
                    if open == 0 && matches!(kind, TokenKind::Semicolon | TokenKind::CloseBrace) {
                        return;
                    }
                }
            }
        }
    }

    /// Skips to the block after a condition with an error, or to the end of the statement if there is no block.
    pub(super) fn skip_to_block(&mut self) {
        use TokenKind::{CloseBrace, EndOfFile, Goto, OpenBrace, Semicolon};
        while !matches!(self.kind(), OpenBrace | CloseBrace | Semicolon | Goto | EndOfFile)
            && !self.kind().begins_declaration()
        {
            self.bump();
        }
    }

    /// Skips to the end of a list item with an error: a comma, the end of the statement, or a new line.
    pub(super) fn skip_list_item(&mut self) {
        use TokenKind::{CloseBrace, Comma, EndOfFile, OpenBrace, Semicolon};
        if matches!(self.second_kind(), Comma | Semicolon) {
            self.bump();
        }
        while !matches!(self.kind(), Comma | Semicolon | OpenBrace | CloseBrace | EndOfFile)
            && !self.kind().begins_declaration()
            && !self.starts_line()
        {
            self.bump();
        }
    }

    /// Skips to the next declaration.
    pub(super) fn skip_to_declaration(&mut self) {
        while self.kind() != TokenKind::EndOfFile && !self.kind().begins_declaration() {
            self.bump();
        }
    }

    /// The index of the next token.
    pub(super) fn position(&self) -> usize {
        self.position
    }
}
