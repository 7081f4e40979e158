//! The tokens of a text.

use crate::Span;
use std::ops::Range;

/// A token: what it is, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token<K> {
    /// What it is.
    pub kind: K,
    /// Where it is.
    pub span: Span,
}

/// The tokens that a lexer finds in a text. The last one, and only that, is `end`; it is empty and lies at the end of the text.
///
/// What the lexer cannot read is left out, and `wrong` is called with it: once for neighbouring pieces with the same error, which are one mistake.
pub fn tokens<K, E: PartialEq>(
    text: &str,
    lexed: impl Iterator<Item = (Result<K, E>, Range<usize>)>,
    end: K,
    mut wrong: impl FnMut(E, Span),
) -> Vec<Token<K>> {
    let mut tokens = Vec::with_capacity(text.len() / 3);
    let mut run: Option<(E, Span)> = None;
    for (result, range) in lexed {
        let span = Span::new(range.start as u32, range.end as u32);
        match (result, &mut run) {
            (Ok(kind), _) => tokens.push(Token { kind, span }),
            (Err(error), Some((same, before))) if *same == error && before.end == span.start => before.end = span.end,
            (Err(error), _) => {
                if let Some((error, span)) = run.replace((error, span)) {
                    wrong(error, span);
                }
            }
        }
    }
    if let Some((error, span)) = run {
        wrong(error, span);
    }
    let length = text.len() as u32;
    tokens.push(Token { kind: end, span: Span::new(length, length) });
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbouring_errors_are_one() {
        let text = "a??!b?";
        let lexed = text.char_indices().map(|(at, letter)| {
            let kind = if letter.is_alphabetic() { Ok(letter) } else { Err(letter) };
            (kind, at..at + 1)
        });
        let mut wrong = Vec::new();
        let tokens = tokens(text, lexed, '.', |error, span| wrong.push((error, span)));
        assert_eq!(wrong, [('?', Span::new(1, 3)), ('!', Span::new(3, 4)), ('?', Span::new(5, 6))]);
        let kinds: Vec<_> = tokens.iter().map(|token| (token.kind, token.span)).collect();
        assert_eq!(kinds, [('a', Span::new(0, 1)), ('b', Span::new(4, 5)), ('.', Span::new(6, 6))]);
    }
}
