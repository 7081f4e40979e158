//! A span as a valid place in its file.

use std::ops::Range;
use steadfast_span::{LineColumn, SourceFile, Span};

/// A span, moved inside its file, with both ends as line and column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// Byte offsets; both are character boundaries, and in order.
    pub(crate) bytes: Range<usize>,
    /// The first position.
    pub(crate) start: LineColumn,
    /// The position after the last character.
    pub(crate) end: LineColumn,
}

impl Place {
    /// The part of `span` that exists in `file`. An invalid span becomes an empty place close to its start.
    pub(crate) fn of(file: &SourceFile, span: Span) -> Self {
        let text = file.text();
        let start = boundary_before(text, span.start as usize).min(end_of_last_line(text));
        let end = boundary_after(text, span.end as usize).min(end_of_last_line(text)).max(start);
        Self { bytes: start..end, start: file.line_column(start as u32), end: file.line_column(end as u32) }
    }
}

/// The end of the last line, without its line break, so that "after the end" points at something visible.
fn end_of_last_line(text: &str) -> usize {
    text.strip_suffix('\n').map_or(text.len(), |text| text.strip_suffix('\r').unwrap_or(text).len())
}

/// The last character boundary at or before `offset`.
fn boundary_before(text: &str, offset: usize) -> usize {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}

/// The first character boundary at or after `offset`.
fn boundary_after(text: &str, offset: usize) -> usize {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset += 1;
    }
    offset
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(text: &str, start: u32, end: u32) -> Range<usize> {
        Place::of(&SourceFile::new("f", text), Span::new(start, end)).bytes
    }

    #[test]
    fn a_good_span_stays() {
        assert_eq!(bytes("abc", 1, 2), 1..2);
        assert_eq!(bytes("abc", 3, 3), 3..3);
    }

    #[test]
    fn a_span_past_the_end_moves_to_the_end() {
        assert_eq!(bytes("abc", 2, 9), 2..3);
        assert_eq!(bytes("abc", 7, 9), 3..3);
        assert_eq!(bytes("", 7, 9), 0..0);
    }

    #[test]
    fn the_end_is_the_end_of_the_last_line() {
        assert_eq!(bytes("abc\r\n", 5, 5), 3..3);
        assert_eq!(bytes("abc\n", 0, 4), 0..3);
        assert_eq!(bytes("abc\n\n", 5, 5), 4..4);
    }

    #[test]
    fn a_backward_span_becomes_empty() {
        assert_eq!(bytes("abc", 2, 1), 2..2);
    }

    #[test]
    fn a_span_inside_a_character_covers_it() {
        assert_eq!(bytes("aäb", 2, 2), 1..3);
    }
}
