//! Compares the binary's own allocator with others: is it still worth having?

use super::alternating::{self, Candidate, Compared, Plan};
use super::processor_distance::ProcessorDistance;
use super::report::{geometric_mean, notion_name};
use super::rows;
use crate::arguments::{Arguments, unexpected};
use crate::{corpus, dist, process};
use anyhow::{Result, ensure};
use std::time::Duration;

/// Runs the command.
pub(super) fn run(mut arguments: Arguments) -> Result<()> {
    let mut pattern = String::new();
    let mut builds = true;
    let mut plan = Plan { repetitions: 10, limit: Duration::from_secs(10) };
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--rows" => pattern = arguments.value("--rows")?,
            "--repetitions" => plan.repetitions = arguments.value("--repetitions")?,
            "--built" => builds = false,
            "--limit" => plan.limit = Duration::from_secs(arguments.value("--limit")?),
            _ => return Err(unexpected(&argument)),
        }
    }
    ensure!(plan.repetitions > 0, "nothing is measured without a repetition");
    let rows = rows::matching(&pattern)?;
    let rocker = corpus::rocker_directory(None)?;
    let candidates = candidates(builds)?;
    println!("{}", head(&candidates));
    let (mut all, mut distance) = (Vec::new(), ProcessorDistance::new());
    for row in rows {
        let path = row.path(&process::root(), rocker.as_deref());
        match alternating::measure(&candidates, row, &path, plan, &mut distance)? {
            Some(compared) => {
                println!("{}", line(&compared));
                all.push(compared);
            }
            None => println!("| {} | {} | {} | no verdict |", row.name(), row.model.name(), notion_name(&row)),
        }
    }
    println!("\n{}", summary(&candidates, &all));
    Ok(())
}

/// The own allocator is first: the others are compared with it. mimalloc and jemalloc use large pages only if an option says so, so they are measured with and without it.
fn candidates(builds: bool) -> Result<Vec<Candidate>> {
    let other = |name, feature| {
        let binary = if builds { dist::build_with(feature) } else { dist::built_with(feature) };
        Ok::<_, anyhow::Error>(Candidate::new(name, binary?))
    };
    let ours = Candidate::new("ours", if builds { dist::build()? } else { dist::built()? });
    let mimalloc = other("mimalloc", "measure-mimalloc")?;
    let jemalloc = other("jemalloc", "measure-jemalloc")?;
    let system = other("system", "measure-system-allocator")?;
    let large = |candidate: &Candidate, name, variable, value| Candidate {
        name,
        environment: vec![(variable, value)],
        ..candidate.clone()
    };
    Ok(vec![
        ours,
        large(&mimalloc, "mimalloc, large pages", "MIMALLOC_ALLOW_LARGE_OS_PAGES", "1"),
        mimalloc,
        large(&jemalloc, "jemalloc, large pages", "_RJEM_MALLOC_CONF", "thp:always,metadata_thp:auto"),
        jemalloc,
        system,
    ])
}

fn head(candidates: &[Candidate]) -> String {
    let ours = ["program", "model", "notion", "ours, 1 job; 2 jobs (s)", "MiB"].map(str::to_owned);
    let others = candidates[1..].iter().map(|candidate| format!("{} ÷ ours: 1 job; 2 jobs; memory", candidate.name));
    let names: Vec<String> = ours.into_iter().chain(others).collect();
    format!("{}\n{}", cells(&names), cells(&vec!["---".to_owned(); names.len()]))
}

/// A line of a table.
fn cells(cells: &[String]) -> String {
    format!("| {} |", cells.join(" | "))
}

fn line(compared: &Compared) -> String {
    let (row, [one, two]) = (&compared.row, compared.seconds(0));
    let mut all = vec![row.name().to_owned(), row.model.name().to_owned(), notion_name(row).to_owned()];
    all.push(format!("{one:.3}; {two:.3}"));
    all.push(format!("{:.0}", compared.peak_bytes(0) / f64::from(1 << 20)));
    for other in 1..compared.runs.len() {
        let [one, two] = compared.ratios(other);
        all.push(format!("{one:.2}; {two:.2}; {:.2}", memory(compared, other)));
    }
    cells(&all)
}

/// The ratio of an allocator's memory to the own allocator's.
fn memory(compared: &Compared, candidate: usize) -> f64 {
    compared.peak_bytes(candidate) / compared.peak_bytes(0)
}

/// The geometric means, for long rows and for the others.
fn summary(candidates: &[Candidate], all: &[Compared]) -> String {
    let mut lines = vec![SUMMARY_HEAD.to_owned()];
    for (number, candidate) in candidates.iter().enumerate().skip(1) {
        let mut line = vec![candidate.name.to_owned()];
        for is_long in [true, false] {
            let rows: Vec<_> = all.iter().filter(|compared| compared.is_long() == is_long).collect();
            let mean = |ratio: &dyn Fn(&Compared) -> f64| {
                let ratios: Vec<f64> = rows.iter().map(|compared| ratio(compared)).collect();
                geometric_mean(&ratios).map_or("–".to_owned(), |mean| format!("{mean:.3}"))
            };
            line.push(mean(&|row| row.ratios(number)[0]));
            line.push(mean(&|row| row.ratios(number)[1]));
            line.push(mean(&|row| memory(row, number)));
        }
        lines.push(cells(&line));
    }
    let long = all.iter().filter(|compared| compared.is_long()).count();
    lines.push(format!(
        "\nGeometric means. {long} of {} rows are long: they take half a second or more with ours. 1 job: processor time; 2 jobs: time from start to end.",
        all.len()
    ));
    lines.join("\n")
}

const SUMMARY_HEAD: &str = "\
| allocator ÷ ours | long rows, 1 job | 2 jobs | memory | other rows, 1 job | 2 jobs | memory |
| --- | ---: | ---: | ---: | ---: | ---: | ---: |";
