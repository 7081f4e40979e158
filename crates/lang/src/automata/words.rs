//! Words: the format has no punctuation; blanks separate words.

use super::ast::Word;
use steadfast_span::Span;

/// The words of a text, each with whether it is the first of its line. A word that begins with `#` starts a comment.
pub(super) fn words(text: &str) -> Vec<(Word<'_>, bool)> {
    let mut words = Vec::new();
    let mut line_start = 0;
    for line in text.split_inclusive('\n') {
        let mut first = true;
        let mut at = 0;
        while let Some(start) = line[at..].find(|c: char| !is_blank(c)).map(|offset| at + offset) {
            let end = line[start..].find(is_blank).map_or(line.len(), |offset| start + offset);
            if line[start..].starts_with('#') {
                break;
            }
            let span = Span::new((line_start + start) as u32, (line_start + end) as u32);
            words.push((Word { text: &line[start..end], span }, first));
            first = false;
            at = end;
        }
        line_start += line.len();
    }
    words
}

fn is_blank(c: char) -> bool {
    c.is_whitespace() || c == '\u{FEFF}'
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn comments_and_blanks_separate_words() {
        let found: Vec<_> = words("\u{FEFF}# no\n\ta  b # no\r\n c#d").into_iter().map(|(w, f)| (w.text, f)).collect();
        assert_eq!(found, [("a", true), ("b", false), ("c#d", true)]);
    }
}
