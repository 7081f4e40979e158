//! The arguments of `steadfast txn`.

use crate::args::LimitArgs;
use clap::{Args, Subcommand};
use std::path::PathBuf;
use steadfast_diag::Format;
use steadfast_txn::history::Criterion;
use steadfast_txn::{Model, ProgramModel};

/// Database transactions: are they serializable although the database promises less?
#[derive(Debug, Args)]
pub(crate) struct TxnArgs {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: TxnCommand,
}

/// The commands about transactions.
#[derive(Debug, Subcommand)]
pub(crate) enum TxnCommand {
    /// Decide whether transactions are serializable under weaker models
    Check(CheckArgs),
    /// Find the isolation level that each template needs and the reads to lock, or what to change in a program
    Fix(FixArgs),
    /// Run a violation on a real PostgreSQL, and see what it returns
    Replay(ReplayArgs),
    /// Check what a recorded history satisfies: causal consistency, snapshot isolation, serializability
    History(HistoryArgs),
}

/// Run a violation on a real PostgreSQL, and see what it returns.
///
/// `replay` starts its own server in a temporary directory, without a network, and removes it afterwards. PostgreSQL has to be installed (Debian: `postgresql`).
/// For rc, si and ssi the schedule runs on one server. For cc, ccv and cm it runs on two, which logical replication makes a causally consistent store; the replay
/// decides when they deliver changes.
#[derive(Debug, Args)]
#[command(after_long_help = REPLAY_EXAMPLES)]
pub(crate) struct ReplayArgs {
    /// A program, templates, or a directory with SQL
    pub(crate) file: PathBuf,

    /// The model whose violation is run: rc, si or ssi for templates and SQL, cc, ccv, cm or si for programs
    /// [default: si]
    #[arg(long, short, value_name = "MODEL", value_parser = model)]
    pub(crate) model: Option<Model>,

    /// Run it at another level than it was found for: rc, si or ssi; or ccv in place of cm
    #[arg(long, value_name = "MODEL", value_parser = model)]
    pub(crate) at: Option<Model>,

    /// Lock the reads that `steadfast txn fix` proposes for the level of --model, and see that the violation is gone
    #[arg(long)]
    pub(crate) locked: bool,

    /// The value of a parameter that is in no key; others are 1
    #[arg(long, value_name = "NAME=VALUE", value_parser = assignment)]
    pub(crate) set: Vec<(String, String)>,

    #[command(flatten)]
    pub(crate) limits: LimitArgs,
}

const REPLAY_EXAMPLES: &str = "\
Examples:
  steadfast txn replay corpus/transactions/smallbank-sql
      At REPEATABLE READ, everything commits.
  steadfast txn replay --at ssi corpus/transactions/smallbank-sql
      At SERIALIZABLE, PostgreSQL refuses the schedule.
  steadfast txn replay --locked corpus/transactions/smallbank-sql
      With FOR UPDATE where `txn fix` proposes it.
  steadfast txn replay --model cm corpus/transactions/store-buffering.txn
      On two servers with replication.

Exit codes: 1 the violation was observed, 0 it was refused or prevented, or there is none, 2 wrong
arguments or input, or no PostgreSQL, 3 the database returned something else, 130 interrupted.";

fn assignment(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("expected NAME=VALUE")?;
    Ok((name.trim_start_matches(':').to_owned(), value.to_owned()))
}

/// Check what a recorded history satisfies.
///
/// Histories are recognised by how they begin: those of Plume (`w(key,value,session,transaction)`), of dbcop (`[x:=1 y==2]` with `---` between sessions, or JSON) and of Elle and Jepsen (EDN with list appends, or with
/// registers). Every write of a key must have a value of its own. A history is checked against weak causal consistency (cc), causal convergence (ccv), causal
/// memory (cm), snapshot isolation (si) and serializability (ser); a violation is shown with the orders that contradict each other.
#[derive(Debug, Args)]
#[command(after_long_help = HISTORY_EXAMPLES)]
pub(crate) struct HistoryArgs {
    /// The history; `-` is standard input
    pub(crate) file: PathBuf,

    /// What to check: cc, ccv, cm, si, ser, several with commas between them [default: all]
    #[arg(long, short, value_name = "MODELS", value_delimiter = ',', value_parser = criterion)]
    pub(crate) model: Vec<Criterion>,

    #[command(flatten)]
    pub(crate) limits: LimitArgs,
}

const HISTORY_EXAMPLES: &str = "\
Examples:
  steadfast txn history corpus/transactions/divergence.plume
      Check all five criteria.
  steadfast txn history --model ser --time-limit 60 store/latest/history.edn
      Was that run of Jepsen serializable?

Exit codes: 0 all are satisfied, 1 one is violated, 2 wrong arguments or input, 3 inconclusive
(for si and ser the search may be long), 130 interrupted.";

fn criterion(text: &str) -> Result<Criterion, String> {
    text.parse().map_err(|error: steadfast_model::UnknownName| error.to_string())
}

/// Find the isolation level that each template needs, and the reads to lock; or what to change in a program.
///
/// For templates and SQL: a table with the cheapest levels at which all templates of the file together are serializable, and below it the reads that must become
/// `SELECT ... FOR UPDATE` so that one level suffices for all. For programs: the fewest transactions that must run serializably, and the fewest neighbours to merge
/// into one transaction.
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  steadfast txn fix corpus/transactions/smallbank-templates.txn\n  steadfast txn fix corpus/transactions/smallbank-sql"
)]
pub(crate) struct FixArgs {
    /// A program or templates in the language of docs/transactions.md (.txn), or a directory with SQL; `-` is standard input
    pub(crate) file: PathBuf,

    /// For programs, the models: cc, ccv, cm, si, several with commas between them [default: all]
    #[arg(long, short, value_name = "MODELS", value_delimiter = ',', value_parser = program_model)]
    pub(crate) model: Vec<ProgramModel>,

    #[command(flatten)]
    pub(crate) limits: LimitArgs,
}

/// Decide whether transactions are serializable under weaker models.
///
/// Transactions are robust against a consistency model if everything that they can do under the model they can also do one after the other. Programs are decided
/// exactly, loops included. If a program is not robust, you see the run, session by session, and the orders that contradict each other.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct CheckArgs {
    /// Programs or templates in the language of docs/transactions.md (.txn), or directories with SQL; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,

    /// Consistency models: cc, ccv, cm, si for programs, rc, si, ssi for templates, several with commas between them
    /// [default: those that the file has expectations about, or else all that fit]
    #[arg(long, short, value_name = "MODELS", value_delimiter = ',', value_parser = model)]
    pub(crate) model: Vec<Model>,

    /// How to write the results: full, concise, json, jsonl, sarif, github or markdown
    ///
    /// docs/schema/txn.json describes the objects of `json` and `jsonl`.
    #[arg(long, short, value_name = "FORMAT", default_value = "full")]
    pub(crate) format: Format,

    /// Write a page about the result: the transactions, a column per session, and the orders that contradict each other
    ///
    /// With several results, the second one goes to OUT.2.html, and so on.
    #[arg(long, value_name = "OUT.html")]
    pub(crate) report: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) limits: LimitArgs,
}

const EXAMPLES: &str = "\
Examples:
  steadfast txn check corpus/transactions/store-buffering.txn
      Against all models.
  steadfast txn check --model si,ccv bank.txn
      On PostgreSQL at REPEATABLE READ, and on a causally convergent store.
  steadfast txn check shop/
      The SQL of a directory: schema.sql, and one file per transaction.
  steadfast txn check --format json *.txn > results.json
      For scripts.

Exit codes: 0 every result holds, 1 not robust, 2 wrong arguments or input, 3 inconclusive, 101 an
internal error, 130 interrupted. With several results, the first of 2, 1, 130, 3, 0 that occurs.";

fn model(text: &str) -> Result<Model, String> {
    match text {
        "ser" | "serializability" => Err("every program is robust against serializability".to_owned()),
        _ => text.parse().map_err(|error: steadfast_model::UnknownName| error.to_string()),
    }
}

fn program_model(text: &str) -> Result<ProgramModel, String> {
    ProgramModel::try_from(model(text)?).map_err(|error| error.to_string())
}
