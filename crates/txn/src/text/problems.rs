//! A capped list of diagnostics, and suggestions for misspelt names.

use super::codes;
use steadfast_diag::Diagnostic;

/// After this many errors reading stops.
pub const MAX_PROBLEMS: usize = 50;

/// Collects errors until there are too many.
#[derive(Debug, Default)]
pub(crate) struct Problems {
    list: Vec<Diagnostic>,
}

impl Problems {
    /// Adds an error. The one after the last that is shown is replaced by a remark that there are more.
    pub(crate) fn push(&mut self, problem: Diagnostic) {
        if self.list.len() < MAX_PROBLEMS {
            self.list.push(problem);
        } else if self.list.len() == MAX_PROBLEMS {
            let more = format!("there are more than {MAX_PROBLEMS} errors; the rest is not shown");
            let span = problem.span().unwrap_or_default();
            self.list.push(Diagnostic::error(codes::TOO_MANY_ERRORS, more).at(span, "the next error is here"));
        }
    }

    /// Whether further errors are dropped.
    pub(crate) fn is_full(&self) -> bool {
        self.list.len() > MAX_PROBLEMS
    }

    /// Whether there was none.
    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The errors, in the order of the text.
    pub(crate) fn finish(mut self) -> Vec<Diagnostic> {
        let shown = self.list.len().min(MAX_PROBLEMS);
        self.list[..shown].sort_by_key(|problem| problem.span().unwrap_or_default());
        self.list
    }
}

/// Adds `did you mean …?` if a candidate differs from the name in case or in one or two letters.
pub(crate) fn suggest<'a>(problem: Diagnostic, name: &str, among: impl IntoIterator<Item = &'a str>) -> Diagnostic {
    let close = |candidate: &&str| candidate.eq_ignore_ascii_case(name) || distance(name, candidate) <= name.len() / 3;
    match among.into_iter().take(1_000).find(close) {
        Some(candidate) => problem.help(format!("did you mean `{candidate}`?")),
        None => problem,
    }
}

/// How many insertions, deletions and replacements lead from one word to the other; many if one is very long.
fn distance(one: &str, other: &str) -> usize {
    if one.len() > 40 || other.len() > 40 {
        return usize::MAX;
    }
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (i, a) in one.bytes().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, b) in other.bytes().enumerate() {
            let replaced = diagonal + usize::from(a != b);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn close_names_are_suggested() {
        let problem = || Diagnostic::error(codes::UNKNOWN_NAME, "?");
        assert_eq!(suggest(problem(), "conter", ["x", "counter"]).helps, ["did you mean `counter`?"]);
        assert!(suggest(problem(), "z", ["x", "y"]).helps.is_empty());
        assert_eq!(distance("kitten", "sitting"), 3);
    }
}
