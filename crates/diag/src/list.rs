//! A capped list of diagnostics: what is wrong with one text.

use crate::{Code, Diagnostic, Severity};

/// After this many errors a list takes no more.
pub const MAX_DIAGNOSTICS: usize = 50;

/// Collects diagnostics until there are too many errors.
#[derive(Debug)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
    errors: usize,
    too_many: Code,
}

impl Diagnostics {
    /// An empty list. `too_many` is the code of the remark that there are more errors than are shown.
    pub fn new(too_many: Code) -> Self {
        Self { list: Vec::new(), errors: 0, too_many }
    }

    /// Adds a diagnostic. The error after the last one that is shown is replaced by a remark that there are more.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        let span = diagnostic.span().unwrap_or_default();
        if self.is_full() || (diagnostic.severity < Severity::Error && self.list.len() >= 2 * MAX_DIAGNOSTICS) {
            return;
        }
        if diagnostic.severity == Severity::Error {
            self.errors += 1;
        }
        if !self.is_full() {
            self.list.push(diagnostic);
            return;
        }
        let more = format!("there are more than {MAX_DIAGNOSTICS} errors; the rest is not shown");
        self.list.push(Diagnostic::error(self.too_many, more).at(span, "the next error is here"));
    }

    /// Whether further errors are dropped, so that a parser may stop.
    pub fn is_full(&self) -> bool {
        self.errors > MAX_DIAGNOSTICS
    }

    /// Whether there was an error.
    pub fn has_errors(&self) -> bool {
        self.errors > 0
    }

    /// The diagnostics, ordered by where they point; the remark that there are more comes last.
    pub fn finish(mut self) -> Vec<Diagnostic> {
        let shown = self.list.len() - usize::from(self.is_full());
        self.list[..shown].sort_by_key(|diagnostic| diagnostic.span().unwrap_or_default());
        self.list
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use steadfast_span::Span;

    #[test]
    fn the_list_is_capped_and_sorted() {
        let mut list = Diagnostics::new(Code("E0102"));
        assert!(!list.has_errors());
        for at in (0..1_000).rev() {
            list.push(Diagnostic::error(Code("E0103"), "x").at(Span::new(at, at), ""));
        }
        assert!(list.is_full() && list.has_errors());
        let list = list.finish();
        assert_eq!(list.len(), MAX_DIAGNOSTICS + 1);
        assert!(list[0].span() < list[1].span());
        assert_eq!(list[MAX_DIAGNOSTICS].code, Code("E0102"));
    }

    #[test]
    fn warnings_are_no_errors_but_capped_too() {
        let mut list = Diagnostics::new(Code("E0102"));
        (0..1_000).for_each(|_| list.push(Diagnostic::warning(Code("W0161"), "x")));
        assert!(!list.is_full() && !list.has_errors());
        assert_eq!(list.finish().len(), 2 * MAX_DIAGNOSTICS);
    }
}
