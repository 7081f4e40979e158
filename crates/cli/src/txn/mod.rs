//! `steadfast txn`: transactions of databases.

#![allow(clippy::doc_markdown, reason = "PostgreSQL is a name, not code")]

pub(crate) mod args;
mod check;
mod findings;
mod fix;
mod history;
mod input;
mod page;
mod record;
mod replay;

pub(crate) use findings::CODES;

use crate::output::Output;
use crate::status::Status;
use args::{TxnArgs, TxnCommand};
use std::io;

/// Runs the command.
pub(crate) fn run(arguments: &TxnArgs, output: &mut Output) -> io::Result<Status> {
    match &arguments.command {
        TxnCommand::Check(arguments) => check::run(arguments, output),
        TxnCommand::Fix(arguments) => fix::run(arguments, output),
        TxnCommand::Replay(arguments) => replay::run(arguments, output),
        TxnCommand::History(arguments) => history::run(arguments, output),
    }
}
