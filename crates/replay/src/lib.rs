//! Runs transactions on a real PostgreSQL, statement by statement in a given order, and reports what the database returns.
//!
//! - [`Server`] is a PostgreSQL server in a temporary directory, with one Unix socket and no network. It is removed when it is dropped, and also when this process ends in any
//!   other way.
//! - [`Connection`] speaks PostgreSQL's simple query protocol (version 3.0), which is enough.
//! - [`run_script()`] runs a [`Script`]: several sessions with interleaved statements. If a statement waits for a lock, the other sessions continue.
//! - [`scripts`] makes scripts from the counterexamples of `steadfast-txn`.
//! - [`causal`] makes a causally consistent store of two servers with logical replication, and decides when changes are delivered.
//!
//! Guarantee: everything that is reported was returned by the server. Invariants: nothing here prints; every wait has a limit and can be interrupted.

#![allow(clippy::doc_markdown, reason = "PostgreSQL is a name, not code")]

pub mod causal;
mod connection;
mod script_run;
pub mod scripts;
mod server;
mod variables;

pub use connection::{Connection, Reply, SqlError};
pub use script_run::{Event, Line, Script, ScriptRun, Session, StatementResult, Verdict, run_script};
pub use server::{Server, find_programs};
pub use variables::{filled, quoted};

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

/// Why a replay did not finish.
#[derive(Debug)]
pub enum Failure {
    /// There is no PostgreSQL on this machine.
    NotInstalled,
    /// The server could not be started, or does not answer, for this reason.
    Server(String),
    /// The connection broke.
    Io(std::io::Error),
    /// A statement that prepares the database failed.
    Setup(String, SqlError),
    /// The user interrupted it.
    Interrupted,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotInstalled => {
                f.write_str("PostgreSQL is not installed: neither on the PATH nor in /usr/lib/postgresql (Debian: apt-get install postgresql)")
            }
            Self::Server(message) => f.write_str(message),
            Self::Io(error) => write!(f, "the connection to the server broke: {error}"),
            Self::Setup(statement, error) => write!(f, "{error} in: {statement}"),
            Self::Interrupted => f.write_str("it was interrupted"),
        }
    }
}

impl std::error::Error for Failure {}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        Self::Io(error)
    }
}

/// An error if the user has interrupted the replay.
pub(crate) fn check_interrupt(interrupt: &AtomicBool) -> Result<(), Failure> {
    if interrupt.load(Ordering::Relaxed) { Err(Failure::Interrupted) } else { Ok(()) }
}
