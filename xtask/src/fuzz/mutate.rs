//! Mutations of program text.

use std::ops::Range;
use steadfast_random::Rng;

/// Longer texts are cut: a linear parser shows its mistakes on short texts, too, and faster.
const LONGEST: usize = 1 << 15;

/// Texts that often break parsers: ends of comments, half tokens, large numbers, characters of several bytes.
const ODDITIES: [&str; 24] = [
    "/*",
    "*/",
    "//",
    "\"",
    "\\",
    "\r",
    "\t",
    "\u{feff}",
    "é",
    "𝔸",
    "\u{202e}",
    "0x",
    "256",
    "99999999999999999999",
    "-1",
    "..",
    "::",
    "->",
    "#!",
    "(((((((((((((((((((",
    "{{{{{{{{{{{{{{{{",
    "[[[[[[[[[[[[",
    "!!!!!!!!!!",
    "\0",
];

/// One to six mutations of a text, with material from another.
pub(super) fn mutate(text: &str, other: &str, rng: &mut Rng) -> String {
    let mut result = text.to_owned();
    for _ in 0..=rng.below(6) {
        result = once(&result, other, rng);
    }
    let mut end = result.len().min(LONGEST);
    while !result.is_char_boundary(end) {
        end -= 1;
    }
    result.truncate(end);
    result
}

fn once(text: &str, other: &str, rng: &mut Rng) -> String {
    let tokens = tokens(text);
    let token = |rng: &mut Rng| if tokens.is_empty() { 0..0 } else { tokens[rng.below(tokens.len())].clone() };
    let (one, two) = (token(rng), token(rng));
    let (first, last) = if one.start <= two.start { (one.clone(), two) } else { (two, one.clone()) };
    let stretch = first.start..last.end;
    match rng.below(12) {
        0 => replace(text, one, ""),
        1 => replace(text, near(&tokens, rng), ""),
        2 => replace(text, one, &any_token(other, rng)),
        3 => replace(text, one.start..one.start, &any_token(other, rng)),
        4 => replace(text, one.start..one.start, &text[near(&tokens, rng)]),
        5 => replace(text, one.start..one.start, &other[near(&self::tokens(other), rng)]),
        6 => text[..stretch.start].to_owned(),
        7 => format!("{}{}", &text[..first.end], &other[any_range(other, rng).start..]),
        8 => replace(text, one, rng.pick(&ODDITIES)),
        9 => replace(text, one.start..one.start, rng.pick(&ODDITIES)),
        10 => replace(text, one.clone(), &text[one].repeat(1 + rng.below(300))),
        _ => flip(text, one.start, rng),
    }
}

/// Words, numbers and spaces are one token each; everything else is a token by itself.
fn tokens(text: &str) -> Vec<Range<usize>> {
    let class = |c: char| if c.is_alphanumeric() || c == '_' { 1 } else { 2 * u8::from(c.is_whitespace()) };
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut before = 0;
    for (at, c) in text.char_indices() {
        let end = at + c.len_utf8();
        match found.last_mut() {
            Some(last) if class(c) != 0 && class(c) == before => last.end = end,
            _ => found.push(at..end),
        }
        before = class(c);
    }
    found
}

/// Up to twenty tokens in a row.
fn near(tokens: &[Range<usize>], rng: &mut Rng) -> Range<usize> {
    if tokens.is_empty() {
        return 0..0;
    }
    let first = rng.below(tokens.len());
    let last = (first + rng.below(20)).min(tokens.len() - 1);
    tokens[first].start..tokens[last].end
}

fn any_range(text: &str, rng: &mut Rng) -> Range<usize> {
    let tokens = tokens(text);
    if tokens.is_empty() { 0..0 } else { tokens[rng.below(tokens.len())].clone() }
}

fn any_token(text: &str, rng: &mut Rng) -> String {
    text[any_range(text, rng)].to_owned()
}

fn replace(text: &str, range: Range<usize>, by: &str) -> String {
    format!("{}{by}{}", &text[..range.start], &text[range.end..])
}

/// Changes one bit of a character, if the result is a character.
fn flip(text: &str, at: usize, rng: &mut Rng) -> String {
    let Some(c) = text[at..].chars().next() else { return text.to_owned() };
    let flipped = char::from_u32(c as u32 ^ 1 << rng.below(7)).unwrap_or(c);
    replace(text, at..at + c.len_utf8(), &flipped.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_cover_the_text() {
        let text = "x.store(10);\n  é";
        let words: Vec<&str> = tokens(text).into_iter().map(|range| &text[range]).collect();
        assert_eq!(words, ["x", ".", "store", "(", "10", ")", ";", "\n  ", "é"]);
    }

    #[test]
    fn any_text_can_be_mutated() {
        let mut rng = Rng::new(1);
        let mut text = String::from("thread t { é.load(); }");
        for _ in 0..2_000 {
            text = mutate(&text, "fn f() { 𝔸 }", &mut rng);
        }
        assert_eq!(mutate("x", "y", &mut Rng::new(3)), mutate("x", "y", &mut Rng::new(3)));
    }
}
