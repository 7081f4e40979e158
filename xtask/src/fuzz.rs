//! Tests with random input: programs for the checker and its twins, text for the parsers, and traces for the engine of the sanitizer.

mod clocks;
mod compiled;
mod mutate;
mod parsers;
mod programs;
mod proofs;
mod transactions;

use crate::arguments::{Arguments, unexpected};
use anyhow::{Result, bail};
use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use steadfast_robust::Supported;
use steadfast_twin::Subject;

pub(crate) const USAGE: &str = "\
fuzz [--programs N | --minutes N] [--seed S] [--jobs J] [--model MODEL] [--notion NOTION]
    Compares the checker with the oracle, and with itself under every setting that must not matter, on N random
    programs for every model and notion, or for N minutes in all (by default for 1 minute). The seed is shown,
    and repeats a run. NOTION is graph, letter (graph, with the order of seq_cst fences counted), observational,
    races, indices (programs that translation may decide), or settings (larger programs, the checker only with itself).
fuzz --parsers [--minutes N] [--seed S] [--jobs J] [--seeds DIRECTORY]
    Feeds the parsers with mutations of the programs in corpus/ and, if given, in a directory.
fuzz --clocks N [--seed S] [--jobs J]
    Replays N random traces for each model into the sanitizer's engine, into location clocks and into execution graphs.
fuzz --compiled N [--seed S] [--jobs J]
    Compiles N random programs as C11 with `steadfast cc`, with gcc and clang, with and without optimisation, runs them under
    controlled schedules, and compares what they report with the exact verdict of the checker: what is robust must never be
    reported, and what is not must be, after so many runs that anything else leaves no doubt. Sources of what disagrees are
    kept in target/fuzz/compiled; program number S is compiled and run in the same way by `--compiled 1 --seed S`.
fuzz --transactions N [--seed S] [--jobs J]
    Compares the decision for transactional programs with the machines of CC, CCv, CM and SI on N programs each, and
    the checks of histories with their definitions on N histories of values and of lists.
fuzz --proofs N [--seed S]
    Proves N random programs, and compares what is claimed with a machine that has store buffers; and the corpus
    with one or two fences or locks missing, and compares with the exact verdict of an instance.";

/// When to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Budget {
    Time(Duration),
    Programs(u64),
}

#[derive(Debug, PartialEq, Eq)]
struct Options {
    parsers: bool,
    /// How many traces for the sanitizer's engine.
    clocks: Option<u64>,
    /// How many programs to compile.
    compiled: Option<u64>,
    /// How many transactional programs. If given, nothing else runs.
    transactions: Option<u64>,
    /// How many programs to prove. If given, nothing else runs.
    proofs: Option<u64>,
    budget: Budget,
    /// `None` means a new seed every time.
    seed: Option<u64>,
    jobs: usize,
    /// `None` means all.
    model: Option<Supported>,
    /// `None` means all.
    subject: Option<Subject>,
    /// More texts for the parsers to start from.
    seeds: Option<PathBuf>,
}

/// Runs the command.
pub(crate) fn run(arguments: Arguments) -> Result<()> {
    let options = parse(arguments)?;
    let seed = options.seed.unwrap_or_else(seed_of_now);
    println!("seed {seed}");
    if let Some(count) = options.proofs {
        return proofs::run(count, seed);
    }
    if let Some(count) = options.transactions {
        return transactions::run(count, seed, options.jobs);
    }
    if let Some(count) = options.compiled {
        return compiled::run(count, seed, options.jobs);
    }
    match options.clocks {
        Some(traces) => clocks::run(&options, traces, seed),
        None if options.parsers => parsers::run(&options, seed),
        None => programs::run(&options, seed),
    }
}

fn parse(mut arguments: Arguments) -> Result<Options> {
    let mut budget = None;
    let mut options = Options {
        parsers: false,
        clocks: None,
        compiled: None,
        transactions: None,
        proofs: None,
        budget: Budget::Time(minutes(1)),
        seed: None,
        jobs: std::thread::available_parallelism().map_or(1, usize::from),
        model: None,
        subject: None,
        seeds: None,
    };
    while let Some(argument) = arguments.next() {
        let wanted = match argument.as_str() {
            "--minutes" => Some(Budget::Time(minutes(arguments.value("--minutes")?))),
            "--programs" => Some(Budget::Programs(arguments.value("--programs")?)),
            _ => None,
        };
        match argument.as_str() {
            "--minutes" | "--programs" if budget.is_some() => bail!("give either minutes or programs, and only once"),
            "--minutes" | "--programs" => budget = wanted,
            "--parsers" => options.parsers = true,
            "--clocks" => options.clocks = Some(arguments.value("--clocks")?),
            "--compiled" => options.compiled = Some(arguments.value("--compiled")?),
            "--transactions" => options.transactions = Some(arguments.value("--transactions")?),
            "--proofs" => options.proofs = Some(arguments.value("--proofs")?),
            "--seed" => options.seed = Some(arguments.value("--seed")?),
            "--jobs" => options.jobs = arguments.value("--jobs")?,
            "--model" => options.model = Some(arguments.value("--model")?),
            "--notion" => options.subject = Some(arguments.value("--notion")?),
            "--seeds" => options.seeds = Some(arguments.value("--seeds")?),
            _ => return Err(unexpected(&argument)),
        }
    }
    options.budget = budget.unwrap_or(options.budget);
    if options.parsers && matches!(options.budget, Budget::Programs(_)) {
        bail!("`--parsers` goes by `--minutes`");
    }
    Ok(options)
}

fn minutes(number: u32) -> Duration {
    Duration::from_secs(60 * u64::from(number))
}

fn seed_of_now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs() % 1_000_000 * 1_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::of;

    #[test]
    fn a_minute_unless_told_otherwise() {
        let options = parse(of(&[])).unwrap();
        assert_eq!((options.budget, options.seed), (Budget::Time(minutes(1)), None));
        let options = parse(of(&["--programs", "100", "--seed", "7", "--model", "rc20", "--notion", "races"])).unwrap();
        assert_eq!((options.budget, options.seed), (Budget::Programs(100), Some(7)));
        assert_eq!((options.model, options.subject), (Some(Supported::Rc20), Some(Subject::Races)));
    }

    #[test]
    fn one_budget_only() {
        assert!(parse(of(&["--programs", "1", "--minutes", "1"])).is_err());
        assert!(parse(of(&["--parsers", "--programs", "1"])).is_err());
        assert!(parse(of(&["--parsers", "--minutes", "1"])).unwrap().parsers);
        assert_eq!(parse(of(&["--clocks", "9"])).unwrap().clocks, Some(9));
        assert_eq!(parse(of(&["--compiled", "9"])).unwrap().compiled, Some(9));
        assert!(parse(of(&["--compiled"])).is_err());
    }

    #[test]
    fn unknown_names_are_refused() {
        assert!(parse(of(&["--model", "pso"])).is_err());
        assert!(parse(of(&["--notion", "state"])).is_err());
    }
}
