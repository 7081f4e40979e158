//! Templates: transactions as lists of reads and writes of rows, of which any number of instances may run with any parameters.

use crate::varset::VarSet;
use steadfast_span::Span;

/// A transaction with parameters. Templates of the same name are ways through the same transaction, and have the same level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    /// Its name.
    pub name: String,
    /// The names of its parameters. Two of them may have the same value.
    pub parameters: Vec<String>,
    /// What it does, in order.
    pub operations: Vec<Operation>,
    /// What is known about its parameters beyond that.
    pub dependencies: Vec<Dependency>,
    /// Whether some key comes from a row that may change. Then not all values of the parameters are possible at all times.
    pub fetched: bool,
    /// The number of the file that it stands in.
    pub file: usize,
    /// Where it stands there.
    pub span: Span,
}

/// One access to one row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operation {
    /// What is done to the row.
    pub kind: Kind,
    /// The number of the table.
    pub table: usize,
    /// The key.
    pub key: Vec<Part>,
    /// The attributes that are read or written; two accesses conflict only if these overlap.
    pub reads: VarSet,
    /// The attributes that are written.
    pub writes: VarSet,
    /// The attributes that are locked without being written.
    pub locks: VarSet,
    /// Whether it certainly does so: one row, which is given by its key, and no further conditions.
    pub sure: bool,
    /// Where it stands.
    pub span: Span,
}

/// One column of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// A parameter of the template, by number.
    Parameter(usize),
    /// A constant, by number: the same in all templates.
    Constant(u8),
    /// Whatever a condition chooses: all rows are looked at, and any of them may be written.
    Any,
}

/// One parameter is a function of others: a column that never changes, such as a foreign key, leads from a row to another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dependency {
    /// The function by number: the same in all templates.
    pub function: usize,
    /// What it is applied to.
    pub arguments: Vec<Part>,
    /// The parameter that has its value.
    pub result: usize,
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
    /// Reads and locks, as `SELECT … FOR UPDATE` does: until the end of the transaction nobody else may write or lock the row. Afterwards nothing is left of it.
    Lock,
}

mod allocate;
pub mod concrete;
mod conflicts;
mod decide;
pub mod oracle;
mod reduce;
mod sorts;
mod split;
pub mod split_text;

pub use allocate::{Allocation, all_at, allocate, promoted, promotions};
pub use concrete::{CONSTANTS, Instance, Level, Object};
pub use conflicts::{Conflict, ConflictKind};
pub use decide::{TemplateVerdict, decide_templates};
pub use split::{Split, robust_instances, split};

use steadfast_explore::Bound;

/// More instances than this are not looked at.
pub const MOST_INSTANCES: usize = 20_000;

/// Why there is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Undecided {
    /// Some template has so many parameters that there are more than [`MOST_INSTANCES`] instances to look at.
    TooMany,
    /// A bound was hit.
    Bound(Bound),
}

impl std::fmt::Display for Undecided {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::TooMany => f.write_str("some template has too many parameters"),
            Self::Bound(bound) => bound.fmt(f),
        }
    }
}

/// Whether the arguments of a counterexample agree with what is known of functions. If they do not, the counterexample may not be real.
pub fn consistent(templates: &[Template], split: &Split) -> bool {
    let mut known = Vec::new();
    let agree = |one: &Instance| concrete::agrees(&templates[one.template], &one.arguments, CONSTANTS, &mut known);
    split.instances().all(agree)
}

/// The templates if no condition ever chooses a row to write, and transactions whose keys come from rows that may change do not run: what is not robust
/// then is certainly not robust.
pub fn certain(templates: &[Template]) -> Vec<Template> {
    let mut changed = templates.to_vec();
    for template in &mut changed {
        for operation in &mut template.operations {
            if template.fetched {
                operation.reads = VarSet::EMPTY;
            }
            if template.fetched || !operation.sure {
                operation.writes = VarSet::EMPTY;
                operation.locks = VarSet::EMPTY;
            }
        }
    }
    changed
}

/// Whether another way through the same transaction leaves out something that this one does: some of its steps then stand under a condition.
pub fn is_conditional(templates: &[Template], number: usize) -> bool {
    let steps = |template: &Template| {
        let step = |one: &Operation| (one.kind, one.table, one.key.clone(), one.writes);
        template.operations.iter().map(step).collect::<Vec<_>>()
    };
    let mine = steps(&templates[number]);
    let ways = templates.iter().filter(|other| other.name == templates[number].name);
    ways.map(steps).any(|other| mine.iter().any(|step| !other.contains(step)))
}
