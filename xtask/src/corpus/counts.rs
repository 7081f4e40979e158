//! The recorded numbers of states of the corpus.
//!
//! A wrong reduction can give right verdicts for a long time, but it hardly ever gives the right number of states. With one job
//! the numbers are always the same, so every difference is a change, and should be intended.

use super::source::Case;
use anyhow::{Context, Result, ensure};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use steadfast_robust::Statistics;

const HEAD: &str = "# States of the program alone, and together with a monitor, with one job. `cargo xtask corpus --bless` rewrites this.\n\
                    # file\tmodel\tnotion\tprogram states\tmonitor states\n";

/// A file, a model and a notion.
type Key = (String, String, String);

/// States of the program alone and with a monitor.
pub(crate) type Pair = (u64, u64);

/// The recorded numbers.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts(BTreeMap<Key, Pair>);

impl Counts {
    /// Reads them. A missing file counts as empty.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        if !path.exists() {
            return Ok(Self::default());
        }
        let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        Self::parse(&text).with_context(|| format!("in {}", path.display()))
    }

    fn parse(text: &str) -> Result<Self> {
        let mut counts = Self::default();
        for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.starts_with('#')) {
            let fields: Vec<&str> = line.split('\t').collect();
            ensure!(fields.len() == 5, "line {}: expected five fields", number + 1);
            let count = |at: usize| fields[at].parse().with_context(|| format!("line {}: bad number", number + 1));
            counts.0.insert((fields[0].into(), fields[1].into(), fields[2].into()), (count(3)?, count(4)?));
        }
        Ok(counts)
    }

    /// Writes them, sorted.
    pub(crate) fn write(&self, path: &Path) -> Result<()> {
        std::fs::write(path, self.text()).with_context(|| format!("cannot write {}", path.display()))
    }

    fn text(&self) -> String {
        let mut text = HEAD.to_owned();
        for ((file, model, notion), (program, monitor)) in &self.0 {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{file}\t{model}\t{notion}\t{program}\t{monitor}");
        }
        text
    }

    /// The numbers for a question.
    pub(crate) fn of(&self, case: &Case) -> Option<Pair> {
        self.0.get(&key(case)).copied()
    }

    /// Records the numbers for a question.
    pub(crate) fn record(&mut self, case: &Case, counted: Pair) {
        self.0.insert(key(case), counted);
    }

    /// Forgets the selected files.
    pub(crate) fn forget(&mut self, meant: impl Fn(&str) -> bool) {
        self.0.retain(|(file, _, _), _| !meant(file));
    }

    /// The records of the selected files about questions that are not asked any more.
    pub(crate) fn left_over<'a>(
        &'a self,
        cases: &'a [Case],
        meant: impl Fn(&str) -> bool + 'a,
    ) -> impl Iterator<Item = String> + 'a {
        let keys: std::collections::BTreeSet<Key> = cases.iter().map(key).collect();
        let stale = self.0.keys().filter(move |known| meant(&known.0) && !keys.contains(*known));
        stale.map(|(file, model, notion)| format!("{file}, {model}, {notion}"))
    }
}

/// The recorded numbers of a check.
pub(crate) fn counted(statistics: &Statistics) -> Pair {
    (statistics.program_states, statistics.monitor_states)
}

fn key(case: &Case) -> Key {
    (case.file.clone(), case.model.name().to_owned(), case.notion.name().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_can_be_read() {
        let text = format!("{HEAD}litmus/mp.sf\tra\tgraph\t7\t12\n");
        let counts = Counts::parse(&text).unwrap();
        assert_eq!(counts.0.len(), 1);
        assert_eq!(counts.text(), text);
    }

    #[test]
    fn mistakes_name_their_line() {
        assert_eq!(Counts::parse("# head\nx\tra\n").unwrap_err().to_string(), "line 2: expected five fields");
        assert_eq!(Counts::parse("x\tra\tgraph\t1\tmany").unwrap_err().to_string(), "line 1: bad number");
    }

    #[test]
    fn files_are_forgotten_by_name() {
        let mut counts = Counts::parse("large/a.sf\tra\tgraph\t1\t1\nlitmus/b.sf\tra\tgraph\t1\t1\n").unwrap();
        counts.forget(|file| file.starts_with("litmus/"));
        assert_eq!(counts.left_over(&[], |_| true).collect::<Vec<_>>(), ["large/a.sf, ra, graph"]);
    }
}
