//! Writes the last measurement into its page.

use super::report::{self, Measured};
use crate::process;
use anyhow::{Context, Result};
use std::process::Command;

const PAGE: &str = "docs/benchmarks.md";
/// The text between these marks is replaced.
const BEGIN: &str = "<!-- measured: written by cargo xtask bench --write -->";
const END: &str = "<!-- end of what was measured -->";

/// Writes the table into the page.
pub(crate) fn write(rows: &[Measured]) -> Result<()> {
    let path = process::root().join(PAGE);
    let page = std::fs::read_to_string(&path).with_context(|| format!("cannot read {PAGE}"))?;
    let lines: Vec<_> = rows.iter().map(report::line).collect();
    let text = format!("{}\n\n{}\n{}\n\n{}", occasion(), report::HEAD, lines.join("\n"), report::summary(rows));
    let page = replaced(&page, &text).with_context(|| format!("{PAGE} lacks the marks for the table"))?;
    std::fs::write(&path, page).with_context(|| format!("cannot write {PAGE}"))
}

/// The date and the machine of the measurement.
fn occasion() -> String {
    let date = Command::new("date").args(["-u", "+%Y-%m-%d"]).output();
    let date = date.map_or_else(|_| String::new(), |output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    format!("Measured on {date}, on a machine with {cores} cores.")
}

fn replaced(page: &str, text: &str) -> Option<String> {
    let (before, rest) = page.split_once(BEGIN)?;
    let (_, after) = rest.split_once(END)?;
    Some(format!("{before}{BEGIN}\n{text}{END}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_text_between_the_marks_changes() {
        let page = format!("before\n{BEGIN}\nold\n{END}\nafter\n");
        assert_eq!(replaced(&page, "new\n").unwrap(), format!("before\n{BEGIN}\nnew\n{END}\nafter\n"));
        assert_eq!(replaced("no marks", "new"), None);
    }
}
