//! The arguments of `steadfast prove` and `steadfast verify-certificate`.

use clap::{Args, ValueEnum};
use std::path::PathBuf;
use std::time::Duration;
use steadfast_diag::Format;

/// Prove that programs are robust against TSO for any number of threads.
///
/// A program may have `threads` (any number of threads that run the same code), `int` (unbounded integers) and unbounded arrays. `prove` shows for every store that it is harmless: no load can
/// overtake it, or it could have happened earlier, or the loads that overtake it could have happened later. The result is one of four claims, from strong to weak: trace-robust,
/// value-trace-robust, state-robust, safe by abstraction; docs/prove.md defines them.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct ProveArgs {
    /// Programs in the Steadfast language (.sf); `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,

    /// The SMT solver: z3, cvc5, or a path to one of them
    #[arg(long, value_name = "PROGRAM", default_value = "z3")]
    pub(crate) solver: PathBuf,

    /// Stop a question to the solver after SECONDS
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = seconds)]
    pub(crate) solver_timeout: Duration,

    /// What the exit code is about: `robust`, or `assertions` that hold under TSO whether the program is robust or not
    #[arg(long, value_name = "GOAL", default_value = "robust")]
    pub(crate) goal: Goal,

    /// Show the invariants that were found, as they could be written in the program
    #[arg(long)]
    pub(crate) invariants: bool,

    /// Write the proof into a folder, to be checked again with `steadfast verify-certificate`
    ///
    /// With several files, each proof gets a folder inside of it.
    #[arg(long, value_name = "FOLDER")]
    pub(crate) certificate: Option<PathBuf>,

    /// Write a page about the result: why each store is harmless, or the run that is not robust
    ///
    /// With several files, the second one goes to OUT.2.html, and so on.
    #[arg(long, value_name = "OUT.html")]
    pub(crate) report: Option<PathBuf>,

    /// How to write the results: full, concise, json, jsonl, sarif, github or markdown
    ///
    /// docs/schema/prove.json describes the objects of `json` and `jsonl`.
    #[arg(long, short, value_name = "FORMAT", default_value = "full")]
    pub(crate) format: Format,
}

const EXAMPLES: &str = "\
Examples:
  steadfast prove corpus/proofs/dc-locking.sf
      Is double-checked locking robust against TSO, whatever the number of threads?
  steadfast prove --certificate proof corpus/proofs/mcs-lock.sf && steadfast verify-certificate --solver cvc5 proof
      Have the proof checked by another solver.

  steadfast prove --goal assertions corpus/proofs/properties/chase-lev-loses-nothing.sf
      Do its assertions hold under TSO, although it is not robust?

Exit codes: 0 every program was proved, 1 a finite instance is not robust or fails, 2 wrong arguments or input,
3 inconclusive: no proof was found, or the solver is missing, too slow or does not know, 101 an internal
error, 130 interrupted.";

/// Check a proof again.
///
/// `verify-certificate` reads the program in the folder, computes the questions that the claim needs, compares them with the files, and asks the solver all of them.
#[derive(Debug, Args)]
#[command(
    after_long_help = "Exit codes: 0 accepted, 1 refused, 2 the folder cannot be read, 3 the solver is missing or does not know."
)]
pub(crate) struct VerifyArgs {
    /// The folder that `steadfast prove --certificate FOLDER` has written
    #[arg(value_name = "FOLDER")]
    pub(crate) folder: PathBuf,

    /// The SMT solver: z3, cvc5, or a path to one of them
    #[arg(long, value_name = "PROGRAM", default_value = "z3")]
    pub(crate) solver: PathBuf,

    /// Stop a question to the solver after SECONDS
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = seconds)]
    pub(crate) solver_timeout: Duration,
}

/// What the exit code is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Goal {
    /// Whether the program is robust, and its assertions hold.
    Robust,
    /// Whether its assertions hold under TSO.
    Assertions,
}

fn seconds(text: &str) -> Result<Duration, String> {
    let wrong = || "not a number of seconds".to_owned();
    let seconds: f64 = text.parse().map_err(|_| wrong())?;
    if seconds <= 0.0 {
        return Err("must be more than 0".to_owned());
    }
    Duration::try_from_secs_f64(seconds).map_err(|_| wrong())
}
