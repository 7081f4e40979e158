//! Steadfast's concurrent code under its own sanitizer: runs the tests with `concurrent_` in their names, under controlled schedules.
//!
//! A finding is either fixed, or explained in the code and in the file of suppressions, where a comment gives the reason for each line.

use crate::arguments::{Arguments, unexpected};
use crate::process;
use anyhow::{Context, Result, ensure};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

pub(crate) const USAGE: &str = "\
dogfood [--runs N] [--seed S] [--package NAME] [--binary FILE]
    Runs the concurrent tests of our own engine (explore, robust, memory, and the runtime's table) under `steadfast cargo
    test` with random and PCT schedules, by default 30 seeds each, from seed 1 on. Fails if something is reported that
    xtask/src/dogfood.supp does not explain. --binary uses that `steadfast` instead of building one.";

/// The crates with concurrent code.
const PACKAGES: [&str; 4] = ["steadfast-memory", "steadfast-explore", "steadfast-robust", "steadfast-rt"];
const SCHEDULES: [&str; 2] = ["random", "pct"];
/// The tests are those with this in their names.
const FILTER: &str = "concurrent_";
const SUPPRESSIONS: &str = "xtask/src/dogfood.supp";

#[derive(Debug, PartialEq, Eq)]
struct Options {
    runs: u32,
    seed: u64,
    packages: Vec<String>,
    binary: Option<PathBuf>,
}

/// Runs the command.
pub(crate) fn run(arguments: Arguments) -> Result<()> {
    let options = parse(arguments)?;
    let binary = options.binary.clone().map_or_else(build, Ok)?;
    compile(&binary, &options)?;
    let logs = process::root().join("target/dogfood");
    fs::create_dir_all(&logs).context("cannot make a folder for the output")?;
    let mut failed = 0;
    for package in &options.packages {
        for schedule in SCHEDULES {
            let log = logs.join(format!("{package}-{schedule}.log"));
            failed += u32::from(!is_silent(&binary, package, schedule, &options, &log)?);
        }
    }
    ensure!(failed == 0, "{failed} of the sets of runs reported something or failed");
    Ok(())
}

fn parse(mut arguments: Arguments) -> Result<Options> {
    let packages = PACKAGES.map(str::to_owned).to_vec();
    let mut options = Options { runs: 30, seed: 1, packages, binary: None };
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--runs" => options.runs = arguments.value("--runs")?,
            "--seed" => options.seed = arguments.value("--seed")?,
            "--package" => options.packages = vec![arguments.value("--package")?],
            "--binary" => options.binary = Some(arguments.value("--binary")?),
            _ => return Err(unexpected(&argument)),
        }
    }
    let known = options.packages.iter().all(|package| PACKAGES.contains(&package.as_str()));
    ensure!(known, "the packages with concurrent tests are {}", PACKAGES.join(", "));
    Ok(options)
}

/// The release binary, as a user would have it.
fn build() -> Result<PathBuf> {
    process::run(process::cargo().args(["build", "--release", "--quiet", "--package", "steadfast"]))?;
    // This program was built into the same directory, unless it was copied elsewhere.
    let here = std::env::current_exe().context("cannot find out where this program is")?;
    let binary = here.with_file_name("steadfast");
    ensure!(binary.exists(), "there is no {} after building it", binary.display());
    Ok(binary)
}

/// `steadfast cargo OPTIONS test`, for these packages.
fn test<'a>(binary: &Path, options: &[&str], packages: impl IntoIterator<Item = &'a String>) -> Command {
    let mut command = Command::new(binary);
    // Plain accesses are checked, too: all these crates rely on the order that their atomics give.
    command.current_dir(process::root()).args(["cargo", "--races"]).args(options).args(["test", "--lib"]);
    for package in packages {
        command.args(["--package", package]);
    }
    command
}

/// Compiles all tests first, because only this step shows its progress.
fn compile(binary: &Path, options: &Options) -> Result<()> {
    process::run(test(binary, &[], &options.packages).arg("--no-run"))
}

/// Runs the tests of a package, and prints the result in a line. The output of the tests and the sanitizer goes to a file.
fn is_silent(binary: &Path, package: &str, schedule: &str, options: &Options, log: &Path) -> Result<bool> {
    let (runs, seed) = (options.runs.to_string(), options.seed.to_string());
    let how = ["--runs", &runs, "--schedule", schedule, "--seed", &seed];
    let mut command = test(binary, &how, [&package.to_owned()]);
    command.args(["--", "--test-threads", "1", FILTER]);
    // Cargo runs tests in the folders of their packages, so the path is absolute.
    let suppressions = process::root().join(SUPPRESSIONS);
    command.env("STEADFAST_OPTIONS", format!("suppressions=\"{}\"", suppressions.display()));
    // A file, not a pipe, so that standard output and standard error stay in order.
    let file = fs::File::create(log).with_context(|| format!("cannot write {}", log.display()))?;
    let status = command.stdout(file.try_clone()?).stderr(file).status().context("cannot run the binary")?;
    let output = String::from_utf8_lossy(&fs::read(log)?).into_owned();
    let tests = tests(&output);
    ensure!(tests > 0, "{package} has no test with `{FILTER}` in its name, or it does not compile: {}", log.display());
    println!(
        "{package}, {schedule}: {tests} tests, {runs} runs: {}",
        if status.success() { "silent" } else { "FAILED" }
    );
    if !status.success() {
        findings(&output).for_each(|line| println!("    {line}"));
        println!("    everything is in {}", log.display());
    }
    Ok(status.success())
}

/// How many tests each run had, from the output of the test harness.
fn tests(output: &str) -> u32 {
    let counts = output.lines().filter_map(|line| {
        let (count, word) = line.strip_prefix("running ")?.split_once(' ')?;
        if word.starts_with("test") { count.parse().ok() } else { None }
    });
    counts.min().unwrap_or(0)
}

/// The summaries of the reports, and the tests that failed.
fn findings(output: &str) -> impl Iterator<Item = &str> {
    let is_worth_showing = |line: &&str| {
        line.starts_with("SUMMARY: ") || line.starts_with("thread '") || line.starts_with("Repeat the first one")
    };
    output.lines().filter(is_worth_showing)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::of;

    #[test]
    fn options() {
        let options = parse(of(&["--runs", "200", "--package", "steadfast-robust"])).unwrap();
        assert_eq!((options.runs, options.seed, options.packages), (200, 1, vec!["steadfast-robust".to_owned()]));
        assert!(parse(of(&["--package", "steadfast-lang"])).is_err());
    }

    #[test]
    fn every_suppression_has_a_reason() {
        let text = fs::read_to_string(process::root().join(SUPPRESSIONS)).unwrap();
        let (mut has_reason, mut rules) = (false, 0);
        for line in text.lines() {
            let is_rule = !line.is_empty() && !line.starts_with('#');
            assert!(!is_rule || has_reason, "no comment comes before {line}");
            rules += u32::from(is_rule);
            has_reason = line.starts_with("# ");
        }
        assert!(rules > 0);
    }

    #[test]
    fn the_output_of_a_run_is_understood() {
        let output =
            "\nrunning 3 tests\ntest a ... ok\n\nSUMMARY: Steadfast: data race\nrunning 3 tests\nrunning late\n";
        assert_eq!(tests(output), 3);
        assert_eq!(findings(output).collect::<Vec<_>>(), ["SUMMARY: Steadfast: data race"]);
        assert_eq!(tests("error: could not compile"), 0);
    }
}
