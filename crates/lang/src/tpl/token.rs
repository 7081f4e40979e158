//! Tokens: words and symbols.

use crate::codes;
use logos::{FilterResult, Logos};
use steadfast_diag::{Diagnostic, Diagnostics};
use steadfast_span::Span;

/// The kinds of tokens. Names of operations (`load`, `FADD`, …) are plain names; only words that begin a declaration or a
/// statement, constants and modes are reserved.
#[derive(Logos, Clone, Copy, Debug, PartialEq, Eq)]
#[logos(skip r"[ \t\r\n\u{000C}\u{FEFF}]+")]
#[logos(skip r"//[^\n]*")]
#[logos(error = LexError)]
#[rustfmt::skip]
pub(super) enum TokenKind {
    #[token("max_value")] MaxValue,
    #[token("global")] Global,
    #[token("na")] Na,
    #[token("track")] Track,
    #[token("fn")] Fn,
    #[token("local")] Local,
    #[token("if")] If,
    #[token("else")] Else,
    #[token("while")] While,
    #[token("goto")] Goto,
    #[token("oneof")] OneOf,
    #[token("skip")] Skip,
    #[token("fence")] Fence,
    #[token("true")] True,
    #[token("false")] False,
    #[token("rlx")] #[token("acq")] #[token("rel")] #[token("acq_rel")] #[token("rel_acq")] #[token("seq_cst")] Mode,
    #[regex("[A-Za-z_][A-Za-z0-9_]*")] Name,
    #[regex("[0-9][A-Za-z0-9_]*")] Number,
    #[token("{")] OpenBrace,
    #[token("}")] CloseBrace,
    #[token("(")] OpenParen,
    #[token(")")] CloseParen,
    #[token(",")] Comma,
    #[token(";")] Semicolon,
    #[token(":")] Colon,
    #[token(".")] Dot,
    #[token("=")] Assign,
    #[token("||")] OrOr,
    #[token("&&")] AndAnd,
    #[token("|")] Or,
    #[token("^")] Caret,
    #[token("&")] And,
    #[token("==")] EqEq,
    #[token("!=")] NotEq,
    #[token("<=")] LessEq,
    #[token(">=")] GreaterEq,
    #[token("<")] Less,
    #[token(">")] Greater,
    #[token("<<")] ShiftLeft,
    #[token(">>")] ShiftRight,
    #[token("+")] Plus,
    #[token("-")] Minus,
    #[token("*")] Star,
    #[token("/")] Slash,
    #[token("%")] Percent,
    #[token("!")] Not,
    #[token("~")] Tilde,
    /// A comment between `/*` and `*/`; never handed on.
    #[token("/*", block_comment)] BlockComment,
    /// The end of the file. It is empty.
    EndOfFile,
}

/// The reasons why text is no token.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum LexError {
    /// No token begins with this character.
    #[default]
    UnknownCharacter,
    /// `/*` without `*/`.
    UnclosedComment,
}

/// A token and its place.
pub(super) type Token = steadfast_span::Token<TokenKind>;

impl TokenKind {
    /// Whether it is a reserved word, which cannot be a name.
    pub(super) fn is_reserved_word(self) -> bool {
        use TokenKind as T;
        matches!(
            self,
            T::MaxValue
                | T::Global
                | T::Na
                | T::Track
                | T::Fn
                | T::Local
                | T::If
                | T::Else
                | T::While
                | T::Goto
                | T::OneOf
        ) || matches!(self, T::Skip | T::Fence | T::True | T::False | T::Mode)
    }

    /// Whether it can only be outside of functions. Inside a function, it means that a `}` is missing.
    pub(super) fn begins_declaration(self) -> bool {
        matches!(self, Self::MaxValue | Self::Global | Self::Na | Self::Track | Self::Fn)
    }

    /// Whether it always begins a statement, so that parsing can resume there after an error.
    pub(super) fn begins_statement(self) -> bool {
        matches!(self, Self::Local | Self::If | Self::While | Self::Goto | Self::OneOf | Self::Skip | Self::Fence)
    }
}

fn block_comment(lexer: &mut logos::Lexer<TokenKind>) -> FilterResult<(), LexError> {
    if let Some(end) = lexer.remainder().find("*/") {
        lexer.bump(end + 2);
        return FilterResult::Skip;
    }
    lexer.bump(lexer.remainder().len());
    FilterResult::Error(LexError::UnclosedComment)
}

/// All tokens of the text. The last one, and only that, is [`TokenKind::EndOfFile`]. Text that is no token is reported and left out.
pub(super) fn tokens(text: &str, diagnostics: &mut Diagnostics) -> Vec<Token> {
    steadfast_span::tokens(text, TokenKind::lexer(text).spanned(), TokenKind::EndOfFile, |error, span| {
        diagnostics.push(match error {
            LexError::UnknownCharacter => unknown_text(span, text),
            LexError::UnclosedComment => unclosed_comment(span),
        });
    })
}

fn unknown_text(span: Span, text: &str) -> Diagnostic {
    let found = text.get(span.range()).unwrap_or_default();
    let visible = |c: char| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c };
    let shown: String = found.chars().take(20).map(visible).collect();
    let problem = Diagnostic::error(codes::UNKNOWN_CHARACTER, format!("unknown text `{shown}`"));
    let problem = problem.at(span, "nothing in TPL begins like this");
    match found {
        "\"" | "'" => problem.help("TPL has no strings and no characters, only numbers"),
        "#" => problem.help("comments begin with `//`"),
        "[" | "]" => problem.help("TPL has no arrays; the Steadfast language has"),
        _ => problem,
    }
}

fn unclosed_comment(span: Span) -> Diagnostic {
    let opening = Span::new(span.start, span.start + 2);
    Diagnostic::error(codes::UNCLOSED_COMMENT, "this comment is never closed").at(opening, "no `*/` follows")
}
