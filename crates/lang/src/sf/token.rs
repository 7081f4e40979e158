//! Tokens. Only words that begin or join statements are keywords; everything with parentheses is a name.

use super::codes;
use logos::{Lexer, Logos};
use steadfast_diag::{Diagnostic, Diagnostics};
use steadfast_span::Span;

/// A kind of token.
#[derive(Logos, Clone, Copy, Debug, PartialEq, Eq)]
#[logos(skip r"[ \t\r\n\f\u{feff}]+")]
#[logos(skip r"//[^\n]*")]
#[allow(missing_docs, reason = "each is named after how it is written")]
pub(super) enum Token {
    #[regex(r"[A-Za-z_][A-Za-z0-9_]*")]
    Name,
    /// Letters may follow directly: `12ab` is one malformed number, and not a number and a name.
    #[regex(r"[0-9][0-9A-Za-z_]*")]
    Number,
    #[regex(r#""([^"\\\n]|\\[^\n])*""#)]
    Text,

    #[token("thread")]
    Thread,
    #[token("fn")]
    Fn,
    #[token("const")]
    Const,
    #[token("let")]
    Let,
    #[token("if")]
    If,
    #[token("else")]
    Else,
    #[token("while")]
    While,
    #[token("do")]
    Do,
    #[token("loop")]
    Loop,
    #[token("for")]
    For,
    #[token("break")]
    Break,
    #[token("continue")]
    Continue,
    #[token("choose")]
    Choose,
    #[token("or")]
    OrKeyword,
    #[token("goto")]
    Goto,
    #[token("return")]
    Return,
    #[token("skip")]
    Skip,
    #[token("true")]
    True,
    #[token("false")]
    False,

    #[token("#")]
    Hash,
    #[token("(")]
    LeftParen,
    #[token(")")]
    RightParen,
    #[token("[")]
    LeftBracket,
    #[token("]")]
    RightBracket,
    #[token("{")]
    LeftBrace,
    #[token("}")]
    RightBrace,
    #[token(";")]
    Semicolon,
    #[token(",")]
    Comma,
    #[token(":")]
    Colon,
    #[token("::")]
    Path,
    #[token(".")]
    Dot,
    #[token("..=")]
    Range,
    #[token("->")]
    Arrow,

    #[token("=")]
    Assign,
    #[token("+=")]
    PlusAssign,
    #[token("-=")]
    MinusAssign,
    #[token("*=")]
    StarAssign,
    #[token("/=")]
    SlashAssign,
    #[token("%=")]
    PercentAssign,
    #[token("&=")]
    AmpAssign,
    #[token("|=")]
    PipeAssign,
    #[token("^=")]
    CaretAssign,
    #[token("<<=")]
    ShlAssign,
    #[token(">>=")]
    ShrAssign,
    #[token("++")]
    Increment,
    #[token("--")]
    Decrement,

    #[token("||")]
    Or,
    #[token("&&")]
    And,
    #[token("|")]
    Pipe,
    #[token("^")]
    Caret,
    #[token("&")]
    Amp,
    #[token("==")]
    Eq,
    #[token("!=")]
    Ne,
    #[token("<")]
    Lt,
    #[token("<=")]
    Le,
    #[token(">")]
    Gt,
    #[token(">=")]
    Ge,
    #[token("<<")]
    Shl,
    #[token(">>")]
    Shr,
    #[token("+")]
    Plus,
    #[token("-")]
    Minus,
    #[token("*")]
    Star,
    #[token("/")]
    Slash,
    #[token("%")]
    Percent,
    #[token("!")]
    Not,
    #[token("~")]
    Tilde,

    #[token("/*", skip_comment)]
    UnclosedComment,
    #[regex(r#""([^"\\\n]|\\[^\n])*"#)]
    UnclosedText,
    /// Text that is no token, which was reported.
    Bad,
    /// The end of the file.
    End,
}

/// Skips a comment. A comment that is not closed becomes a token that covers the rest of the file.
fn skip_comment(lexer: &mut Lexer<'_, Token>) -> logos::Filter<()> {
    let Some(length) = lexer.remainder().find("*/") else {
        lexer.bump(lexer.remainder().len());
        return logos::Filter::Emit(());
    };
    lexer.bump(length + 2);
    logos::Filter::Skip
}

/// Splits a text into tokens. The last one is always [`Token::End`]. Text that is no token is reported.
pub(super) fn tokens(text: &str, problems: &mut Diagnostics) -> Vec<(Token, Span)> {
    let mut found = Vec::with_capacity(text.len() / 4);
    for (token, range) in Token::lexer(text).spanned() {
        let span = Span::new(range.start as u32, range.end as u32);
        match token {
            Ok(Token::UnclosedComment) => {
                problems.push(unclosed("comment", "*/", Span::new(span.start, span.start + 2)));
            }
            Ok(Token::UnclosedText) => {
                problems.push(unclosed("text", "\"", span));
                found.push((Token::Bad, span));
            }
            Ok(token) => found.push((token, span)),
            // Adjacent characters that are no tokens are one error.
            Err(()) => match found.last_mut() {
                Some((Token::Bad, before)) if before.end == span.start => before.end = span.end,
                _ => found.push((Token::Bad, span)),
            },
        }
    }
    for &(_, span) in found.iter().filter(|token| token.0 == Token::Bad && !text[token.1.range()].starts_with('"')) {
        problems.push(not_a_token(text, span));
    }
    let end = text.trim_end().len() as u32;
    found.push((Token::End, Span::new(end, end)));
    found
}

fn unclosed(what: &str, by: &str, span: Span) -> Diagnostic {
    Diagnostic::error(codes::UNCLOSED, format!("this {what} is not closed"))
        .at(span, "it begins here")
        .help(format!("close it with `{by}`"))
}

fn not_a_token(text: &str, span: Span) -> Diagnostic {
    let snippet: String = text.get(span.range()).unwrap_or("").chars().take(20).collect();
    Diagnostic::error(codes::NOT_A_TOKEN, format!("`{snippet}` means nothing in this language"))
        .at(span, "not expected anywhere")
}

impl Token {
    /// The name of this token in messages.
    pub(super) fn describe(self, text: &str) -> String {
        match self {
            Self::End => "the end of the file".into(),
            Self::Text => "a text".into(),
            _ => format!("`{}`", text.chars().take(40).collect::<String>()),
        }
    }
}
