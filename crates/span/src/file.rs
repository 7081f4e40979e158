//! A source file with its line starts.

use crate::Span;

/// A named text, with the offsets where its lines begin.
#[derive(Clone, Debug)]
pub struct SourceFile {
    name: String,
    text: String,
    line_starts: Vec<u32>,
}

/// A position for people: line and column from 1, columns in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineColumn {
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1, in characters.
    pub column: u32,
}

impl SourceFile {
    /// Keeps `text` under the name that messages will show.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        let text = text.into();
        let mut line_starts = vec![0];
        line_starts.extend(text.bytes().enumerate().filter(|&(_, byte)| byte == b'\n').map(|(at, _)| at as u32 + 1));
        Self { name: name.into(), text, line_starts }
    }

    /// The name that messages show.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text under a span; empty if the span does not fit this file.
    pub fn snippet(&self, span: Span) -> &str {
        self.text.get(span.range()).unwrap_or("")
    }

    /// Line and column of a byte offset. Offsets past the end count as the end.
    pub fn line_column(&self, offset: u32) -> LineColumn {
        let offset = offset.min(self.text.len() as u32);
        let line = self.line_starts.partition_point(|&start| start <= offset) - 1;
        let start = self.line_starts[line] as usize;
        let column = self.text.get(start..offset as usize).map_or(0, |before| before.chars().count());
        LineColumn { line: line as u32 + 1, column: column as u32 + 1 }
    }

    /// The line with the given number (from 1), without its line break.
    pub fn line(&self, number: u32) -> &str {
        let Some(&start) = self.line_starts.get(number as usize - 1) else { return "" };
        let end = self.line_starts.get(number as usize).map_or(self.text.len(), |&next| next as usize);
        self.text[start as usize..end].trim_end_matches(['\n', '\r'])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_count_from_one() {
        let file = SourceFile::new("f", "ab\ncä d\n");
        assert_eq!(file.line_column(0), LineColumn { line: 1, column: 1 });
        assert_eq!(file.line_column(3), LineColumn { line: 2, column: 1 });
        assert_eq!(file.line_column(7), LineColumn { line: 2, column: 4 });
        assert_eq!(file.line_column(999), LineColumn { line: 3, column: 1 });
        assert_eq!(file.line(2), "cä d");
    }
}
