//! A result of `steadfast check` in every format.

mod record;
mod text;

use crate::interrupt;
use crate::report;
use crate::reporter::{Drawing, Item, Look, Report, Row, about};
use crate::result::CheckResult;
use crate::status::Status;
use record::ResultRecord;
use serde::Serialize;
use steadfast_robust::Verdict;
pub(crate) use text::{Tally, words};

/// How much to say about a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Detail {
    /// Only what is wrong.
    Little,
    /// What was shown.
    Usual,
    /// All numbers.
    Much,
}

/// A result, with how much to say about it.
#[derive(Clone, Copy)]
pub(crate) struct CheckReport<'a> {
    pub(crate) result: &'a CheckResult,
    pub(crate) detail: Detail,
}

impl Report for CheckReport<'_> {
    fn status(&self) -> Status {
        self.result.status()
    }

    fn items(&self) -> Vec<Item<'_>> {
        items(self.result)
    }

    fn text(&self, look: Look) -> String {
        text::result(self.result, look, self.detail)
    }

    fn record(&self) -> impl Serialize {
        ResultRecord::of(self.result)
    }

    fn row(&self) -> Option<Row> {
        let statistics = self.result.outcome().map(|outcome| outcome.statistics).unwrap_or_default();
        let reason = self.result.reason().map_or_else(String::new, |reason| format!(": {reason}"));
        Some(Row {
            status: self.result.status(),
            program: self.result.file.name().to_owned(),
            model: self.result.model().map_or("", |model| model.name()),
            verdict: format!("{}{reason}", self.result.verdict_name()),
            states: Some(statistics.program_states + statistics.monitor_states),
            seconds: Some(statistics.seconds),
        })
    }

    fn pages(&self) -> Vec<String> {
        vec![report::check_page(self.result, repaired(self.result))]
    }

    fn pictures(&self, drawing: Drawing) -> Vec<String> {
        self.result.checked().and_then(|checked| report::picture(&checked, drawing)).into_iter().collect()
    }
}

/// The messages of a result, each with its file.
fn items(result: &CheckResult) -> Vec<Item<'_>> {
    about(&result.file, &result.diagnostics)
}

/// A repair of a violation, if there is one that is found quickly.
fn repaired(result: &CheckResult) -> Option<steadfast_report::Repair> {
    let checked = result.checked()?;
    let repairable =
        matches!(checked.outcome.verdict, Verdict::NotRobust(_) | Verdict::Race(_)) && !result.question.trf;
    if !repairable || interrupt::requested() {
        return None;
    }
    report::repaired(&result.file, &result.question.options(checked.model, interrupt::listen()))
}
