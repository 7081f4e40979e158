//! Words and symbols.

use super::codes;
use logos::Logos;
use steadfast_diag::{Diagnostic, Diagnostics};
use steadfast_span::Span;

/// What a piece of text is.
#[derive(Logos, Clone, Copy, Debug, PartialEq, Eq)]
#[logos(skip r"[ \t\r\n\u{000C}\u{FEFF}]+")]
#[logos(skip r"//[^\n]*")]
#[rustfmt::skip]
pub(super) enum TokenKind {
    #[token("shared")] Shared,
    #[token("values")] Values,
    #[token("process")] Process,
    #[token("template")] Template,
    #[token("txn")] Txn,
    #[token("serializable")] Serializable,
    #[token("loop")] Loop,
    #[token("choose")] Choose,
    #[token("or")] Or,
    #[token("if")] If,
    #[token("else")] Else,
    #[token("pick")] Pick,
    #[token("for")] For,
    #[token("in")] In,
    #[token("assume")] Assume,
    #[token("skip")] Skip,
    #[token("self")] SelfWord,
    #[regex("[A-Za-z_][A-Za-z0-9_]*")] Name,
    #[regex("[0-9][0-9A-Za-z_]*")] Number,
    #[token("#![")] Attribute,
    #[token("{")] OpenBrace,
    #[token("}")] CloseBrace,
    #[token("(")] OpenParen,
    #[token(")")] CloseParen,
    #[token("[")] OpenBracket,
    #[token("]")] CloseBracket,
    #[token(",")] Comma,
    #[token(";")] Semicolon,
    #[token(":=")] Assign,
    #[token("..")] Range,
    #[token("=")] Equals,
    #[token("||")] OrOr,
    #[token("&&")] AndAnd,
    #[token("==")] EqEq,
    #[token("!=")] NotEq,
    #[token("<=")] LessEq,
    #[token(">=")] GreaterEq,
    #[token("<")] Less,
    #[token(">")] Greater,
    #[token("+")] Plus,
    #[token("-")] Minus,
    #[token("*")] Star,
    #[token("/")] Slash,
    #[token("%")] Percent,
    #[token("!")] Not,
    /// After the last token. It is empty and lies at the end of the file.
    EndOfFile,
}

/// A token and where it is.
pub(super) type Token = steadfast_span::Token<TokenKind>;

impl TokenKind {
    /// Whether it begins a declaration, so that reading can resume there after an error.
    pub(super) fn begins_item(self) -> bool {
        matches!(self, Self::Shared | Self::Values | Self::Process | Self::Template | Self::Attribute)
    }

    /// Whether it always begins a statement.
    pub(super) fn begins_statement(self) -> bool {
        matches!(
            self,
            Self::Txn
                | Self::Serializable
                | Self::Loop
                | Self::Choose
                | Self::If
                | Self::Pick
                | Self::For
                | Self::Assume
                | Self::Skip
        )
    }
}

/// All tokens of the text, ending with exactly one [`TokenKind::EndOfFile`]. Text that is no token is reported and left out.
pub(super) fn tokens(text: &str, problems: &mut Diagnostics) -> Vec<Token> {
    steadfast_span::tokens(text, TokenKind::lexer(text).spanned(), TokenKind::EndOfFile, |(), span| {
        problems.push(unknown_text(span, text));
    })
}

fn unknown_text(span: Span, text: &str) -> Diagnostic {
    let found: String = text.get(span.range()).unwrap_or_default().chars().take(20).collect();
    let shown = found.replace(char::is_control, "\u{FFFD}");
    let problem = Diagnostic::error(codes::UNKNOWN_TEXT, format!("unknown text `{shown}`"));
    let problem = problem.at(span, "nothing begins like this");
    match &*found {
        "#" => problem.help("comments begin with `//`, and expectations with `#![expect(`"),
        ":" => problem.help("an assignment is written `:=`"),
        "&" | "|" => problem.help("the operators are `&&` and `||`"),
        _ => problem,
    }
}
