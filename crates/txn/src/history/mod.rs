//! Recorded histories: which transactions ran in which sessions, and what they read and wrote.
//!
//! The causal order is the transitive closure of session order and reads-from. A history satisfies weak causal consistency (`cc`) if that order is acyclic
//! and no transaction reads a value which another one in its causal past has overwritten, knowingly: there are no t1, t2, t3 where t3 reads x from t1, t2 writes x, and
//! t1 comes causally before t2 and t2 before t3. It satisfies causal convergence (`ccv`) if one order of all transactions, which contains the causal order, makes every
//! read return the last write in its causal past (Bouajjani, Enea, Guerraoui and Hamza, POPL 2017; Biswas and Enea, OOPSLA 2019).
//!
//! Every write of a key has a value of its own. That is what makes the check possible in time linear in the reads, times the number of sessions.

mod check;
mod clocks;
pub mod oracle;
mod plume;

pub use check::{Violation, check};
pub use plume::parse_plume;

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

/// A committed transaction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Transaction {
    /// Its name.
    pub name: String,
    /// What it did, in order.
    pub operations: Vec<Operation>,
}

/// A read or write with its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operation {
    /// Whether it is a write.
    pub write: bool,
    /// The number of the key.
    pub key: u32,
    /// The value. A read of a value that nobody wrote is a read of the initial value if that is 0, and an error otherwise.
    pub value: i64,
}

/// A transaction of a history: its session, and its place there.
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

    /// A name for a transaction that tells which one it is.
    pub fn name(&self, id: Id) -> String {
        let session = &self.sessions[id.session as usize];
        format!("transaction {} of session {}", session.transactions[id.place as usize].name, session.name)
    }
}
