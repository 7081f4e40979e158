//! Recorded histories: which transactions ran in which sessions, and what they read and wrote.
//!
//! The causal order is the transitive closure of session order and reads-from. It has to be acyclic, and then a history satisfies
//! - *weak causal consistency* (`cc`) if every transaction by itself has an order of its causal past, which contains the causal order, in which all that it reads was
//!   written last;
//! - *causal convergence* (`ccv`) if one order of all transactions does that for every transaction and its causal past;
//! - *causal memory* (`cm`) if every session has one order of the causal past of its last transaction that explains all reads of the session;
//! - *snapshot isolation* (`si`) if transactions can be given times at which they begin and commit such that they read what was committed when they began, and no
//!   two that write the same key overlap; a session begins a transaction after the commit of the one before;
//! - *serializability* (`ser`) if one order of all transactions, which contains the session order, explains all reads.
//!
//! See Bouajjani, Enea, Guerraoui and Hamza (POPL 2017) and Biswas and Enea (OOPSLA 2019). Every write of a key has a value of its own, which tells where a read comes from.
//! A read of a list tells the order of all writes that it contains.
//!
//! The causal models are decided in time linear in the reads, times the number of sessions, for each round of a saturation that few histories need more than a few of. For `si` and
//! `ser` the question is NP-complete: what follows from the reads is derived (`derive.rs`), which is where most violations show, and the rest is searched (`search.rs`), exactly, until a
//! bound is hit. `oracle.rs` is the twin of all of them.

mod causal;
mod check;
mod clocks;
mod criterion;
mod derive;
mod formats;
pub mod oracle;
mod order;
mod resolve;
mod search;
pub mod violation;

pub use check::{Answer, check};
pub use criterion::Criterion;
pub use formats::{Dialect, parse};
pub use violation::{Link, Reason, Violation};

/// A recorded history.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct History {
    /// The names of the keys.
    pub keys: Vec<String>,
    /// The sessions, each with its transactions in order.
    pub sessions: Vec<Session>,
}

/// A session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Session {
    /// Its name.
    pub name: String,
    /// Its transactions, in order.
    pub transactions: Vec<Transaction>,
}

/// The status of a transaction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TransactionStatus {
    /// It committed.
    #[default]
    Committed,
    /// It aborted, and no other transaction may see its writes.
    Aborted,
    /// It is not known. If another transaction has seen its writes, it committed; its reads are not known.
    Unknown,
}

/// A transaction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Transaction {
    /// Its name.
    pub name: String,
    /// Whether it committed.
    pub status: TransactionStatus,
    /// Its operations, in order.
    pub operations: Vec<Operation>,
}

/// A read or write with its value. Keys are numbers into [`History::keys`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operation {
    /// A write, or an element that is appended to a list.
    Write {
        /// The key.
        key: u32,
        /// The value.
        value: i64,
    },
    /// A read of a value. `None` is the initial value, and so is 0 if no transaction wrote 0.
    Read {
        /// The key.
        key: u32,
        /// The value.
        value: Option<i64>,
    },
    /// A read of a list: all elements that were appended, in order.
    List {
        /// The key.
        key: u32,
        /// The elements.
        values: Vec<i64>,
    },
}

/// A transaction of a history: its session, and its place in the session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Id {
    /// The session.
    pub session: u32,
    /// The place in the session, from 0.
    pub place: u32,
}

impl History {
    /// How many operations there are.
    pub fn operations(&self) -> usize {
        self.sessions.iter().flat_map(|session| &session.transactions).map(|one| one.operations.len()).sum()
    }

    /// A transaction.
    pub fn transaction(&self, id: Id) -> &Transaction {
        &self.sessions[id.session as usize].transactions[id.place as usize]
    }

    /// A name that identifies a transaction.
    pub fn name(&self, id: Id) -> String {
        let session = &self.sessions[id.session as usize];
        format!("transaction {} of session {}", session.transactions[id.place as usize].name, session.name)
    }
}
