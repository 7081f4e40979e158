//! Templates: transactions as lists of reads and writes of rows, of which any number of instances may run with any parameters.

use crate::varset::VarSet;
use steadfast_span::Span;

/// A transaction with parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    /// Its name.
    pub name: String,
    /// The names of its parameters. Two of them may have the same value.
    pub parameters: Vec<String>,
    /// What it does, in order.
    pub operations: Vec<Operation>,
    /// Where it stands.
    pub span: Span,
}

/// One access to one row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operation {
    /// What is done to the row.
    pub kind: Kind,
    /// The number of the table.
    pub table: usize,
    /// The key: parameters of the template by number.
    pub key: Vec<usize>,
    /// The attributes that are read or written; two accesses conflict only if these overlap.
    pub reads: VarSet,
    /// The attributes that are written.
    pub writes: VarSet,
    /// Where it stands.
    pub span: Span,
}

/// What an operation does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Reads.
    Read,
    /// Writes without reading.
    Write,
    /// Reads and writes in one step, as `UPDATE … SET x = x + 1` does.
    Update,
    /// Reads and locks, as `SELECT … FOR UPDATE` does. For everybody else this is an update.
    Lock,
}

mod allocate;
pub mod concrete;
pub mod oracle;
mod split;

pub use allocate::{Allocation, all_at, allocate, promotions};
pub use concrete::{Instance, Level, Object};
pub use split::{Split, robust_instances, split};

/// More instances than this are not looked at.
pub const MOST_INSTANCES: usize = 20_000;

/// Some template has so many parameters that there are more than [`MOST_INSTANCES`] instances to look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooMany;
