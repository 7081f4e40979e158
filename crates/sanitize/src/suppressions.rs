//! Suppressions: findings that the user has looked at and does not want to see again.
//!
//! A file with a line per rule, as for other sanitizers: `violation:pattern`, `race:pattern`, `deadlock:pattern`. A pattern is searched for in the functions, files and modules of the stacks of both accesses; `*` stands
//! for anything, `^` and `$` for beginning and end. Lines that begin with `#` are comments.

use crate::finding::Finding;
use crate::record::{Kind, Record};
use crate::symbols::Frame;

/// A list of rules.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Suppressions {
    rules: Vec<(String, String)>,
}

impl Suppressions {
    /// The rules of a text, and the lines that are not rules.
    pub fn parse(text: &str) -> (Self, Vec<&str>) {
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
        let (rules, wrong): (Vec<_>, Vec<_>) = lines.partition(|line| {
            let kinds = ["violation", "race", "deadlock"];
            line.split_once(':').is_some_and(|(kind, pattern)| kinds.contains(&kind) && !pattern.is_empty())
        });
        let rules = rules
            .into_iter()
            .filter_map(|line| line.split_once(':'))
            .map(|(kind, pattern)| (kind.to_owned(), pattern.to_owned()));
        (Self { rules: rules.collect() }, wrong)
    }

    /// The suppressions of a program, and the errors in them.
    pub fn of(record: &Record) -> (Self, Vec<String>) {
        let Some(path) = &record.suppressions else { return (Self::default(), Vec::new()) };
        match std::fs::read_to_string(path) {
            Ok(text) => {
                let (suppressions, wrong) = Self::parse(&text);
                (suppressions, wrong.iter().map(|line| format!("{path}: `{line}` is not a suppression")).collect())
            }
            Err(error) => (Self::default(), vec![format!("cannot read {path}: {error}")]),
        }
    }

    /// Whether a rule matches the finding.
    pub fn apply_to(&self, finding: &Finding) -> bool {
        let kind = match finding.kind {
            Kind::StaleRead | Kind::OvertakingWrite | Kind::StaleUpdate => "violation",
            Kind::Race => "race",
            Kind::Deadlock => "deadlock",
            Kind::Spin => return false,
        };
        let frames: Vec<&Frame> = finding.events.iter().flat_map(|seen| &seen.stack).collect();
        let fits = |pattern: &str| frames.iter().any(|frame| names(frame).any(|name| matches(pattern, name)));
        self.rules.iter().any(|(wanted, pattern)| wanted == kind && fits(pattern))
    }
}

fn names(frame: &Frame) -> impl Iterator<Item = &str> {
    [&frame.function, &frame.file, &frame.module].into_iter().filter_map(|name| name.as_deref())
}

/// Whether the pattern occurs in the text.
fn matches(pattern: &str, text: &str) -> bool {
    let (anchored_start, pattern) = pattern.strip_prefix('^').map_or((false, pattern), |rest| (true, rest));
    let (anchored_end, pattern) = pattern.strip_suffix('$').map_or((false, pattern), |rest| (true, rest));
    let mut parts = pattern.split('*').peekable();
    let mut rest = text;
    let mut first = true;
    while let Some(part) = parts.next() {
        let last = parts.peek().is_none();
        let at_start = std::mem::take(&mut first) && anchored_start;
        if last && anchored_end {
            return rest.ends_with(part) && (!at_start || rest == part);
        }
        rest = match rest.find(part) {
            Some(0) => &rest[part.len()..],
            Some(at) if !at_start => &rest[at + part.len()..],
            _ => return false,
        };
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        assert!(matches("lock", "my_lock_free"));
        assert!(matches("^my*free$", "my_lock_free"));
        assert!(!matches("^lock", "my_lock") && matches("lock$", "my_lock"));
        assert!(!matches("a*b", "ba") && matches("", "anything"));
        assert!(matches("^exact$", "exact") && !matches("^exact$", "not exact"));
    }

    #[test]
    fn lines_that_are_no_rules_are_named() {
        let (suppressions, wrong) = Suppressions::parse("# comment\nrace:foo\n\nwhat:bar\nviolation:^baz$\n");
        assert_eq!(suppressions.rules.len(), 2);
        assert_eq!(wrong, ["what:bar"]);
    }
}
