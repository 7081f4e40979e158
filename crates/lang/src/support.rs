//! What both parsers need: a capped list of diagnostics, a guard against deep nesting, and suggestions for misspelt names.

use crate::codes;
use steadfast_diag::{Diagnostic, Severity};
use steadfast_span::{SourceFile, Span};

/// After this many errors a parser gives up.
pub const MAX_DIAGNOSTICS: usize = 50;

/// Blocks and expressions may be nested this deep. Everything downstream may recurse over them.
pub const MAX_NESTING: usize = 200;

/// Names longer than this are not compared; nobody misspells them by one letter and the comparison is quadratic.
const LONGEST_COMPARED: usize = 64;

/// How many declared names are compared with an unknown one.
const MOST_COMPARED: usize = 2_000;

/// Collects diagnostics until there are too many.
#[derive(Debug, Default)]
pub(crate) struct Diagnostics {
    list: Vec<Diagnostic>,
    errors: usize,
}

impl Diagnostics {
    /// Adds a diagnostic. The error after the last one that is shown is replaced by a remark that there are more.
    pub(crate) fn push(&mut self, diagnostic: Diagnostic) {
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
        self.list.push(Diagnostic::error(codes::TOO_MANY_ERRORS, more).at(span, "the next error is here"));
    }

    /// Whether further errors are dropped, so that a parser may stop.
    pub(crate) fn is_full(&self) -> bool {
        self.errors > MAX_DIAGNOSTICS
    }

    /// Whether there was an error.
    pub(crate) fn has_errors(&self) -> bool {
        self.errors > 0
    }

    /// The diagnostics, ordered by where they point.
    pub(crate) fn finish(mut self) -> Vec<Diagnostic> {
        let cut = self.list.iter().position(|diagnostic| diagnostic.code == codes::TOO_MANY_ERRORS);
        let shown = cut.unwrap_or(self.list.len());
        self.list[..shown].sort_by_key(|diagnostic| diagnostic.span().unwrap_or_default());
        self.list
    }
}

/// Counts how deep a recursive parser is.
#[derive(Debug, Default)]
pub(crate) struct Depth(usize);

impl Depth {
    /// Goes one level down. False, and no change, at the limit.
    pub(crate) fn enter(&mut self) -> bool {
        let allowed = self.0 < MAX_NESTING;
        self.0 += usize::from(allowed);
        allowed
    }

    /// Goes one level up again; to be called once per successful [`Depth::enter`].
    pub(crate) fn leave(&mut self) {
        self.0 -= 1;
    }
}

/// The error for what lies beyond [`MAX_NESTING`].
pub(crate) fn too_deep(span: Span) -> Diagnostic {
    let message = format!("the program is nested more than {MAX_NESTING} levels deep");
    Diagnostic::error(codes::TOO_DEEP, message).at(span, "this is one level too many")
}

/// Adds `did you mean …?` if a candidate is close to the name.
pub(crate) fn suggest<'a>(problem: Diagnostic, name: &str, among: impl IntoIterator<Item = &'a str>) -> Diagnostic {
    match closest(name, among) {
        Some(candidate) => problem.help(format!("did you mean `{candidate}`?")),
        None => problem,
    }
}

/// The first of the candidates with the fewest differences from `name`, if that is about one letter in three or a matter of case.
pub(crate) fn closest<'a>(name: &str, among: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let letters: Vec<char> = name.chars().take(LONGEST_COMPARED + 1).collect();
    let allowed = letters.len().div_ceil(3);
    if letters.len() > LONGEST_COMPARED {
        return None;
    }
    let distance = |candidate: &str| {
        if candidate.eq_ignore_ascii_case(name) { 0 } else { edit_distance(&letters, candidate) }
    };
    let scored = among.into_iter().take(MOST_COMPARED).filter(|candidate| candidate.len() <= LONGEST_COMPARED);
    let best = scored.map(|candidate| (distance(candidate), candidate)).min_by_key(|&(distance, _)| distance)?;
    // A name of one letter is one change away from every other such name: that is no hint.
    (best.0 <= allowed && best.0 < letters.len()).then_some(best.1)
}

/// How many insertions, deletions, replacements and swaps of neighbours lead from one word to the other.
fn edit_distance(a: &[char], b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let replaced = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = replaced.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

/// What a program is called if its text does not say: the file's name without folder and extension.
pub(crate) fn program_name(file: &SourceFile) -> String {
    let stem = std::path::Path::new(file.name()).file_stem().and_then(|stem| stem.to_str());
    stem.unwrap_or(file.name()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggestions_are_close_or_absent() {
        assert_eq!(closest("conter", ["x", "counter", "center"]), Some("counter"));
        assert_eq!(closest("fadd", ["FADD", "CAS"]), Some("FADD"));
        assert_eq!(closest("laod", ["load", "store"]), Some("load"));
        assert_eq!(closest("z", ["x", "y"]), None);
        assert_eq!(closest("X", ["x", "y"]), Some("x"));
        assert_eq!(closest("banana", ["x", "counter"]), None);
        assert_eq!(closest(&"a".repeat(1_000), ["a"]), None);
    }

    #[test]
    fn the_list_is_capped_and_sorted() {
        let mut list = Diagnostics::default();
        for at in (0..1_000).rev() {
            list.push(Diagnostic::error(codes::TOO_DEEP, "x").at(Span::new(at, at), ""));
        }
        assert!(list.is_full() && list.has_errors());
        let list = list.finish();
        assert_eq!(list.len(), MAX_DIAGNOSTICS + 1);
        assert!(list[0].span() < list[1].span());
        assert_eq!(list[MAX_DIAGNOSTICS].code, codes::TOO_MANY_ERRORS);
    }

    #[test]
    fn depth_is_limited_and_recovers() {
        let mut depth = Depth::default();
        assert!((0..MAX_NESTING).all(|_| depth.enter()));
        assert!(!depth.enter());
        depth.leave();
        assert!(depth.enter());
    }
}
