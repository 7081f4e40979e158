//! What holds for every text in every language.
#![allow(dead_code, reason = "not every language needs all of it")]

use std::time::{Duration, Instant};
use steadfast_diag::Severity;
use steadfast_lang::{Dialect, MAX_DIAGNOSTICS, Parsed, all_codes, parse};
use steadfast_span::{SourceFile, Span};

/// Parses and checks what holds for every text.
pub(crate) fn parse_anything(text: &str, dialect: Dialect) -> Parsed {
    let parsed = parse(&SourceFile::new("hostile", text), dialect);
    let failed = parsed.diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
    assert_eq!(parsed.program.is_none(), failed, "a program is present iff there is no error");
    assert!(parsed.diagnostics.len() <= 2 * MAX_DIAGNOSTICS + 1, "the number of diagnostics is bounded");
    let inside = |span: Span| span.start <= span.end && text.get(span.range()).is_some();
    for diagnostic in &parsed.diagnostics {
        assert!(!diagnostic.labels.is_empty(), "{diagnostic:?} has a place");
        assert!(diagnostic.labels.iter().all(|label| inside(label.span)), "{diagnostic:?} lies inside the file");
        assert!(diagnostic.labels.iter().all(|label| !label.text.is_empty()), "{diagnostic:?} says something");
        assert!(all_codes().any(|(code, ..)| *code == diagnostic.code), "{diagnostic:?} has a known code");
    }
    assert!(parsed.expectations.iter().all(|expectation| inside(expectation.span)));
    if let Some(program) = &parsed.program {
        program.validate().expect("programs are well formed");
        assert!(program.threads.iter().flat_map(|thread| &thread.code).all(|instruction| inside(instruction.span)));
        assert!(program.locations.iter().all(|location| inside(location.span)));
    }
    parsed
}

/// The same, and quickly. Limits are generous, so that a busy machine does not matter; quadratic behaviour would take minutes.
pub(crate) fn parse_within(text: &str, dialect: Dialect, limit: Duration) -> Parsed {
    let started = Instant::now();
    let parsed = parse_anything(text, dialect);
    let head: String = text.chars().take(60).collect();
    assert!(started.elapsed() < limit, "{} bytes took {:?}: {head}…", text.len(), started.elapsed());
    parsed
}

/// The words and symbols of a text, with what is between them.
pub(crate) fn pieces(text: &str) -> Vec<&str> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = if is_word(first) { rest.find(|c| !is_word(c)).unwrap_or(rest.len()) } else { first.len_utf8() };
        let (piece, after) = rest.split_at(length);
        pieces.push(piece);
        rest = after;
    }
    pieces
}
