//! Just enough of EDN, the notation of Clojure, for what Jepsen and Elle write.

use crate::text::codes;
use steadfast_diag::Diagnostic;
use steadfast_span::Span;

/// A value with its place in the text.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Value<'a> {
    pub(super) span: Span,
    pub(super) form: Form<'a>,
}

/// What a value is.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Form<'a> {
    /// `nil`
    Nil,
    Number(i64),
    /// A keyword without its colon.
    Keyword(&'a str),
    /// A string, without its quotes and as it stands.
    Text(&'a str),
    /// A symbol, `true`, a number with a point, a character: whatever has no meaning here.
    Other(&'a str),
    /// `[…]`, `(…)` or `#{…}`.
    List(Vec<Value<'a>>),
    /// `{…}`: keys and values in turn.
    Map(Vec<Value<'a>>),
}

impl<'a> Value<'a> {
    /// The value of a keyword in a map.
    pub(super) fn get(&self, keyword: &str) -> Option<&Self> {
        let Form::Map(items) = &self.form else { return None };
        items.chunks_exact(2).find(|pair| pair[0].form == Form::Keyword(keyword)).map(|pair| &pair[1])
    }

    pub(super) fn keyword(&self) -> Option<&'a str> {
        if let Form::Keyword(name) = self.form { Some(name) } else { None }
    }
}

/// Deeper values are refused.
const MOST_LEVELS: usize = 100;

/// Reads one value after the other.
pub(super) struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let start = text.len() - text.trim_start_matches('\u{feff}').len();
        Self { text, at: start }
    }

    /// The next value; nothing at the end of the text.
    pub(super) fn next(&mut self) -> Result<Option<Value<'a>>, Diagnostic> {
        self.skip();
        if self.at == self.text.len() { Ok(None) } else { self.value(0).map(Some) }
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// Skips white space, commas and comments.
    fn skip(&mut self) {
        loop {
            let rest = self.rest().trim_start_matches(|c: char| c.is_whitespace() || c == ',');
            self.at = self.text.len() - rest.len();
            if !rest.starts_with(';') {
                return;
            }
            self.at += rest.find('\n').unwrap_or(rest.len());
        }
    }

    fn value(&mut self, level: usize) -> Result<Value<'a>, Diagnostic> {
        self.skip();
        let start = self.at;
        if level > MOST_LEVELS {
            return Err(self.problem("this is nested too deeply", start));
        }
        let Some(first) = self.rest().chars().next() else {
            return Err(self.problem("the text ends in the middle of a value", start));
        };
        let form = match first {
            '[' => Form::List(self.items(1, ']', level)?),
            '(' => Form::List(self.items(1, ')', level)?),
            '{' => self.map(level)?,
            '#' if self.rest().starts_with("#{") => Form::List(self.items(2, '}', level)?),
            // A tag, such as `#jepsen.history.Op`, says nothing that the value does not.
            '#' => {
                self.at += 1;
                self.word();
                return self.value(level + 1);
            }
            '"' => self.string()?,
            ']' | ')' | '}' => return Err(self.problem("this closes nothing", start)),
            _ => self.atom(),
        };
        Ok(Value { span: Span::new(start as u32, self.at as u32), form })
    }

    fn map(&mut self, level: usize) -> Result<Form<'a>, Diagnostic> {
        let start = self.at;
        let items = self.items(1, '}', level)?;
        if items.len() % 2 == 1 {
            return Err(self.problem("a map has a value for every key", start));
        }
        Ok(Form::Map(items))
    }

    fn items(&mut self, opening: usize, closing: char, level: usize) -> Result<Vec<Value<'a>>, Diagnostic> {
        let start = self.at;
        self.at += opening;
        let mut items = Vec::new();
        loop {
            self.skip();
            if self.rest().starts_with(closing) {
                self.at += 1;
                return Ok(items);
            }
            if self.rest().is_empty() {
                return Err(self.problem("this is not closed", start));
            }
            items.push(self.value(level + 1)?);
        }
    }

    fn string(&mut self) -> Result<Form<'a>, Diagnostic> {
        let start = self.at;
        let mut escaped = false;
        for (at, c) in self.rest().char_indices().skip(1) {
            match c {
                '"' if !escaped => {
                    let text = &self.text[start + 1..start + at];
                    self.at += at + 1;
                    return Ok(Form::Text(text));
                }
                _ => escaped = c == '\\' && !escaped,
            }
        }
        Err(self.problem("this string does not end", start))
    }

    /// Everything up to the next white space or bracket.
    fn word(&mut self) -> &'a str {
        let ends = |c: char| c.is_whitespace() || ",;[](){}\"".contains(c);
        let word = &self.rest()[..self.rest().find(ends).unwrap_or(self.rest().len())];
        // A word has at least one character, so that reading goes on.
        let length = word.len().max(self.rest().chars().next().map_or(0, char::len_utf8)).min(self.rest().len());
        let word = &self.rest()[..length];
        self.at += length;
        word
    }

    fn atom(&mut self) -> Form<'a> {
        let word = self.word();
        if word == "nil" {
            return Form::Nil;
        }
        if let Some(name) = word.strip_prefix(':') {
            return Form::Keyword(name);
        }
        match word.strip_suffix('N').unwrap_or(word).parse() {
            Ok(number) => Form::Number(number),
            Err(_) => Form::Other(word),
        }
    }

    /// Something is wrong with what begins at `start`: one character is shown.
    fn problem(&self, what: &str, start: usize) -> Diagnostic {
        let start = start.min(self.text.len().saturating_sub(1));
        let start = (0..=start).rev().find(|&at| self.text.is_char_boundary(at)).unwrap_or(0);
        let length = self.text[start..].chars().next().map_or(0, char::len_utf8);
        Diagnostic::error(codes::UNEXPECTED, what).at(Span::new(start as u32, (start + length) as u32), "here")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read() {
        let mut reader = Reader::new("{:a 1, :b [nil \"x\\\"y\" #{:c}]} ; comment\n #tag (2 -3N t)");
        let map = reader.next().unwrap().unwrap();
        assert_eq!(map.get("a").map(|value| &value.form), Some(&Form::Number(1)));
        let Some(Form::List(items)) = map.get("b").map(|value| &value.form) else { panic!() };
        assert_eq!((&items[0].form, &items[1].form), (&Form::Nil, &Form::Text("x\\\"y")));
        let Form::List(items) = reader.next().unwrap().unwrap().form else { panic!() };
        assert_eq!((&items[1].form, &items[2].form), (&Form::Number(-3), &Form::Other("t")));
        assert!(reader.next().unwrap().is_none());
    }

    #[test]
    fn mistakes_have_places() {
        let place = |text: &str| Reader::new(text).next().unwrap_err().span().map(|span| span.start);
        assert_eq!(place("  {:a [1 2}"), Some(10));
        assert_eq!(place(" [1"), Some(1));
        assert_eq!(place("{:a}"), Some(0));
        assert_eq!(place("\"abc"), Some(0));
        assert!(Reader::new(&"[".repeat(1000)).next().is_err());
    }
}
