//! Escaping of text that comes from a program.
//!
//! Markup characters become entities. Characters that control a terminal or the direction of text become visible, so that a program cannot look different from what it is.

use std::borrow::Cow;
use std::fmt::Write;

/// Text for the content of an element, or for an attribute in double quotes.
pub(crate) fn html(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len() + 8);
    for character in visible(text).chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            other => escaped.push(other),
        }
    }
    escaped
}

/// JSON for a data block. No character in it can end the block.
pub(crate) fn json(data: &impl serde::Serialize) -> String {
    let text = serde_json::to_string(data).unwrap_or_else(|_| "null".to_owned());
    text.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
}

/// The text with control characters shown by their numbers.
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        if is_hidden(character) {
            let _ = write!(shown, "\u{27e8}U+{:04X}\u{27e9}", character as u32);
        } else {
            shown.push(character);
        }
    }
    Cow::Owned(shown)
}

/// Invisible characters that change what is visible: control characters, and those that change the direction of text.
fn is_hidden(character: char) -> bool {
    let turns =
        matches!(character, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}');
    turns || (character.is_control() && !matches!(character, '\n' | '\t'))
}

/// The text on one line, with at most this many characters.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    let shown = visible(text);
    let line: Vec<char> =
        shown.chars().map(|character| if character.is_whitespace() { ' ' } else { character }).collect();
    if line.len() <= most {
        return line.into_iter().collect();
    }
    let head = most.saturating_sub(1) * 2 / 3;
    let tail = most.saturating_sub(1) - head;
    line[..head].iter().chain(&['…']).chain(&line[line.len() - tail..]).collect()
}

/// How many cells of a monospaced font a text takes. This is an estimate: characters of other scripts may be wide.
pub(crate) fn cells(text: &str) -> usize {
    text.chars()
        .map(|character| if (character as u32) < 0x1100 || matches!(character, '…' | '→' | '·') { 1 } else { 2 })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_is_text() {
        assert_eq!(
            html("<script>\"a\" & 'b'</script>"),
            "&lt;script&gt;&quot;a&quot; &amp; &#39;b&#39;&lt;/script&gt;"
        );
        assert_eq!(json(&["</script><!--"]), "[\"\\u003c/script\\u003e\\u003c!--\"]");
    }

    #[test]
    fn what_turns_text_around_is_shown() {
        assert_eq!(visible("a\u{202e}b\u{1b}[0m"), "a⟨U+202E⟩b⟨U+001B⟩[0m");
        assert_eq!(visible("שלום\n"), "שלום\n");
    }

    #[test]
    fn long_texts_keep_both_ends() {
        let short = shortened(&"abcdefghij".repeat(10), 12);
        assert_eq!((short.chars().count(), short.starts_with("abc"), short.ends_with("hij")), (12, true, true));
        assert_eq!(shortened("two\nlines", 20), "two lines");
    }
}
