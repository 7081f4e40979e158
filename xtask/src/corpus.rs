//! Checks programs against their expected verdicts and state counts: those in `corpus/`, and Rocker's and Trencher's if they are installed.

pub(crate) mod answer;
mod counts;
pub(crate) mod rocker;
pub(crate) mod source;
mod table;
pub(crate) mod trencher;

use crate::arguments::{Arguments, unexpected};
use crate::process;
use answer::{Answer, ExpectationResult, Setting, ask_all};
use anyhow::{Result, bail, ensure};
use counts::{Counts, counted};
use source::{Case, read_directory};
use std::path::{Path, PathBuf};
use std::time::Duration;
use steadfast_lang::Dialect;
use steadfast_robust::Limits;
use table::Tally;

pub(crate) const USAGE: &str = "\
corpus [--bless] [--large] [--rocker DIRECTORY] [--trencher DIRECTORY] [--limit SECONDS]
    Checks every program in corpus/ (with --large also the full-size ones) and compares verdicts and numbers of
    states with the recorded ones. Then checks Rocker's and Trencher's programs, if they are there, against what is
    known about them.
    --bless records the numbers of this run instead; a changed verdict is still an error.
    --limit bounds each check of a full-size program, of Rocker's and of Trencher's; by default 120 seconds.";

/// How many checks run at the same time. Each uses one thread, so that the numbers of states are always the same.
pub(crate) const WORKERS: usize = 2;
/// The memory limit for the states of a large program.
const MEMORY: u64 = 8 << 30;

#[derive(Debug, PartialEq, Eq)]
struct Options {
    bless: bool,
    large: bool,
    rocker: Option<PathBuf>,
    trencher: Option<PathBuf>,
    limit: u64,
}

/// Runs the command.
pub(crate) fn run(arguments: Arguments) -> Result<()> {
    let options = parse(arguments)?;
    let ours = check_ours(&options)?;
    let theirs = check_rockers(&options)? + check_trenchers(&options)?;
    ensure!(ours + theirs == 0, "{} answers are not as expected", ours + theirs);
    Ok(())
}

fn parse(mut arguments: Arguments) -> Result<Options> {
    let mut options = Options { bless: false, large: false, rocker: None, trencher: None, limit: 120 };
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--bless" => options.bless = true,
            "--large" => options.large = true,
            "--rocker" => options.rocker = Some(arguments.value("--rocker")?),
            "--trencher" => options.trencher = Some(arguments.value("--trencher")?),
            "--limit" => options.limit = arguments.value("--limit")?,
            _ => return Err(unexpected(&argument)),
        }
    }
    Ok(options)
}

pub(crate) fn bounded(seconds: u64) -> Limits {
    Limits { time: Some(Duration::from_secs(seconds)), memory: Some(MEMORY), ..Limits::default() }
}

/// Checks `corpus/`. Returns the number of failures.
fn check_ours(options: &Options) -> Result<usize> {
    let path = process::root().join("corpus/counts.tsv");
    let mut ledger = CountsComparison::open(&path, options.bless)?;
    let mut failures = 0;
    println!("{}", table::HEAD);
    for directory in directories(options) {
        let (cases, skipped) = promised(directory)?;
        let is_large = directory == LARGE;
        let limits = if is_large { bounded(options.limit) } else { Limits::default() };
        let setting = Setting { spin: true, lenient: false, limits, jobs: 1 };
        let mut tally = Tally::default();
        tally.skipped = skipped;
        tally.miscounted = ledger.turn_to(directory, &cases);
        ask_all(&cases, &setting, if is_large { 1 } else { WORKERS }, |case, answer| {
            let change = ledger.compare(case, &answer);
            tally.count(&answer.standing, false);
            tally.miscounted += usize::from(change.is_some());
            println!("{}", table::row(case, &answer, remark(&answer, None).or(change).as_deref()));
        });
        println!("corpus/{directory}: {}\n", tally.summary());
        failures += tally.failures(is_large);
    }
    ledger.close(&path)?;
    Ok(failures)
}

/// The recorded numbers of states, and those of this run.
struct CountsComparison {
    recorded: Counts,
    new: Counts,
    bless: bool,
}

impl CountsComparison {
    fn open(path: &Path, bless: bool) -> Result<Self> {
        Ok(Self { recorded: Counts::read(path)?, new: Counts::read(path)?, bless })
    }

    /// Begins with a directory. Returns how many records are about questions that are not asked any more.
    fn turn_to(&mut self, directory: &str, cases: &[Case]) -> usize {
        let is_meant = |file: &str| file.starts_with(&format!("{directory}/"));
        self.new.forget(is_meant);
        if self.bless {
            return 0;
        }
        let stale: Vec<_> = self.recorded.left_over(cases, is_meant).collect();
        for question in &stale {
            println!("recorded, but not asked any more: {question}");
        }
        stale.len()
    }

    /// Records the numbers of an answer. Returns the change, unless the user wants to bless it.
    fn compare(&mut self, case: &Case, answer: &Answer) -> Option<String> {
        let old = self.recorded.of(case);
        let is_final = matches!(answer.standing, ExpectationResult::Met | ExpectationResult::Differs);
        let now = if is_final { Some(counted(&answer.statistics)) } else { old };
        if let Some(now) = now {
            self.new.record(case, now);
        }
        if self.bless || now == old {
            return None;
        }
        Some(old.map_or("<-- NOT RECORDED".to_owned(), |(program, monitor)| format!("<-- WAS {program}, {monitor}")))
    }

    fn close(self, path: &Path) -> Result<()> {
        if self.bless { self.new.write(path) } else { Ok(()) }
    }
}

const LARGE: &str = "large";
const DIRECTORIES: [&str; 3] = ["programs", "litmus", "automata"];

fn directories(options: &Options) -> Vec<&'static str> {
    let mut directories = DIRECTORIES.to_vec();
    if options.large {
        directories.push(LARGE);
    }
    directories
}

/// The questions with expected answers in the programs of a directory of the corpus, and how many of them are about unknown models.
pub(crate) fn promised(directory: &str) -> Result<(Vec<Case>, usize)> {
    let corpus = process::root().join("corpus");
    let mut cases = Vec::new();
    let mut unknown = 0;
    let extensions: Vec<&str> = Dialect::ALL.iter().map(|dialect| dialect.extension()).collect();
    for source in read_directory(&corpus, &corpus.join(directory), &extensions)? {
        ensure!(!source.expectations.is_empty(), "{} expects nothing", source.name);
        let (known, more) = source.promised();
        cases.extend(known);
        unknown += more;
    }
    Ok((cases, unknown))
}

/// Checks Rocker's programs as Rocker does: spin loops are ordinary loops, and every violation is "not robust". Returns the number of failures.
fn check_rockers(options: &Options) -> Result<usize> {
    let Some(directory) = directory(options.rocker.as_deref(), rocker::DIRECTORY)? else {
        println!("Rocker's programs are not here ({}), so nothing was compared with them.", rocker::DIRECTORY);
        return Ok(0);
    };
    let sources = read_directory(&directory, &directory, &["tpl"])?;
    let cases: Vec<_> = sources.iter().flat_map(source::Source::asked_by_rocker).collect();
    let setting = Setting { spin: false, lenient: true, limits: bounded(options.limit), jobs: 1 };
    let mut tally = Tally::default();
    println!("{}", table::HEAD);
    ask_all(&cases, &setting, WORKERS, |case, answer| {
        let excuse = rocker::exception(case, &answer);
        tally.count(&answer.standing, excuse.is_some());
        println!("{}", table::row(case, &answer, remark(&answer, excuse).as_deref()));
    });
    println!("Rocker's {} programs: {}", sources.len(), tally.summary());
    Ok(tally.failures(true))
}

/// Checks Trencher's programs under TSO, as Trencher does: spin loops are ordinary loops. Returns the number of failures.
fn check_trenchers(options: &Options) -> Result<usize> {
    let Some(directory) = directory(options.trencher.as_deref(), trencher::DIRECTORY)? else {
        println!("Trencher's programs are not here ({}), so nothing was compared with them.", trencher::DIRECTORY);
        return Ok(0);
    };
    let sources = read_directory(&directory, &directory, &["txt"])?;
    let cases: Vec<_> = sources.iter().filter_map(trencher::case).collect();
    let setting = Setting { spin: false, lenient: false, limits: bounded(options.limit), jobs: 1 };
    let mut tally = Tally::default();
    println!("{}", table::HEAD);
    ask_all(&cases, &setting, WORKERS, |case, answer| {
        tally.count(&answer.standing, false);
        println!("{}", table::row(case, &answer, remark(&answer, None).as_deref()));
    });
    println!("Trencher's {} programs: {}", sources.len(), tally.summary());
    Ok(tally.failures(false))
}

/// The directory of Rocker's programs: the one that the user names, else the default one, if it exists.
pub(crate) fn rocker_directory(named: Option<&Path>) -> Result<Option<PathBuf>> {
    directory(named, rocker::DIRECTORY)
}

/// The directory that the user names, else the default one, if it exists.
fn directory(named: Option<&Path>, usual: &str) -> Result<Option<PathBuf>> {
    match named {
        Some(directory) if !directory.is_dir() => bail!("{} is not a directory", directory.display()),
        Some(directory) => Ok(Some(directory.to_owned())),
        None => Ok(Some(process::root().join(usual)).filter(|usual| usual.is_dir())),
    }
}

fn remark(answer: &Answer, excuse: Option<&str>) -> Option<String> {
    match (&answer.standing, excuse) {
        (ExpectationResult::Met | ExpectationResult::Unasked, _) => None,
        (ExpectationResult::Inconclusive(why), _) => Some(format!("({why})")),
        (ExpectationResult::Differs, Some(excuse)) => Some(format!("({excuse})")),
        (ExpectationResult::Differs, None) => Some("<-- DIFFERENT".to_owned()),
        (ExpectationResult::Broken, _) => Some("<-- INTERNAL ERROR".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::of;

    #[test]
    fn options() {
        let usual = Options { bless: false, large: false, rocker: None, trencher: None, limit: 120 };
        assert_eq!(parse(of(&[])).unwrap(), usual);
        let all = parse(of(&["--bless", "--large", "--rocker", "there", "--limit", "5"])).unwrap();
        assert_eq!(all, Options { bless: true, large: true, rocker: Some("there".into()), trencher: None, limit: 5 });
        assert!(parse(of(&["--curse"])).is_err());
    }

    #[test]
    fn a_directory_that_is_named_must_exist() {
        assert!(rocker_directory(Some(Path::new("no/such/directory"))).is_err());
    }

    /// The acceptance test: every expectation of every program and litmus test, with two jobs for each.
    #[test]
    fn the_corpus_gets_its_verdicts() {
        let mut wrong = Vec::new();
        for directory in DIRECTORIES {
            let (cases, _) = promised(directory).unwrap();
            let setting = Setting { spin: true, lenient: false, limits: Limits::default(), jobs: 2 };
            ask_all(&cases, &setting, 1, |case, answer| {
                if answer.standing != ExpectationResult::Met {
                    wrong.push(table::row(case, &answer, remark(&answer, None).as_deref()));
                }
            });
        }
        assert!(wrong.is_empty(), "{}\n{}", table::HEAD, wrong.join("\n"));
    }
}
