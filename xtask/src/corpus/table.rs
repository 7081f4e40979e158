//! The table, and its summary.

use super::answer::{Answer, ExpectationResult, expected_name};
use super::source::Case;

/// The first line of the table.
pub(crate) const HEAD: &str = "file                                            model  notion         expected    got           program states  monitor states  seconds";

/// A line of the table. `remark` says what is not as expected.
pub(crate) fn row(case: &Case, answer: &Answer, remark: Option<&str>) -> String {
    let statistics = &answer.statistics;
    let line = format!(
        "{:<46}  {:<5}  {:<13}  {:<10}  {:<12}  {:>14}  {:>14}  {:>7.3}",
        case.file,
        case.model.name(),
        case.notion.name(),
        expected_name(case.expected),
        answer.got,
        statistics.program_states,
        statistics.monitor_states,
        statistics.seconds,
    );
    remark.map_or(line.clone(), |remark| format!("{line}  {remark}"))
}

/// How many answers were of which kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    met: usize,
    differ: usize,
    excused: usize,
    unasked: usize,
    inconclusive: usize,
    broken: usize,
    /// Numbers of states that changed. The verdict may still be right.
    pub(crate) miscounted: usize,
    /// Expectations about models that cannot be checked.
    pub(crate) skipped: usize,
}

impl Tally {
    /// Counts an answer.
    pub(crate) fn count(&mut self, standing: &ExpectationResult, excused: bool) {
        let counter = match standing {
            ExpectationResult::Differs if excused => &mut self.excused,
            ExpectationResult::Met => &mut self.met,
            ExpectationResult::Differs => &mut self.differ,
            ExpectationResult::Unasked => &mut self.unasked,
            ExpectationResult::Inconclusive(_) => &mut self.inconclusive,
            ExpectationResult::Broken => &mut self.broken,
        };
        *counter += 1;
    }

    /// How many answers are wrong, or inconclusive although the bounds are generous.
    pub(crate) fn failures(&self, may_be_inconclusive: bool) -> usize {
        let missing = if may_be_inconclusive { 0 } else { self.inconclusive };
        self.differ + self.broken + self.miscounted + missing
    }

    /// The summary in words.
    pub(crate) fn summary(&self) -> String {
        let parts = [
            (self.met, "as expected"),
            (self.differ, "different"),
            (self.excused, "different for a known reason"),
            (self.unasked, "without expectation"),
            (self.inconclusive, "inconclusive, which is no pass"),
            (self.broken, "internal errors"),
            (self.miscounted, "with changed numbers of states"),
            (self.skipped, "skipped, because the model cannot be checked yet"),
        ];
        let shown = parts.iter().filter(|(number, what)| *number > 0 || *what == "different");
        shown.map(|(number, what)| format!("{number} {what}")).collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_inconclusive_answer_is_never_a_pass() {
        let mut tally = Tally::default();
        tally.count(&ExpectationResult::Met, false);
        tally.count(&ExpectationResult::Inconclusive("time".into()), false);
        assert_eq!(tally.summary(), "1 as expected, 0 different, 1 inconclusive, which is no pass");
        assert_eq!((tally.failures(false), tally.failures(true)), (1, 0));
    }

    #[test]
    fn a_known_difference_is_no_failure() {
        let mut tally = Tally::default();
        tally.count(&ExpectationResult::Differs, true);
        assert_eq!(tally.failures(false), 0);
        tally.count(&ExpectationResult::Differs, false);
        assert_eq!(tally.failures(false), 1);
    }
}
