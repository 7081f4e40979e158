//! The parser's access to the tokens: looking ahead, expecting tokens, reporting errors, and recovering from them.
//!
//! A rule that fails has reported the error and returns [`Failed`]; the nearest list of statements or items then skips to the place where the next one
//! can begin. So every independent error is reported once, and what was parsed before and after it stays in the tree.

use super::ast::{self, Name};
use super::codes;
use super::token::{Token, tokens};
use crate::support::{Depth, too_deep};
use std::rc::Rc;
use steadfast_diag::{Diagnostic, Diagnostics};
use steadfast_span::Span;

/// The rule did not match, and the error was reported.
#[derive(Debug)]
pub(super) struct Failed;

/// The result of a rule.
pub(super) type Rule<T> = Result<T, Failed>;

/// Parses one file.
pub(super) struct Parser<'a> {
    text: &'a str,
    tokens: Vec<(Token, Span)>,
    at: usize,
    pub(super) problems: &'a mut Diagnostics,
    depth: Depth,
    /// Whether the rest of the file is skipped. Errors about what is then missing are not reported.
    gave_up: bool,
}

/// Parses a file into a tree.
pub(super) fn parse_file(text: &str, problems: &mut Diagnostics) -> ast::File {
    let tokens = tokens(text, problems);
    Parser { text, tokens, at: 0, problems, depth: Depth::default(), gave_up: false }.file()
}

impl Parser<'_> {
    /// The next token.
    pub(super) fn peek(&self) -> Token {
        self.tokens[self.at].0
    }

    /// The token after the next one.
    pub(super) fn peek_second(&self) -> Token {
        self.tokens.get(self.at + 1).map_or(Token::End, |token| token.0)
    }

    /// The place of the next token.
    pub(super) fn span(&self) -> Span {
        self.tokens[self.at].1
    }

    /// The place of the last token that was taken.
    pub(super) fn last_span(&self) -> Span {
        self.at.checked_sub(1).map_or(Span::default(), |last| self.tokens[last].1)
    }

    /// The number of tokens that were taken. Two equal positions mean that there was no progress.
    pub(super) fn position(&self) -> usize {
        self.at
    }

    /// The text of the next token.
    pub(super) fn token_text(&self) -> &str {
        self.snippet(self.span())
    }

    pub(super) fn snippet(&self, span: Span) -> &str {
        self.text.get(span.range()).unwrap_or("")
    }

    /// Takes the next token. The end of the file is never passed.
    pub(super) fn advance(&mut self) -> Span {
        let span = self.span();
        if self.peek() != Token::End {
            self.at += 1;
        }
        span
    }

    /// Takes the next token if it is the given one.
    pub(super) fn eat(&mut self, token: Token) -> bool {
        let found = self.peek() == token;
        if found {
            self.advance();
        }
        found
    }

    /// Takes this token, or fails; `what` is its name in the message.
    pub(super) fn expect(&mut self, token: Token, what: &str) -> Rule<Span> {
        if self.peek() == token { Ok(self.advance()) } else { Err(self.unexpected(what)) }
    }

    /// Takes a name, or fails; `what` says what it should have named.
    pub(super) fn name(&mut self, what: &str) -> Rule<Name> {
        if self.peek() == Token::Name {
            return Ok(self.take_name());
        }
        let word = self.token_text();
        if word.starts_with(|c: char| c.is_ascii_alphabetic()) {
            let message = format!("expected {what}, but `{word}` is a keyword");
            let problem = Diagnostic::error(codes::SYNTAX, message).at(self.span(), "not usable as a name");
            self.report(problem);
            self.advance();
            return Err(Failed);
        }
        Err(self.unexpected(what))
    }

    /// Takes the next token as a name.
    pub(super) fn take_name(&mut self) -> Name {
        let text = Rc::from(self.token_text());
        Name { text, span: self.advance() }
    }

    /// Whether the next token is this word, which is a keyword only here.
    pub(super) fn at_word(&self, word: &str) -> bool {
        self.peek() == Token::Name && self.token_text() == word
    }

    /// Reports a problem, unless it is a consequence of an earlier one or of characters that are no token.
    pub(super) fn report(&mut self, problem: Diagnostic) {
        if !self.gave_up && self.peek() != Token::Bad {
            self.problems.push(problem);
        }
    }

    /// Reports that something else was expected.
    pub(super) fn unexpected(&mut self, expected: &str) -> Failed {
        let problem = self.expected(expected);
        self.report(problem);
        Failed
    }

    /// Reports that something else was expected, with advice.
    pub(super) fn unexpected_but(&mut self, expected: &str, advice: impl Into<String>) -> Failed {
        let problem = self.expected(expected).help(advice);
        self.report(problem);
        Failed
    }

    fn expected(&self, expected: &str) -> Diagnostic {
        let found = self.peek().describe(self.token_text());
        Diagnostic::error(codes::SYNTAX, format!("expected {expected}, found {found}"))
            .at(self.span(), format!("expected {expected}"))
    }

    /// Takes a semicolon. If it is missing, reports that, and continues if the next line or statement begins here.
    pub(super) fn semicolon(&mut self) -> Rule<()> {
        if self.eat(Token::Semicolon) {
            return Ok(());
        }
        let end = self.last_span().end;
        let gap = Span::new(end, self.span().start.max(end));
        let goes_on = self.snippet(gap).contains('\n') || self.peek() == Token::RightBrace || self.starts_statement();
        let message = if goes_on {
            "missing `;`".to_string()
        } else {
            format!("expected `;`, found {}", self.peek().describe(self.token_text()))
        };
        let problem =
            Diagnostic::error(codes::MISSING_SEMICOLON, message).at(Span::new(end, end), "`;` is missing here");
        self.report(problem);
        if goes_on { Ok(()) } else { Err(Failed) }
    }

    /// Runs a rule one level deeper, unless that is too deep.
    pub(super) fn nested<T>(&mut self, rule: impl FnOnce(&mut Self) -> Rule<T>) -> Rule<T> {
        if !self.depth.enter() {
            self.report(too_deep(self.span()));
            // At this depth, every further level would fail, too.
            self.skip_rest();
            return Err(Failed);
        }
        let result = rule(self);
        self.depth.leave();
        result
    }

    /// Skips the rest of the file.
    pub(super) fn skip_rest(&mut self) {
        self.at = self.tokens.len() - 1;
        self.gave_up = true;
    }

    /// Skips to the place where the next statement can begin: behind a `;`, behind a block, or to the `}` of this block.
    pub(super) fn skip_statement(&mut self) {
        self.skip_past(|parser| matches!(parser.peek(), Token::RightBrace | Token::End | Token::Thread | Token::Fn));
    }

    /// Skips to the place behind a `;` or behind a block, or to the first token where `stops` holds.
    fn skip_past(&mut self, stops: impl Fn(&Self) -> bool) {
        while !stops(self) {
            match self.peek() {
                Token::LeftBrace => return self.skip_block(),
                token => {
                    self.advance();
                    if token == Token::Semicolon {
                        return;
                    }
                }
            }
        }
    }

    /// Skips to the `;` of a statement with an error. Fails if the statement ends otherwise.
    pub(super) fn skip_to_semicolon(&mut self) -> Rule<()> {
        loop {
            match self.peek() {
                Token::Semicolon => return Ok(()),
                Token::LeftBrace | Token::RightBrace | Token::End | Token::Thread | Token::Fn => return Err(Failed),
                _ => self.advance(),
            };
        }
    }

    /// Skips to the block of a head with an error. Fails if the statement ends first.
    pub(super) fn skip_to_block(&mut self) -> Rule<()> {
        loop {
            match self.peek() {
                Token::LeftBrace => return Ok(()),
                Token::Semicolon | Token::RightBrace | Token::End | Token::Thread | Token::Fn => return Err(Failed),
                _ => self.advance(),
            };
        }
    }

    /// Skips a block with its contents.
    fn skip_block(&mut self) {
        let mut open = 0_usize;
        loop {
            match self.peek() {
                Token::LeftBrace => open += 1,
                Token::RightBrace => open -= 1,
                Token::End => return,
                _ => {}
            }
            self.advance();
            if open == 0 {
                return;
            }
        }
    }

    /// Skips to the place where the next declaration can begin.
    pub(super) fn skip_item(&mut self) {
        self.skip_past(|parser| match parser.peek() {
            Token::Thread | Token::Fn | Token::Const | Token::Hash | Token::End => true,
            Token::Name => parser.shared_kind().is_some(),
            _ => false,
        });
    }
}
