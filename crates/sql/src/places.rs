//! Converts the lines and columns of the parser to byte offsets.

use crate::{Read, codes};
use sqlparser::ast::{Expr, Statement};
use sqlparser::dialect::PostgreSqlDialect;
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::{Location, Span as SqlSpan, Token, TokenWithSpan, Tokenizer};
use steadfast_diag::Diagnostic;
use steadfast_span::{SourceFile, Span};

/// Whose SQL is read.
const DIALECT: PostgreSqlDialect = PostgreSqlDialect {};

/// A file, with the offsets where its lines begin.
pub(crate) struct Places<'a> {
    pub(crate) file: &'a SourceFile,
    lines: Vec<usize>,
}

impl<'a> Places<'a> {
    pub(crate) fn new(file: &'a SourceFile) -> Self {
        let starts = file.text().match_indices('\n').map(|(at, _)| at + 1);
        Self { file, lines: [0].into_iter().chain(starts).collect() }
    }

    /// The byte offset of a place. Columns count characters.
    pub(crate) fn byte(&self, at: Location) -> usize {
        let text = self.file.text();
        let start = self.lines.get((at.line as usize).saturating_sub(1)).copied().unwrap_or(text.len());
        let line = &text[start..];
        let column = (at.column as usize).saturating_sub(1);
        start + line.char_indices().nth(column).map_or(line.len(), |(byte, _)| byte)
    }

    pub(crate) fn span(&self, span: SqlSpan) -> Span {
        Span::new(self.byte(span.start) as u32, self.byte(span.end) as u32)
    }

    /// The tokens without blanks and comments.
    pub(crate) fn tokens(&self) -> Read<Vec<TokenWithSpan>> {
        let all = Tokenizer::new(&DIALECT, self.file.text()).tokenize_with_location().map_err(|error| {
            let at = self.byte(error.location) as u32;
            let message = format!("this is not SQL: {}", error.message);
            Box::new(Diagnostic::error(codes::SYNTAX, message).at(Span::new(at, at), "here"))
        })?;
        Ok(all.into_iter().filter(|token| !matches!(token.token, Token::Whitespace(_) | Token::EOF)).collect())
    }

    /// The expression that all of the tokens make.
    pub(crate) fn expression(&self, tokens: &[TokenWithSpan]) -> Read<Expr> {
        #[allow(clippy::redundant_closure_for_method_calls, reason = "the method is not general enough")]
        self.parse(tokens, |parser| parser.parse_expr())
    }

    /// The statement that all of the tokens make.
    pub(crate) fn statement(&self, tokens: &[TokenWithSpan]) -> Read<Statement> {
        #[allow(clippy::redundant_closure_for_method_calls, reason = "the method is not general enough")]
        self.parse(tokens, |parser| parser.parse_statement())
    }

    fn parse<T>(
        &self,
        tokens: &[TokenWithSpan],
        parse: impl FnOnce(&mut Parser<'_>) -> Result<T, ParserError>,
    ) -> Read<T> {
        let mut parser = Parser::new(&DIALECT).with_recursion_limit(40).with_tokens_with_locations(tokens.to_vec());
        let result = parse(&mut parser);
        let at = parser.peek_token();
        let place = if at.token == Token::EOF { tokens.last().map_or(at.span, |token| token.span) } else { at.span };
        match result {
            Ok(value) if at.token == Token::EOF => Ok(value),
            Ok(_) => Err(self.unexpected(&format!("`{}` was not expected here", at.token), place)),
            Err(ParserError::RecursionLimitExceeded) => Err(self.unexpected("this is nested too deeply", place)),
            Err(ParserError::ParserError(message) | ParserError::TokenizerError(message)) => {
                Err(self.unexpected(&message_text(&message), Self::place_of(&message).unwrap_or(place)))
            }
        }
    }

    /// The place in the parser's message.
    fn place_of(message: &str) -> Option<SqlSpan> {
        let (_, place) = message.rsplit_once(" at Line: ")?;
        let (line, column) = place.split_once(", Column: ")?;
        let start = Location { line: line.parse().ok()?, column: column.trim().parse().ok()? };
        Some(SqlSpan { start, end: start })
    }

    pub(crate) fn unexpected(&self, message: &str, span: SqlSpan) -> Box<Diagnostic> {
        Box::new(Diagnostic::error(codes::SYNTAX, message.to_owned()).at(self.span(span), "here"))
    }
}

/// The parser's message without its place.
fn message_text(message: &str) -> String {
    let message = message.rsplit_once(" at Line: ").map_or(message, |(message, _)| message);
    format!("this is not SQL: {}", message.trim_start_matches("sql parser error: "))
}
