//! The arguments of `steadfast txn`.

use crate::args::LimitArgs;
use clap::{Args, Subcommand};
use std::path::PathBuf;
use steadfast_diag::Format;
use steadfast_txn::Model;

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
    /// Find the isolation level that each template needs, and the reads to lock
    Fix(FixArgs),
    /// Check whether a recorded history is causally consistent
    History(HistoryArgs),
}

/// Check whether a recorded history is causally consistent.
///
/// The history has one operation per line, `r(key,value,session,transaction)` or `w(...)`, as Plume writes it; every write of a key has a value of its
/// own, and 0 is the initial value. It is checked against weak causal consistency (cc) and causal convergence (ccv).
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  steadfast txn history corpus/transactions/divergence.plume\n\nExit codes: 0 both are satisfied, 1 one is violated, 2 wrong arguments or input."
)]
pub(crate) struct HistoryArgs {
    /// The history; `-` is standard input
    pub(crate) file: PathBuf,
}

/// Find the isolation level that each template needs, and the reads to lock.
///
/// The table gives the cheapest levels with which the templates are serializable, whatever runs beside them from the same file. Below it: which reads
/// would have to become `SELECT ... FOR UPDATE` so that one level suffices for all.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:\n  steadfast txn fix corpus/transactions/smallbank-templates.txn")]
pub(crate) struct FixArgs {
    /// Templates in the language of docs/transactions.md (.txn); `-` is standard input
    pub(crate) file: PathBuf,
}

/// Decide whether transactions are serializable under weaker models.
///
/// A program is robust against a consistency model if everything that its transactions can do under the model they can also do one after the
/// other. Programs are decided exactly, loops included. If one is not robust you see the run, session by session, and which orders contradict each other.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct CheckArgs {
    /// Programs in the language of docs/transactions.md (.txn); `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,

    /// Consistency models: cc, ccv, cm, si for programs, rc, si, ssi for templates, several with commas between them
    /// [default: those that the file has expectations about, or else all that fit]
    #[arg(long, short, value_name = "MODELS", value_delimiter = ',', value_parser = model)]
    pub(crate) model: Vec<Model>,

    /// How to write the results: full, concise, json, jsonl, sarif or github
    ///
    /// docs/schema/txn.json describes the objects of `json` and `jsonl`.
    #[arg(long, short, value_name = "FORMAT", default_value = "full")]
    pub(crate) format: Format,

    #[command(flatten)]
    pub(crate) limits: LimitArgs,
}

const EXAMPLES: &str = "\
Examples:
  steadfast txn check corpus/transactions/store-buffering.txn
      Against all models.
  steadfast txn check --model si,ccv bank.txn
      On PostgreSQL at REPEATABLE READ, and on a causally convergent store.
  steadfast txn check --format json *.txn > results.json
      For scripts.

Exit codes: 0 every result holds, 1 not robust, 2 wrong arguments or input, 3 inconclusive, 101 an
internal error, 130 interrupted. With several results, the first of 2, 1, 130, 3, 0 that occurs.";

fn model(text: &str) -> Result<Model, String> {
    match text {
        "ser" | "serializability" => Err("every program is robust against serializability".to_owned()),
        _ => text.parse().map_err(|error: steadfast_txn::model::UnknownModel| error.to_string()),
    }
}
