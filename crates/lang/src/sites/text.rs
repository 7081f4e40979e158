//! What the syntax trees do not contain: the ends of blocks, and the text between parentheses.

use steadfast_span::Span;

/// The text with comments and strings blanked out, byte for byte.
pub(crate) fn code_of(text: &str) -> Vec<u8> {
    let bytes = text.as_bytes();
    let mut code = bytes.to_vec();
    let mut at = 0;
    while at < bytes.len() {
        let end = match bytes[at..] {
            [b'/', b'/', ..] => text[at..].find('\n').map_or(bytes.len(), |length| at + length),
            [b'/', b'*', ..] => text[at + 2..].find("*/").map_or(bytes.len(), |length| at + length + 4),
            [b'"', ..] => string_end(bytes, at),
            _ => {
                at += 1;
                continue;
            }
        };
        code[at..end].fill(b' ');
        at = end;
    }
    code
}

fn string_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while at < bytes.len() && bytes[at] != b'"' && bytes[at] != b'\n' {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    (at + 1).min(bytes.len())
}

/// The braces of a text in pairs.
pub(crate) struct Braces {
    code: Vec<u8>,
    /// Opening and closing brace, in the order in which they close, that is, inner pairs first.
    pairs: Vec<(u32, u32)>,
}

impl Braces {
    /// The braces outside comments.
    pub(crate) fn of(text: &str) -> Self {
        let code = code_of(text);
        let (mut open, mut pairs) = (Vec::new(), Vec::new());
        for (at, byte) in code.iter().enumerate() {
            match byte {
                b'{' => open.push(at as u32),
                b'}' => pairs.extend(open.pop().map(|start| (start, at as u32))),
                _ => {}
            }
        }
        Self { code, pairs }
    }

    /// The place where the innermost block around an offset ends.
    pub(crate) fn closing(&self, offset: u32) -> Option<u32> {
        self.pairs.iter().find(|&&(open, close)| open < offset && offset < close).map(|&(_, close)| close)
    }

    /// The last byte of code before an offset that is not blank.
    pub(crate) fn before(&self, offset: u32) -> Option<u8> {
        self.code[..offset as usize].iter().rev().copied().find(|byte| !byte.is_ascii_whitespace())
    }

    /// The place of the semicolon behind an offset, if nothing else comes before it.
    pub(crate) fn semicolon(&self, offset: u32) -> Option<u32> {
        let blank = self.code[offset as usize..].iter().take_while(|byte| byte.is_ascii_whitespace()).count() as u32;
        (self.code.get((offset + blank) as usize) == Some(&b';')).then_some(offset + blank)
    }
}

/// The arguments of a call, without the parentheses.
pub(crate) fn call_of(text: &str, span: Span) -> Option<Vec<Span>> {
    let code = code_of(text.get(span.range())?);
    let close = code.iter().rposition(|&byte| byte == b')')?;
    let (mut depth, mut ends, mut at) = (0_u32, vec![close], close);
    let open = loop {
        at = at.checked_sub(1)?;
        match code[at] {
            b')' | b']' => depth += 1,
            b'(' if depth == 0 => break at,
            b'(' | b'[' => depth = depth.checked_sub(1)?,
            b',' if depth == 0 => ends.push(at),
            _ => {}
        }
    };
    ends.push(open);
    ends.reverse();
    let argument = |pair: &[usize]| trimmed(&code, pair[0] + 1, pair[1], span.start);
    let arguments: Vec<Span> = ends.windows(2).map(argument).collect();
    Some(arguments.into_iter().filter(|argument| argument.start < argument.end).collect())
}

fn trimmed(code: &[u8], mut start: usize, mut end: usize, offset: u32) -> Span {
    while start < end && code[start].is_ascii_whitespace() {
        start += 1;
    }
    while start < end && code[end - 1].is_ascii_whitespace() {
        end -= 1;
    }
    Span::new(offset + start as u32, offset + end as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn braces_in_comments_and_strings_do_not_count() {
        let text = "\"{\" a { /* { */ b; // }\n }";
        let braces = Braces::of(text);
        assert_eq!(braces.closing(text.find('b').unwrap() as u32), Some(text.len() as u32 - 1));
    }

    #[test]
    fn arguments_are_found_from_the_end() {
        let text = "r = x.store(f(1, 2) , rel )";
        let arguments = call_of(text, Span::new(0, text.len() as u32)).unwrap();
        let texts: Vec<_> = arguments.iter().map(|span| &text[span.range()]).collect();
        assert_eq!(texts, ["f(1, 2)", "rel"]);
        assert_eq!(call_of("fence", Span::new(0, 5)), None);
    }
}
