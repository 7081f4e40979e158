//! The reads and writes of a statement, before its parameters get their values.

use steadfast_span::Span;
use steadfast_txn::VarSet;
use steadfast_txn::template::Kind;

/// The bit for the existence of a row.
pub(crate) const EXISTENCE: usize = VarSet::CAPACITY - 1;

/// The key of a row, if the database generates it.
pub(crate) const NEW: &str = "new";

/// An access to one row, or to the rows that a condition selects.
#[derive(Clone, Debug)]
pub(crate) struct RowAccess {
    pub(crate) kind: Kind,
    pub(crate) table: usize,
    pub(crate) key: Vec<KeyPart>,
    pub(crate) reads: VarSet,
    pub(crate) writes: VarSet,
    /// Whether it certainly happens, to exactly one row.
    pub(crate) sure: bool,
    /// Whether it inserts a row, and so changes no column of an existing one.
    pub(crate) insert: bool,
    /// The columns whose values go to variables or to other rows.
    pub(crate) gives: Vec<(usize, KeyPart)>,
}

/// One column of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum KeyPart {
    /// An expression over variables: its text, and the variables.
    Value(String, Vec<String>),
    /// A literal.
    Constant(String),
    /// A value that the statement finds in another row.
    Fetched(String),
    /// Any value.
    Any,
}

/// The meaning of a statement.
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
