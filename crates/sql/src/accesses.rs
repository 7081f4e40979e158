//! What a statement reads and writes, before the values of its parameters are followed through the transaction.

use steadfast_span::Span;
use steadfast_txn::VarSet;
use steadfast_txn::template::Kind;

/// The bit that stands for the existence of a row.
pub(crate) const EXISTENCE: usize = VarSet::CAPACITY - 1;

/// The key of a row that the database makes up.
pub(crate) const NEW: &str = "new";

/// An access to one row or to rows that a condition chooses.
#[derive(Clone, Debug)]
pub(crate) struct RowAccess {
    pub(crate) kind: Kind,
    pub(crate) table: usize,
    pub(crate) key: Vec<KeyPart>,
    pub(crate) reads: VarSet,
    pub(crate) writes: VarSet,
    /// Whether it certainly happens, to exactly one row.
    pub(crate) sure: bool,
    /// Whether it makes a new row, so that it changes no column of an old one.
    pub(crate) insert: bool,
    /// Columns whose values go somewhere.
    pub(crate) gives: Vec<(usize, KeyPart)>,
}

/// One column of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum KeyPart {
    /// An expression over variables: its text, and the variables.
    Value(String, Vec<String>),
    /// A literal.
    Constant(String),
    /// A value that the statement itself finds in another row.
    Fetched(String),
    /// Any value.
    Any,
}

/// A statement, understood.
#[derive(Clone, Debug)]
pub(crate) struct Lowered {
    pub(crate) accesses: Vec<RowAccess>,
    /// The variables that it assigns.
    pub(crate) into: Vec<String>,
    /// The text for the database; nothing for conditions.
    pub(crate) text: Option<String>,
    pub(crate) span: Span,
}

impl RowAccess {
    /// Whether every column of the key is known.
    pub(crate) fn is_by_key(&self) -> bool {
        !self.key.contains(&KeyPart::Any)
    }
}
