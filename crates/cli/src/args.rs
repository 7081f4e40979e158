//! The command line as it was typed. [`crate::settings`] makes sense of it.

use crate::size;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;
use steadfast_diag::Format;
use steadfast_model::Notion;
use steadfast_repair::{Allowed, Target};
use steadfast_robust::Supported;
use steadfast_sanitize::run::Schedule;

/// Decides whether concurrent programs behave as if memory were sequentially consistent.
///
/// A program is robust against a memory model if every execution that the model allows is also an execution under sequential consistency,
/// where threads take turns and every read returns the newest value. You may then reason about the program, and test it, one step at a
/// time. If a program is not robust, you see a run, the access that leaves sequential consistency, and why no interleaving explains it.
#[derive(Debug, Parser)]
#[command(name = "steadfast", version, arg_required_else_help = true, max_term_width = 100, after_long_help = OVERVIEW)]
pub(crate) struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,

    /// How output is shown.
    #[command(flatten)]
    pub(crate) display: DisplayArgs,
}

/// What every command understands.
#[derive(Debug, Args)]
pub(crate) struct DisplayArgs {
    /// When to use colours.
    ///
    /// `auto` uses them on a terminal, unless `NO_COLOR` is set, and always if `CLICOLOR_FORCE` is.
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: ColorChoice,
}

/// Only `check`, which editors and scripts call again and again.
#[derive(Debug, Parser)]
struct OnlyCheck {
    #[command(flatten)]
    check: CheckArgs,
    #[command(flatten)]
    display: DisplayArgs,
}

impl Cli {
    /// What was typed. If it cannot be understood, or asks for help, the process ends with a message.
    pub(crate) fn of_process() -> Self {
        let typed: Vec<OsString> = std::env::args_os().collect();
        Self::check(&typed).unwrap_or_else(|| Self::parse_from(typed))
    }

    /// The same for `check`, if there is no error: describing all commands takes longer than checking a small program.
    fn check(typed: &[OsString]) -> Option<Self> {
        let arguments = typed.get(1..).filter(|arguments| arguments.first().is_some_and(|name| name == "check"))?;
        let OnlyCheck { check, display } = OnlyCheck::try_parse_from(arguments).ok()?;
        Some(Self { command: Command::Check(Box::new(check)), display })
    }
}

const OVERVIEW: &str = "\
Examples:
  steadfast check lock.sf                  is it robust against RC20?
  steadfast check --model ra,rc20 *.sf     several models, several files
  steadfast fix --model tso dekker.sf      what is the cheapest way to make it robust?
  steadfast explain V0001                  what does this code mean?

  steadfast cc -O2 lock.c -o lock && ./lock    does this run show that it is not robust?

Exit codes:
  0    every result holds
  1    a violation: not robust, a race, a failed assertion, an expression without a value
  2    wrong arguments, or an input that cannot be used
  3    inconclusive: a bound was hit
  101  an internal error
  130  interrupted";

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Decide whether programs are robust
    Check(Box<CheckArgs>),
    /// Find the cheapest changes that make a program robust
    Fix(FixArgs),
    /// Find fences and orderings that a robust program does not need
    Relax(RelaxArgs),
    /// Compare programs with the verdicts that they expect
    Test(TestArgs),
    /// Explain a code such as V0001, or a shape such as SB
    Explain(ExplainArgs),
    /// Describe the memory models
    #[command(long_about = "Describe the memory models: one paragraph each, with the paper that defines it.")]
    Models,
    /// Write a program with its robustness monitor for another model checker
    Export(ExportArgs),
    /// Show how Steadfast understands a program
    Show(ShowArgs),
    /// Prove that programs are robust against TSO for any number of threads
    Prove(crate::prove::args::ProveArgs),
    /// Check a proof again
    VerifyCertificate(crate::prove::args::VerifyArgs),
    /// Decide whether database transactions are serializable
    Txn(crate::txn::args::TxnArgs),
    /// Write one page about many results
    Report(ReportArgs),
    /// Print completions for a shell
    Completions(CompletionsArgs),
    /// Write pages of the manual
    Man(ManArgs),
    /// Compile C so that running the program checks it
    #[command(disable_help_flag = true)]
    Cc(CompileArgs),
    /// Compile C++ so that running the program checks it
    #[command(name = "c++", disable_help_flag = true)]
    Cxx(CompileArgs),
    /// Run a program that was compiled with `cc` or `c++`, and collect its findings
    Run(Box<RunArgs>),
    /// Build Rust with cargo so that running it checks it
    Cargo(CargoArgs),
    /// Complete reports from standard input with names and lines; programs call it themselves
    #[command(hide = true)]
    Symbolize,
}

/// When to use colours.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum ColorChoice {
    /// On a terminal.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// Decide whether programs are robust.
///
/// `check` checks every file against every model. Each result is one of: robust, not robust, a race, a failed assertion, or inconclusive. It
/// names the model and the notion of robustness, and says how many states were visited and whether the search was exhaustive.
#[derive(Debug, Args)]
#[command(after_long_help = CHECK_EXAMPLES)]
#[allow(clippy::struct_excessive_bools, reason = "they are independent switches")]
pub(crate) struct CheckArgs {
    /// Programs in the Steadfast language (.sf), in TPL (.tpl) or as automata (.aut); `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) question: QuestionArgs,

    #[arg(long, short, value_name = "MODELS", default_value = "rc20", value_delimiter = ',', value_parser = models)]
    #[arg(help = format!("Memory models: {}, several with commas between them, or all", Supported::names()))]
    pub(crate) model: Vec<ModelChoice>,

    /// How to write the results: full, concise, json, jsonl, sarif, github or markdown
    ///
    /// `full` shows violations in the source. `concise` is one line each. `json` is one array; `jsonl` writes one object per line as soon as
    /// it is known; docs/schema/check.json describes the objects. `sarif` is a log for code scanning services, `github` annotates a
    /// change, and `markdown` is a summary for a pull request.
    #[arg(long, short, value_name = "FORMAT", default_value = "full")]
    pub(crate) format: Format,

    #[command(flatten)]
    pub(crate) limits: LimitArgs,

    /// The number of worker threads [default: one per processor]
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) jobs: Option<u16>,

    /// Do not use a reduction: symmetry, classes, relevance, covering, translation or all (repeatable)
    ///
    /// No reduction changes a verdict. Use this to measure a reduction, or to look for an error in it.
    #[arg(long, value_name = "REDUCTION")]
    pub(crate) no_reduction: Vec<ReductionChoice>,

    /// Ask whether there are triangular races instead; without any, a program is robust against TSO
    ///
    /// A triangular race is a load that races with a write, while an earlier store of its thread, to another location, is still in the buffer.
    #[arg(long, conflicts_with_all = ["model", "notion", "joint"])]
    pub(crate) trf: bool,

    /// Follow all writes together, as the papers do; slower, with the same verdicts
    #[arg(long)]
    pub(crate) joint: bool,

    /// Write the execution graph of a violation to a file for Graphviz
    ///
    /// With several violations, the second one goes to OUT.2.dot, and so on.
    #[arg(long, value_name = "OUT.dot")]
    pub(crate) dot: Option<PathBuf>,

    /// Draw the execution graph of a violation: as SVG, or for Graphviz if the name ends in .dot; `-` draws it
    /// in the terminal
    ///
    /// With several violations, the second one goes to OUT.2.svg, and so on.
    #[arg(long, value_name = "OUT.svg", value_parser = drawing)]
    pub(crate) graph: Option<PathBuf>,

    /// Write a page about the result: the source, the execution graph, and the run step by step
    ///
    /// The page is one file that needs no network. With several results, the second one goes to OUT.2.html, and so on.
    #[arg(long, value_name = "OUT.html")]
    pub(crate) report: Option<PathBuf>,

    /// Print nothing about programs that are robust
    #[arg(long, short)]
    pub(crate) quiet: bool,

    /// Show more numbers about each result
    #[arg(long, conflicts_with = "quiet")]
    pub(crate) statistics: bool,
}

const CHECK_EXAMPLES: &str = "\
Examples:
  steadfast check lock.sf
      Is the lock robust against RC20?
  steadfast check --model all --notion observational seqlock.sf
      Against all models; wrong values that the program never uses do not count.
  steadfast check --format json --time-limit 60 *.sf > results.json
      For scripts. Give up on a program after a minute.
  steadfast check --report lock.html lock.sf
      A page with the run step by step, and the graph with its cycle.
  steadfast check --model ra --graph sb.svg sb.sf
      Draw the violation.

Exit codes: 0 every result holds, 1 a violation, 2 wrong arguments or input, 3 inconclusive, 101 an
internal error, 130 interrupted. With several results, the first of 2, 1, 130, 3, 0 that occurs.";

/// What is asked about a program.
#[derive(Clone, Debug, Args)]
pub(crate) struct QuestionArgs {
    /// What must be as under sequential consistency: graph or observational
    ///
    /// `graph`: every execution, with every value that is read. `observational`: only values that the program uses; a value that is read
    /// and never used may be wrong.
    #[arg(long, short, value_name = "NOTION", default_value = "graph")]
    pub(crate) notion: Notion,

    /// Check every round of a spin loop, instead of treating the loop as a wait
    #[arg(long)]
    pub(crate) no_spin_detection: bool,

    /// Count the order of `seq_cst` fences among themselves, by the letter of the papers
    #[arg(long)]
    pub(crate) fences_by_the_letter: bool,
}

/// The limits of a search.
#[derive(Clone, Debug, Args)]
pub(crate) struct LimitArgs {
    /// Stop after N states
    #[arg(long, value_name = "N")]
    pub(crate) max_states: Option<u64>,

    /// Stop when states need more memory than SIZE, for instance 512MiB or 4GiB
    #[arg(long, value_name = "SIZE", value_parser = size::parse)]
    pub(crate) max_memory: Option<u64>,

    /// Stop checking a program after SECONDS
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) time_limit: Option<Duration>,
}

/// Find the cheapest changes that make a program robust.
///
/// `fix` considers fences between statements, stronger orderings, and exchanges in place of stores. The answer is a patch. The patched program is
/// checked again, no cheaper set of these changes repairs the program, and every change in the patch is necessary.
#[derive(Debug, Args)]
#[command(after_long_help = FIX_EXAMPLES)]
pub(crate) struct FixArgs {
    #[command(flatten)]
    pub(crate) common: RepairArgs,

    /// What may be changed: fences, orderings, rmw (stores become exchanges), several with commas between them
    #[arg(long, value_name = "KINDS", default_value = "fences,orderings,rmw", value_delimiter = ',')]
    pub(crate) allow: Vec<Allowed>,
}

const FIX_EXAMPLES: &str = "\
Examples:
  steadfast fix --model tso corpus/programs/dekker-sc.sf
      Which fences does Dekker's algorithm need on x86?
  steadfast fix --model rc20 --target power --allow fences,orderings lock.sf
      The cheapest repair on POWER that keeps stores as stores.
  steadfast fix --model ra --write lock.sf
      Change the file.

Exit codes: 0 robust, or repaired, 1 it cannot be repaired, 2 wrong arguments or input, 3 inconclusive,
101 an internal error, 130 interrupted.";

/// Find fences and orderings that a robust program does not need.
///
/// The answer is a patch with a maximal set of weakenings. The program stays robust, its assertions hold, and its plain accesses have no races; any further
/// weakening breaks one of these.
#[derive(Debug, Args)]
#[command(after_long_help = RELAX_EXAMPLES)]
pub(crate) struct RelaxArgs {
    #[command(flatten)]
    pub(crate) common: RepairArgs,

    /// What may be changed: fences, orderings, rmw (exchanges become stores), several with commas between them
    #[arg(long, value_name = "KINDS", default_value = "fences,orderings", value_delimiter = ',')]
    pub(crate) allow: Vec<Allowed>,
}

const RELAX_EXAMPLES: &str = "\
Examples:
  steadfast relax corpus/programs/singleton.sf
      Which orderings are stronger than needed under RC20?
  steadfast relax --model tso --write lock.sf
      Remove the fences that x86 does not need.

Exit codes: 0 robust, with or without changes, 1 not robust, 2 wrong arguments or input, 3 inconclusive,
101 an internal error, 130 interrupted.";

/// What `fix` and `relax` have in common.
#[derive(Debug, Args)]
pub(crate) struct RepairArgs {
    /// The program, in the Steadfast language (.sf), in TPL (.tpl) or as automata (.aut); `-` is standard input
    pub(crate) file: PathBuf,

    #[arg(long, short, value_name = "MODEL", default_value = "rc20", value_parser = one_model)]
    #[arg(help = format!("The memory model: {}", Supported::names()))]
    pub(crate) model: Supported,

    /// What must be as under sequential consistency: graph or observational
    #[arg(long, short, value_name = "NOTION", default_value = "graph")]
    pub(crate) notion: Notion,

    /// The processor whose costs count: x86, armv8 or power [default: x86 for tso, else armv8]
    #[arg(long, short, value_name = "MACHINE")]
    pub(crate) target: Option<Target>,

    /// Change the file
    ///
    /// The file is replaced in one step, and only if it has not changed since it was read.
    #[arg(long)]
    pub(crate) write: bool,

    /// How to write the answer: full, concise, json, jsonl, sarif, github or markdown
    ///
    /// `full` shows a patch, and what it costs. `json` is one object; docs/schema/fix.json describes it.
    #[arg(long, short, value_name = "FORMAT", default_value = "full")]
    pub(crate) format: Format,

    /// Write a page about the answer: the violation, and the program before and after
    #[arg(long, value_name = "OUT.html")]
    pub(crate) report: Option<PathBuf>,

    /// Show how the answer was confirmed
    #[arg(long, short)]
    pub(crate) verbose: bool,

    /// Check every round of a spin loop, instead of treating the loop as a wait
    #[arg(long)]
    pub(crate) no_spin_detection: bool,

    #[command(flatten)]
    pub(crate) limits: LimitArgs,

    /// The number of worker threads [default: one per processor]
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) jobs: Option<u16>,
}

/// Compare programs with the verdicts that they expect.
///
/// A program states its verdict with `#![expect(robust, model = ra)]`, or with a ROBUSTNESS comment in TPL. Expectations about models that
/// Steadfast does not know are skipped.
#[derive(Debug, Args)]
#[command(after_long_help = TEST_EXAMPLES)]
pub(crate) struct TestArgs {
    /// Programs, and directories to search for .sf, .tpl and .aut files
    #[arg(required = true, value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) limits: LimitArgs,

    /// The number of checks that run at the same time [default: one per processor]
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) jobs: Option<u16>,
}

const TEST_EXAMPLES: &str = "\
Examples:
  steadfast test corpus/litmus
  steadfast test --time-limit 60 *.sf

Exit codes: 0 every expectation is met, 1 some are not, 2 a file cannot be used, 130 interrupted.";

/// Write one page about many results.
///
/// The page has a table that can be sorted. A result links to its own page if that is in the same folder: `lock.html` beside `lock.json`.
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  steadfast report results/ --output index.html\n\nExit codes: 0, or 2 if a file cannot be used."
)]
pub(crate) struct ReportArgs {
    /// Files that `--format json` or `jsonl` has written, or directories with such files
    #[arg(required = true, value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,

    /// Where to write the page [default: standard output]
    #[arg(long, short, value_name = "OUT.html")]
    pub(crate) output: Option<PathBuf>,

    /// The title of the page
    #[arg(long, value_name = "TITLE", default_value = "Results of Steadfast")]
    pub(crate) title: String,
}

/// Print completions for a shell.
#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell
    pub(crate) shell: clap_complete::Shell,
}

/// Write pages of the manual, one per command.
#[derive(Debug, Args)]
pub(crate) struct ManArgs {
    /// The folder to write them to
    #[arg(value_name = "FOLDER")]
    pub(crate) folder: PathBuf,
}

/// Explain a code such as V0001, or a classic shape such as SB.
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  steadfast explain V0001\n  steadfast explain write-skew\n  steadfast explain --list"
)]
pub(crate) struct ExplainArgs {
    /// The code, as messages show it in brackets, or the name of a shape: sb, mp, lb, iriw, 2+2w, wrc,
    /// lost-update, write-skew, long-fork
    #[arg(required_unless_present = "list")]
    pub(crate) code: Option<String>,

    /// List all codes and shapes with their titles
    #[arg(long, conflicts_with = "code")]
    pub(crate) list: bool,
}

/// Write a program with its robustness monitor for another model checker.
///
/// The model checker SPIN decides robustness with the exported program: the assertion `robust` fails if the program is not robust.
#[derive(Debug, Args)]
#[command(after_long_help = EXPORT_EXAMPLES)]
pub(crate) struct ExportArgs {
    /// The program; `-` is standard input
    pub(crate) file: PathBuf,

    /// The language to write
    #[arg(long, value_name = "LANGUAGE")]
    pub(crate) to: ExportLanguage,

    /// The memory model: ra, sra or rc20; or sc, without a monitor
    #[arg(long, short, value_name = "MODEL", default_value = "rc20")]
    pub(crate) model: steadfast_export::Supported,

    /// What must be as under sequential consistency: graph or observational
    #[arg(long, short, value_name = "NOTION", default_value = "graph")]
    pub(crate) notion: Notion,

    /// Count the order of `seq_cst` fences among themselves, by the letter of the papers
    #[arg(long)]
    pub(crate) fences_by_the_letter: bool,

    /// Where to write [default: standard output]
    #[arg(long, short, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
}

const EXPORT_EXAMPLES: &str = "\
Examples:
  steadfast export --to promela --model ra -o lock.pml lock.sf
  spin -a lock.pml && gcc -O2 -DSAFETY -DVECTORSZ=4096 -fwrapv -o pan pan.c && ./pan -m1000000";

/// The languages that can be written.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum ExportLanguage {
    /// For the model checker SPIN.
    Promela,
}

/// Show how Steadfast understands a program: its locations and, for each thread, one instruction per line.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:\n  steadfast show lock.sf")]
pub(crate) struct ShowArgs {
    /// The program; `-` is standard input
    pub(crate) file: PathBuf,
}

/// A model, or all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ModelChoice {
    /// This one.
    One(Supported),
    /// All that are supported.
    All,
}

/// A reduction to switch off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReductionChoice {
    /// Interchangeable threads.
    Symmetry,
    /// Indistinguishable values.
    Classes,
    /// Monitor bits that no longer matter.
    Relevance,
    /// Monitors that cover others.
    Covering,
    /// Counters that only matter relative to each other.
    Translation,
    /// All of these.
    All,
}

fn models(text: &str) -> Result<ModelChoice, String> {
    if text == "all" {
        return Ok(ModelChoice::All);
    }
    one_model(text).map(ModelChoice::One).map_err(|problem| format!("{problem}, and `all` for all of them"))
}

fn one_model(text: &str) -> Result<Supported, String> {
    match text {
        "all" => Err("give one model, not `all`".to_owned()),
        "sc" => {
            let known = Supported::names();
            Err(format!("every program is robust against sequential consistency; the models are {known}"))
        }
        _ => text.parse().map_err(|error: steadfast_model::Unsupported| error.to_string()),
    }
}

fn seconds(text: &str) -> Result<Duration, String> {
    let number: f64 = text.parse().map_err(|_| "expected a number of seconds".to_owned())?;
    Duration::try_from_secs_f64(number).map_err(|error| error.to_string())
}

/// The schedules, from the list that the runtime has as well.
fn schedules() -> impl TypedValueParser<Value = Schedule> {
    let values = Schedule::all().map(|schedule| PossibleValue::new(schedule.name()).help(schedule.about()));
    // Only names from the list get as far as this.
    PossibleValuesParser::new(values).map(|name| Schedule::from_name(&name).unwrap_or(Schedule::Os))
}

/// Where a graph is drawn. Another extension would not match the contents of the file.
fn drawing(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    let known = path.extension().is_some_and(|extension| extension == "svg" || extension == "dot");
    if known || text == "-" { Ok(path) } else { Err("the name must end in .svg or .dot, or be `-`".to_owned()) }
}

/// Compile C or C++ so that running the program checks it.
///
/// The arguments go to the compiler: to `STEADFAST_CC` (`STEADFAST_CXX` for C++) if it is set, else to clang, else to gcc. Steadfast adds the options that
/// instrument the program and link its runtime. So `CC="steadfast cc" CXX="steadfast c++" make` builds a whole project.
#[derive(Debug, Args)]
#[command(after_long_help = COMPILE_EXAMPLES)]
pub(crate) struct CompileArgs {
    /// The arguments of the compiler
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENT")]
    pub(crate) arguments: Vec<OsString>,
}

const COMPILE_EXAMPLES: &str = "\
Examples:
  steadfast cc -O2 lock.c -o lock && ./lock
      Compile, link and run. A report ends the program with exit code 66.
  make CC=\"steadfast cc\" CXX=\"steadfast c++\"
      A whole project.
  STEADFAST_CC=gcc-13 steadfast cc -c lock.c
      Another compiler.
  STEADFAST_ATOMICS_ONLY=1 steadfast cc -O2 lock.c -o lock
      Check only atomics, and no data races: faster.

`steadfast help run` says how to run the program many times and under controlled schedules. The exit code
is that of the compiler.";

/// Run a program that was compiled with `cc` or `c++`, and collect its findings.
///
/// One run is often enough: from the accesses of this run, the check predicts what weak memory allows. A violation that depends on values needs the right
/// schedule; `--runs` with `--schedule random` or `pct` tries many. The seed of a run repeats it exactly.
#[derive(Debug, Args)]
#[command(after_long_help = RUN_EXAMPLES)]
pub(crate) struct RunArgs {
    /// How many times to run the program
    #[arg(long, short = 'n', value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) runs: u64,

    /// What decides which thread runs next
    #[arg(long, value_name = "SCHEDULE", default_value = "os", value_parser = schedules(), conflicts_with = "replay")]
    pub(crate) schedule: Schedule,

    /// The seed of the first run; each later run has the next one
    #[arg(long, value_name = "S", default_value_t = 1, conflicts_with = "replay")]
    pub(crate) seed: u64,

    /// How many steps pct expects in a run [default: learnt from the runs before, 200 for the first]
    ///
    /// Only `pct` uses it. With the same seed and the same length, a run is repeated.
    #[arg(long, value_name = "STEPS", value_parser = clap::value_parser!(u64).range(1..), conflicts_with = "replay")]
    pub(crate) length: Option<u64>,

    /// Repeat the choices of a run from the log that `--logs` kept
    ///
    /// Every step is compared with that of the log. A run that makes another step is counted as diverged: it is not a repetition. After the end of the log the scheduler that wrote it goes on.
    #[arg(long, value_name = "FILE")]
    pub(crate) replay: Option<PathBuf>,

    /// Keep the choice logs of runs that report something new, fail or take too long in DIR; with one run, of that one
    ///
    /// The file is `DIR/seed-S.log`; one that is there is replaced. Needs a schedule other than `os`.
    #[arg(long, value_name = "DIR")]
    pub(crate) logs: Option<PathBuf>,

    /// End a run after SECONDS
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) time_limit: Option<Duration>,

    /// Stop after the first run that reports something, fails or takes too long
    #[arg(long)]
    pub(crate) stop_at_first: bool,

    /// How to write the findings: full, concise, json, jsonl, sarif, github or markdown
    ///
    /// In all but `full`, standard output has the findings and nothing else: what the program writes there goes to standard error.
    #[arg(long, short, value_name = "FORMAT", default_value = "full")]
    pub(crate) format: Format,

    /// Write the part of the execution graph that a finding is about to a file for Graphviz
    ///
    /// The second finding goes to OUT.2.dot, and so on.
    #[arg(long, value_name = "OUT.dot")]
    pub(crate) dot: Option<PathBuf>,

    /// Draw the part of the execution graph that a finding is about: as SVG, or for Graphviz if the name ends in
    /// .dot; `-` draws it in the terminal
    ///
    /// The second finding goes to OUT.2.svg, and so on.
    #[arg(long, value_name = "OUT.svg", value_parser = drawing)]
    pub(crate) graph: Option<PathBuf>,

    /// Write a page about each finding: the accesses, their lines and their stacks
    ///
    /// The second finding goes to OUT.2.html, and so on.
    #[arg(long, value_name = "OUT.html")]
    pub(crate) report: Option<PathBuf>,

    /// Load the runtime first, for programs that were not linked with it
    #[arg(long)]
    pub(crate) preload: bool,

    /// The program and its arguments
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "PROGRAM")]
    pub(crate) command: Vec<OsString>,
}

/// Build Rust with cargo so that running it checks it.
///
/// This works with a stable compiler. Tests and programs are run with `steadfast run`. The first call makes an instrumented copy of the standard library in the
/// user's cache, so that the check sees what locks and channels order. The atomics of the standard library are trusted: no finding is about them.
#[derive(Debug, Args)]
#[command(after_long_help = CARGO_EXAMPLES)]
pub(crate) struct CargoArgs {
    /// How many times to run each program or test
    #[arg(long, short = 'n', value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) runs: u64,

    /// What decides which thread runs next
    #[arg(long, value_name = "SCHEDULE", default_value = "os", value_parser = schedules())]
    pub(crate) schedule: Schedule,

    /// The seed of the first run
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub(crate) seed: u64,

    /// How many steps pct expects in a run [default: learnt from the runs before, 200 for the first]
    #[arg(long, value_name = "STEPS", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) length: Option<u64>,

    /// Instrument plain accesses, too, to find data races
    #[arg(long)]
    pub(crate) races: bool,

    /// The arguments of cargo
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENT")]
    pub(crate) arguments: Vec<OsString>,
}

const CARGO_EXAMPLES: &str = "\
Examples:
  steadfast cargo test
  steadfast cargo --runs 100 --schedule pct test --release lock_free
  steadfast cargo run --example queue";

const RUN_EXAMPLES: &str = "\
Examples:
  steadfast run ./lock
      One run, scheduled by the operating system.
  steadfast run --runs 200 --schedule pct -- ./lock --threads 4
      200 runs, each with another schedule.
  steadfast run --schedule random --seed 57 ./lock
      Repeat the run with seed 57 exactly.
  steadfast run -n 1000 --schedule random --stop-at-first --logs logs ./lock
      Look for a finding or a crash, and keep the log of the run.
  steadfast run --replay logs/seed-57.log ./lock
      Repeat that run from its log.
  steadfast run --runs 50 --schedule random --format sarif ./lock > lock.sarif
      For a code scanning service.
  steadfast run --report lock.html --graph lock.svg ./lock
      A page about each finding, and a picture of its accesses.

Exit codes: 0 no finding, 1 a finding, 2 the program cannot be run or the log not be used, 3 no finding,
but the program failed, took too long, diverged from its log, or was not compiled with `steadfast cc`,
`c++` or `cargo`, 130 interrupted without a finding.";

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn check_is_understood_the_same_without_the_other_commands() {
        let understood = |line: &str| {
            let typed: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            let alone = Cli::check(&typed).map(|cli| format!("{cli:?}"));
            (alone, Cli::try_parse_from(typed).ok().map(|cli| format!("{cli:?}")))
        };
        for line in [
            "steadfast check a.sf",
            "steadfast check --model ra,rc20 --notion observational --jobs 2 a.sf b.sf",
            "steadfast check --color never --quiet --format json -",
            "steadfast check --max-memory 2GiB --time-limit 5 --no-spin-detection --color=always -- --odd",
        ] {
            let (alone, whole) = understood(line);
            assert!(alone.is_some() && alone == whole, "{line}: {alone:?} {whole:?}");
        }
        for line in ["steadfast check", "steadfast check --help", "steadfast check --odd a.sf", "steadfast models"] {
            assert_eq!(understood(line).0, None, "{line}");
        }
    }

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }

    #[test]
    fn an_unknown_model_comes_with_a_hint() {
        assert!(models("power").unwrap_err().contains("rc11"));
    }

    #[test]
    fn times_are_positive_numbers() {
        assert_eq!(seconds("1.5"), Ok(Duration::from_millis(1500)));
        assert!(seconds("-1").is_err() && seconds("NaN").is_err() && seconds("soon").is_err());
    }
}
