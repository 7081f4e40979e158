//! Runs two versions of the binary alternately and tells whether the new one is slower.

use super::alternating::{self, Candidate, Compared, Plan};
use super::processor_distance::ProcessorDistance;
use super::report::{geometric_mean, notion_name};
use super::rows::Row;
use crate::process;
use anyhow::{Result, ensure};
use std::path::{Path, PathBuf};

/// The maximum ratio of the new time to the old one for a long row.
const MOST: f64 = 1.05;

/// Compares the rows. Fails if a row of half a second or more is slower.
pub(super) fn run(before: PathBuf, after: PathBuf, rows: Vec<Row>, rocker: Option<&Path>, plan: Plan) -> Result<()> {
    let candidates = [Candidate::new("before", before), Candidate::new("after", after)];
    println!("{HEAD}");
    let (mut all, mut distance) = (Vec::new(), ProcessorDistance::new());
    for row in rows {
        let path = row.path(&process::root(), rocker);
        let Some(mut compared) = alternating::measure(&candidates, row, &path, plan, &mut distance)? else {
            println!("| {} | {} | {} | no verdict | | | | | | |", row.name(), row.model.name(), notion_name(&row));
            continue;
        };
        if is_slower(&compared) {
            // Another process on this machine may be the reason, so measure again.
            let longer = Plan { repetitions: 2 * plan.repetitions, ..plan };
            alternating::repeat(&candidates, &path, longer, &mut compared, &mut distance)?;
        }
        println!("{}", line(&compared));
        all.push(compared);
    }
    println!("\n{}", summary(&all));
    let slower: Vec<_> =
        all.iter().filter(|compared| is_slower(compared)).map(|compared| compared.row.name()).collect();
    ensure!(slower.is_empty(), "more than {MOST} times as long as before: {}", slower.join(", "));
    Ok(())
}

/// Whether this is a long row that takes much longer than before.
fn is_slower(compared: &Compared) -> bool {
    compared.is_long() && compared.ratios(1).into_iter().any(|ratio| ratio > MOST)
}

const HEAD: &str = "\
| program | model | notion | 1 job, before (s) | after (s) | after ÷ before | 2 jobs, before (s) | after (s) | after ÷ before | memory, after ÷ before |
| --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |";

fn line(compared: &Compared) -> String {
    let row = &compared.row;
    let ([one_before, two_before], [one, two]) = (compared.seconds(0), compared.seconds(1));
    let [ratio_one, ratio_two] = compared.ratios(1);
    format!(
        "| {} | {} | {} | {one_before:.3} | {one:.3} | {ratio_one:.3} | {two_before:.3} | {two:.3} | {ratio_two:.3} | {:.3} |",
        row.name(),
        row.model.name(),
        notion_name(row),
        compared.peak_bytes(1) / compared.peak_bytes(0),
    )
}

fn summary(all: &[Compared]) -> String {
    let mean = |is_long: bool, jobs: usize| {
        let rows = all.iter().filter(|compared| compared.is_long() == is_long);
        let ratios: Vec<f64> = rows.map(|compared| compared.ratios(1)[jobs]).collect();
        geometric_mean(&ratios).map_or("–".to_owned(), |mean| format!("{mean:.3}"))
    };
    format!(
        "Geometric mean of after ÷ before: rows of half a second or more {} with 1 job, {} with 2 jobs; other rows {} and {}.\n\
         1 job: processor time; 2 jobs: time from start to end.",
        mean(true, 0),
        mean(true, 1),
        mean(false, 0),
        mean(false, 1)
    )
}

#[cfg(test)]
mod tests {
    use super::super::ours::Run;
    use super::super::rows;
    use super::*;

    fn run(seconds: f64) -> Run {
        let verdict = "robust".to_owned();
        let (program_states, monitor_states, program_seconds, monitor_seconds, peak_bytes) = (0, 0, 0.0, 0.0, 1 << 20);
        let processor_seconds = seconds;
        Run {
            verdict,
            seconds,
            processor_seconds,
            program_states,
            monitor_states,
            program_seconds,
            monitor_seconds,
            peak_bytes,
        }
    }

    fn compared(before: [f64; 2], after: [f64; 2]) -> Compared {
        Compared { row: rows::ROWS[0], runs: vec![before.map(run), after.map(run)] }
    }

    #[test]
    fn only_long_rows_count_as_slower() {
        assert!(!is_slower(&compared([0.6, 0.4], [0.62, 0.41])));
        assert!(is_slower(&compared([0.6, 0.4], [0.6, 0.43])));
        assert!(is_slower(&compared([0.6, 0.4], [0.64, 0.4])));
        assert!(!is_slower(&compared([0.3, 0.2], [0.4, 0.4])));
    }

    #[test]
    fn means_are_of_long_and_of_other_rows() {
        let text = summary(&[compared([1.0, 1.0], [2.0, 1.0]), compared([1.0, 1.0], [0.5, 1.0])]);
        assert!(text.contains("or more 1.000 with 1 job, 1.000 with 2 jobs; other rows – and –."), "{text}");
    }
}
