//! Templates with values for their parameters.

use super::sorts::{OTHER, Sorts};
use super::{MOST_INSTANCES, Part, Template, Undecided};
use crate::varset::VarSet;

/// The isolation level of a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// READ COMMITTED with several versions.
    Rc,
    /// Snapshot isolation.
    Si,
    /// Serializable snapshot isolation.
    Ssi,
}

impl Level {
    /// The name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rc => "rc",
            Self::Si => "si",
            Self::Ssi => "ssi",
        }
    }
}

/// Values from this one on are constants; the values below it stand for all other values.
pub const CONSTANTS: u8 = 128;

/// A row, or all rows that match: the table and the values of its key.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Object {
    /// The number of the table.
    pub table: usize,
    /// The key; `None` stands for all values of a column.
    pub key: Vec<Option<u8>>,
}

/// One step of a transaction. All its reads and writes happen at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TemplateStep {
    /// The row.
    pub object: Object,
    /// The attributes that are read, except those that the transaction itself has written before.
    pub reads: VarSet,
    /// The attributes that are written.
    pub writes: VarSet,
    /// The attributes that are locked without being written.
    pub locks: VarSet,
    /// Whether the reads, writes and locks certainly happen.
    pub sure: bool,
}

/// A transaction with its level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instance {
    /// The template that it comes from.
    pub template: usize,
    /// The values of the parameters.
    pub arguments: Vec<u8>,
    /// Its steps.
    pub steps: Vec<TemplateStep>,
    /// Its level.
    pub level: Level,
}

impl Object {
    /// Whether the two have a row in common.
    pub fn meets(&self, other: &Self) -> bool {
        let meet = |(one, other): (&Option<u8>, &Option<u8>)| one.is_none() || other.is_none() || one == other;
        self.table == other.table && self.key.iter().zip(&other.key).all(meet)
    }
}

impl TemplateStep {
    /// Whether the other step may write something that this one reads.
    pub fn reads_from(&self, other: &Self) -> bool {
        self.object.meets(&other.object) && self.reads.meets(other.writes)
    }

    /// Whether the other step certainly writes something that this one reads: all rows are read, but which ones are written may be unknown.
    pub fn surely_reads_from(&self, other: &Self) -> bool {
        other.sure && self.reads_from(other)
    }

    /// The attributes that no other transaction may write while this one runs.
    pub fn claims(&self) -> VarSet {
        self.writes.union(self.locks)
    }

    /// Whether the order of the two matters.
    pub fn conflicts(&self, other: &Self) -> bool {
        self.reads_from(other)
            || other.reads_from(self)
            || (self.object.meets(&other.object) && self.writes.meets(other.writes))
    }
}

impl Instance {
    /// A transaction with these steps. Reads of its own writes do not count.
    pub fn new(template: usize, arguments: Vec<u8>, mut steps: Vec<TemplateStep>, level: Level) -> Self {
        for at in 0..steps.len() {
            let (before, rest) = steps.split_at_mut(at);
            let step = &mut rest[0];
            for earlier in before.iter() {
                if earlier.object == step.object && earlier.sure {
                    step.reads = step.reads.without(earlier.writes);
                }
            }
        }
        Self { template, arguments, steps, level }
    }

    /// The instance of a template.
    pub fn of(templates: &[Template], template: usize, arguments: &[u8], level: Level) -> Self {
        let steps = templates[template].operations.iter().map(|operation| TemplateStep {
            object: Object {
                table: operation.table,
                key: operation.key.iter().map(|&part| value(part, arguments)).collect(),
            },
            reads: operation.reads,
            writes: operation.writes,
            locks: operation.locks,
            sure: operation.sure,
        });
        Self::new(template, arguments.to_vec(), steps.collect(), level)
    }

    /// Whether the order of the two transactions matters.
    pub fn conflicts(&self, other: &Self) -> bool {
        self.steps.iter().any(|mine| other.steps.iter().any(|theirs| mine.conflicts(theirs)))
    }

    /// Whether it certainly writes something that the step writes or locks.
    pub fn overwrites(&self, step: &TemplateStep) -> bool {
        self.meets_surely(step, |mine| mine.writes)
    }

    /// Whether it certainly locks something that the step writes or locks.
    pub fn locks_too(&self, step: &TemplateStep) -> bool {
        self.meets_surely(step, |mine| mine.locks)
    }

    fn meets_surely(&self, step: &TemplateStep, what: impl Fn(&TemplateStep) -> VarSet) -> bool {
        let same = |mine: &&TemplateStep| mine.object == step.object && mine.sure && step.sure;
        self.steps.iter().filter(same).any(|mine| what(mine).meets(step.claims()))
    }
}

/// The value of a part of a key; nothing stands for all values.
fn value(part: Part, arguments: &[u8]) -> Option<u8> {
    match part {
        Part::Parameter(at) => Some(arguments[at]),
        Part::Constant(number) => Some(CONSTANTS + number),
        Part::Any => None,
    }
}

/// The known values of functions: number, arguments and result.
pub(super) type Graph = Vec<(usize, Vec<u8>, u8)>;

/// Whether a template with these arguments agrees with what is known of functions, and with itself; what it adds is put into `known`. Values from `other`
/// to the constants stand for many values, about which nothing is known.
pub(super) fn agrees(template: &Template, arguments: &[u8], other: u8, known: &mut Graph) -> bool {
    template.dependencies.iter().all(|dependency| {
        let applied: Option<Vec<u8>> = dependency.arguments.iter().map(|&part| value(part, arguments)).collect();
        let Some(applied) = applied else { return true };
        if applied.iter().any(|&value| (other..CONSTANTS).contains(&value)) {
            return true;
        }
        let result = arguments[dependency.result];
        let same = known.iter().find(|entry| entry.0 == dependency.function && entry.1 == applied);
        if let Some(entry) = same {
            return entry.2 == result;
        }
        known.push((dependency.function, applied, result));
        true
    })
}

/// All instances that matter if an instance of `paused` with these arguments is paused, and which agree with `known`.
pub(super) fn instances(
    templates: &[Template],
    levels: &[Level],
    sorts: &Sorts,
    (paused, arguments): (usize, &[u8]),
    known: &Graph,
) -> Result<Vec<Instance>, Undecided> {
    let mut found = Vec::new();
    for (number, template) in templates.iter().enumerate() {
        let values = sorts.values(number, paused, arguments);
        let count = values.iter().try_fold(1_usize, |count, values| count.checked_mul(values.len()));
        let count = count.filter(|count| found.len() + count <= MOST_INSTANCES).ok_or(Undecided::TooMany)?;
        for mut code in 0..count {
            let digit = |values: &Vec<u8>| {
                let digit = values[code % values.len()];
                code /= values.len();
                digit
            };
            let arguments: Vec<u8> = values.iter().map(digit).collect();
            if agrees(template, &arguments, OTHER, &mut known.clone()) {
                found.push(Instance::of(templates, number, &arguments, levels[number]));
            }
        }
    }
    Ok(found)
}
