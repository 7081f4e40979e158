//! Runs transactions on a real PostgreSQL, statement by statement in a given order, and reports what the database really returned.
//!
//! - [`Server`] is a PostgreSQL of our own in a temporary directory: no network, one Unix socket, and gone when it is dropped, or when this process ends in
//!   whatever way.
//! - [`Connection`] speaks the simple query protocol of PostgreSQL (version 3.0), which is all that is needed.
//! - [`play()`] runs a [`Script`]: several sessions whose statements are interleaved. A statement that has to wait for a lock is noticed, and the others go on.
//! - [`scripts`] makes scripts from the counterexamples of `steadfast-txn`.
//! - [`causal`] makes a causally consistent store of two servers with logical replication, and decides itself when something is delivered.
//!
//! Guarantee: what is reported was returned by the server. Invariants: nothing here prints; every wait has a limit and looks at the interruption.

#![allow(clippy::doc_markdown, reason = "PostgreSQL is a name, not code")]

pub mod causal;
mod connection;
mod play;
pub mod scripts;
mod server;
mod variables;

pub use connection::{Connection, Reply, SqlError};
pub use play::{Event, Line, Script, ScriptRun, Session, StatementResult, Verdict, play};
pub use server::{Server, find_programs};
pub use variables::{filled, quoted};

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

/// Why a replay did not come to its end.
#[derive(Debug)]
pub enum Failure {
    /// There is no PostgreSQL on this machine.
    NotInstalled,
    /// The server could not be started, or does not answer; what is known.
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

/// An error if the user wants to stop.
pub(crate) fn go_on(interrupt: &AtomicBool) -> Result<(), Failure> {
    if interrupt.load(Ordering::Relaxed) { Err(Failure::Interrupted) } else { Ok(()) }
}
