//! What the runtime and `steadfast run` have to agree on about controlled schedules: which schedulers there are ([`Kind`]), the operations that threads make steps with ([`Operation`]),
//! and the *choice log* ([`Log`]), from which a run can be repeated.
//!
//! Under a controlled schedule one thread runs at a time, and at every step a scheduler chooses who goes on. The log has a [`Choice`] for every step: who made it, what it was, and who
//! goes on. The runtime writes the log into a file that `steadfast run` has made and both have in memory, so the log survives whatever becomes of the program.
//!
//! ```
//! use steadfast_schedule::{Choice, Header, Kind, Log, Operation, Schedule};
//!
//! assert_eq!(Schedule::from_name("pct"), Some(Schedule::By(Kind::Pct)));
//! let header = Header { seed: 7, records: 1, steps: 1, ..Header::new(Kind::Random) };
//! let log = Log { header, choices: vec![Choice { thread: 0, operation: Operation::Create, chosen: 1, ready: 2, ..Choice::NONE }] };
//! assert_eq!(Log::from_bytes(&log.to_bytes()).unwrap(), log);
//! assert!(Log::from_bytes(b"something else").is_err());
//! ```
//!
//! Guarantee: [`Log::from_bytes`] gives a log or an error for any bytes. Nothing in a log depends on where the system puts a program in memory: threads and objects have numbers, and code
//! places are relative to their module.
//!
//! Invariant: no dependencies, and no `unsafe`: the runtime is linked into the programs of users.

#![forbid(unsafe_code)]

/// The variable that names the file for the choice log.
pub const LOG_VARIABLE: &str = "STEADFAST_CHOICE_LOG";
/// The variable that names the log that is to be repeated.
pub const REPLAY_VARIABLE: &str = "STEADFAST_REPLAY";

mod choice;
mod header;
mod log;
mod operation;
mod schedulers;

pub use choice::{CHOICE_BYTES, Choice, NOBODY, NOWHERE, Place};
pub use header::{HEADER_BYTES, Header, VERSION, at};
pub use log::{Log, LogError, MOST_CHOICES};
pub use operation::Operation;
pub use schedulers::{Kind, Schedule, Setup};
