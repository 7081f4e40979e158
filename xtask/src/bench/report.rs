//! Prints the measured rows as a table in Markdown, with a summary.

use super::ours::Run;
use super::rows::{Published, Row};
use crate::spin::verifier::Spin;
use std::fmt::Write;
use steadfast_model::Notion;

/// A row with its measurements.
#[derive(Clone, Debug)]
pub(crate) struct Measured {
    /// The row.
    pub(crate) row: Row,
    /// With one job.
    pub(crate) one: Run,
    /// With two jobs.
    pub(crate) two: Run,
    /// `None` if SPIN was not asked.
    pub(crate) spin: Option<Spin>,
}

/// Rows that take less than this many seconds with one job are too short for a speed-up by a second one.
const LONG_ENOUGH: f64 = 0.5;
/// Rows with fewer states are too short for the time per state.
const MANY_STATES: u64 = 20_000;

impl Measured {
    fn is_conclusive(&self) -> bool {
        self.one.is_conclusive() && self.two.is_conclusive()
    }

    fn speed_up(&self) -> f64 {
        self.one.seconds / self.two.seconds
    }

    /// The ratio of Rocker's time to Steadfast's with two jobs, if both have a verdict.
    fn over_rocker(&self) -> Option<f64> {
        self.is_conclusive().then(|| self.row.published.seconds() / self.two.seconds)
    }

    /// The same for SPIN, and whether the ratio is only a lower bound.
    fn over_spin(&self) -> Option<(f64, bool)> {
        let (seconds, is_bound) = match self.spin.as_ref()? {
            Spin::Decided { seconds, .. } => (*seconds, false),
            Spin::TooLong(seconds) => (*seconds, true),
            Spin::GaveUp(_) => return None,
        };
        self.is_conclusive().then(|| (seconds / self.two.seconds, is_bound))
    }

    /// The ratio of the time per state with a monitor to the time without, if there are enough states of both.
    fn overhead(&self) -> Option<f64> {
        let run = &self.one;
        if !self.is_conclusive() || run.program_states.min(run.monitor_states) < MANY_STATES {
            return None;
        }
        Some(per_state(run.monitor_seconds, run.monitor_states) / per_state(run.program_seconds, run.program_states))
    }

    /// Whether SPIN's verdict contradicts Steadfast's.
    pub(crate) fn contradicts(&self) -> bool {
        matches!(self.spin, Some(Spin::Decided { violated, .. }) if violated != (self.two.verdict != "robust"))
            && self.is_conclusive()
    }
}

#[allow(clippy::cast_precision_loss, reason = "a few digits are shown")]
fn per_state(seconds: f64, states: u64) -> f64 {
    seconds / states as f64
}

/// The table's head.
pub(crate) const HEAD: &str = "\
| program | model | notion | verdict | program states | monitor states | 1 job (s) | 2 jobs (s) | 1 → 2 | SPIN (s) | SPIN ÷ ours | Rocker (s) | Rocker ÷ ours | memory (MiB) |
| --- | --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |";

/// A line of the table.
pub(crate) fn line(measured: &Measured) -> String {
    let Measured { row, one, two, .. } = measured;
    let notion = notion_name(row);
    let peak = one.peak_bytes.max(two.peak_bytes) >> 20;
    format!(
        "| {} | {} | {notion} | {} | {} | {} | {} | {} | {:.2} | {} | {} | {} | {} | {peak} |",
        row.name(),
        row.model.name(),
        two.verdict,
        one.program_states,
        one.monitor_states,
        seconds(one.seconds),
        seconds(two.seconds),
        measured.speed_up(),
        spin_seconds(measured.spin.as_ref()),
        measured
            .over_spin()
            .map_or("–".to_owned(), |(ratio, more)| format!("{}{ratio:.0}", if more { "> " } else { "" })),
        published(row.published),
        measured.over_rocker().map_or("–".to_owned(), |ratio| format!("{ratio:.0}")),
    )
}

/// The notion of a row, short enough for a table.
pub(super) fn notion_name(row: &Row) -> &'static str {
    match row.notion {
        Notion::Graph => "graph",
        Notion::Observational => "obs.",
    }
}

fn seconds(seconds: f64) -> String {
    format!("{seconds:.3}")
}

fn spin_seconds(spin: Option<&Spin>) -> String {
    match spin {
        None => "–".to_owned(),
        Some(Spin::Decided { seconds, .. }) => format!("{seconds:.1}"),
        Some(Spin::TooLong(seconds)) => format!("> {seconds:.0}"),
        Some(Spin::GaveUp(why)) => (*why).to_owned(),
    }
}

fn published(published: Published) -> String {
    match published {
        Published::Measured(compile, verify) => format!("{compile:.1} + {verify:.1}"),
        Published::AtLeast(seconds) => format!("≥ {seconds:.1}"),
        Published::Pldi19(seconds) => format!("{seconds:.1} †"),
    }
}

/// The summary of the rows.
pub(crate) fn summary(rows: &[Measured]) -> String {
    let mut text = String::new();
    let mut say = |line: String| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{line}");
    };
    let comparable: Vec<_> = rows.iter().filter(|measured| measured.row.published.is_comparable()).collect();
    let ratios = |jobs: fn(&Measured) -> &Run| {
        let known = comparable.iter().filter(|measured| measured.is_conclusive());
        known.map(|m| (label(&m.row), m.row.published.seconds() / jobs(m).seconds)).collect::<Vec<_>>()
    };
    say(ratio_line("Rocker ÷ ours with two jobs", &ratios(|m| &m.two)));
    say(ratio_line("Rocker ÷ ours with one job", &ratios(|m| &m.one)));
    let below: Vec<_> = ratios(|m| &m.two).into_iter().filter(|(_, ratio)| *ratio < 20.0).collect();
    say(format!("- rows where Rocker ÷ ours is less than 20: {}", list(&below)));
    let spin: Vec<_> = rows.iter().filter_map(|m| Some((label(&m.row), m.over_spin()?.0))).collect();
    say(ratio_line("SPIN ÷ ours with two jobs (an unfinished run counts with its limit)", &spin));
    let mut long: Vec<_> = rows.iter().filter(|m| m.is_conclusive() && m.one.seconds >= LONG_ENOUGH).collect();
    long.sort_by(|a, b| b.one.seconds.total_cmp(&a.one.seconds));
    let speed_ups: Vec<_> = long.iter().map(|m| (label(&m.row), m.speed_up())).collect();
    say(format!(
        "- speed-up from one job to two, for rows of half a second or more, longest first: {}",
        list(&speed_ups)
    ));
    let overhead: Vec<_> = rows.iter().filter_map(|m| Some((label(&m.row), m.overhead()?))).collect();
    say(format!("- monitoring overhead per state (rows with {MANY_STATES} states and more): {}", list(&overhead)));
    say(format!("- its geometric mean: {}", mean_text(&overhead)));
    let open: Vec<_> = rows.iter().filter(|m| !m.is_conclusive()).map(|m| label(&m.row)).collect();
    say(format!(
        "- rows without a verdict, which no mean includes: {}",
        if open.is_empty() { "none".to_owned() } else { open.join(", ") }
    ));
    text
}

fn label(row: &Row) -> String {
    format!("{} ({}, {})", row.name(), row.model.name(), row.notion.name())
}

fn list(items: &[(String, f64)]) -> String {
    if items.is_empty() {
        return "none".to_owned();
    }
    items.iter().map(|(name, ratio)| format!("{name} {ratio:.2}")).collect::<Vec<_>>().join(", ")
}

fn ratio_line(what: &str, ratios: &[(String, f64)]) -> String {
    let least = ratios.iter().min_by(|a, b| a.1.total_cmp(&b.1));
    let least = least.map_or("–".to_owned(), |(name, ratio)| format!("{ratio:.1} at {name}"));
    format!("- {what}: geometric mean {}, least {least}, {} rows", mean_text(ratios), ratios.len())
}

fn mean_text(ratios: &[(String, f64)]) -> String {
    let values: Vec<f64> = ratios.iter().map(|(_, ratio)| *ratio).collect();
    geometric_mean(&values).map_or("–".to_owned(), |mean| format!("{mean:.1}"))
}

#[allow(clippy::cast_precision_loss, reason = "there are few rows")]
pub(super) fn geometric_mean(values: &[f64]) -> Option<f64> {
    let sum: f64 = values.iter().map(|value| value.ln()).sum();
    (!values.is_empty()).then(|| (sum / values.len() as f64).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_geometric_mean_of_ratios() {
        let mean = geometric_mean(&[2.0, 8.0]).unwrap();
        assert!((mean - 4.0).abs() < 1e-9);
        assert_eq!(geometric_mean(&[]), None);
    }

    #[test]
    fn the_least_row_is_named() {
        let line = ratio_line("ratio", &[("a".into(), 2.0), ("b".into(), 8.0)]);
        assert_eq!(line, "- ratio: geometric mean 4.0, least 2.0 at a, 2 rows");
    }
}
