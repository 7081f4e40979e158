//! Measures the checks of Trencher's programs, and compares them with Trencher itself, which must be built separately.

use super::report::geometric_mean;
use crate::arguments::{Arguments, unexpected};
use crate::corpus::trencher::DIRECTORY;
use crate::{dist, process};
use anyhow::{Context, Result, ensure};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// How often each is run. The fastest run counts, because other load on the machine can only slow a run down.
const REPETITIONS: usize = 25;

/// Runs the command.
pub(crate) fn run(mut arguments: Arguments) -> Result<()> {
    let theirs: PathBuf = arguments.value("trencher")?;
    let mut binary: Option<PathBuf> = None;
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--binary" => binary = Some(arguments.value("--binary")?),
            _ => return Err(unexpected(&argument)),
        }
    }
    let directory = process::root().join(DIRECTORY);
    ensure!(directory.is_dir(), "Trencher's programs are not here ({DIRECTORY})");
    let ours = binary.map_or_else(dist::build, Ok)?;
    println!("| program | ours, ms | Trencher, ms | ours ÷ Trencher |\n| --- | ---: | ---: | ---: |");
    let mut ratios = Vec::new();
    for file in files(&directory)? {
        let pair = measure(&ours, &theirs, &file)?;
        let name = file.strip_prefix(&directory).unwrap_or(&file).display().to_string();
        let Some((mine, other)) = pair else {
            println!("| {name} | | gives up | |");
            continue;
        };
        println!("| {name} | {:.2} | {:.2} | {:.2} |", mine * 1e3, other * 1e3, mine / other);
        ratios.push(mine / other);
    }
    let slower = ratios.iter().filter(|ratio| **ratio > 1.0).count();
    let mean = geometric_mean(&ratios).context("there was nothing to compare")?;
    println!("\nGeometric mean of ours ÷ Trencher: {mean:.2}; {slower} of {} programs take us longer.", ratios.len());
    Ok(())
}

fn files(directory: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for folder in [directory.to_owned(), directory.join("memorax")] {
        let entries = std::fs::read_dir(&folder).with_context(|| format!("cannot read {}", folder.display()))?;
        let mut here: Vec<PathBuf> = entries.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
        here.retain(|path| path.extension().is_some_and(|extension| extension == "txt"));
        here.sort();
        files.extend(here);
    }
    Ok(files)
}

/// The fastest run of each, in seconds. `None` if Trencher fails.
fn measure(ours: &Path, theirs: &Path, file: &Path) -> Result<Option<(f64, f64)>> {
    let mut best = (f64::INFINITY, f64::INFINITY);
    for _ in 0..REPETITIONS {
        // Trencher recognises no spin loops and gives no advice.
        let mut mine = Command::new(ours);
        mine.args(["check", "--quiet", "--model", "tso", "--no-spin-detection", "--jobs", "1", "--format", "concise"]);
        best.0 = best.0.min(time(mine.arg(file))?.0);
        let (seconds, ended_well) = time(Command::new(theirs).arg("-r").arg(file))?;
        if !ended_well {
            return Ok(None);
        }
        best.1 = best.1.min(seconds);
    }
    Ok(Some(best))
}

/// How long a program takes, and whether it ended by itself.
fn time(command: &mut Command) -> Result<(f64, bool)> {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let started = Instant::now();
    let status = command.status().with_context(|| format!("cannot run {}", command.get_program().display()))?;
    Ok((started.elapsed().as_secs_f64(), status.code().is_some()))
}
