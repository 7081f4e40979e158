//! Templates with values for their parameters.

use super::{MOST_INSTANCES, Template, TooMany};
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

/// A row: the table and the values of its key.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Object {
    /// The number of the table.
    pub table: usize,
    /// The key.
    pub key: Vec<u8>,
}

/// One step of a transaction. What it reads and writes happens at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The row.
    pub object: Object,
    /// The attributes that are read, without those that the transaction itself has written before.
    pub reads: VarSet,
    /// The attributes that are written.
    pub writes: VarSet,
}

/// A transaction with its level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instance {
    /// The template that it comes from.
    pub template: usize,
    /// The values of the parameters.
    pub arguments: Vec<u8>,
    /// What it does.
    pub steps: Vec<Step>,
    /// Its level.
    pub level: Level,
}

impl Step {
    /// Whether the other step writes something that this one reads.
    pub fn reads_from(&self, other: &Self) -> bool {
        self.object == other.object && self.reads.meets(other.writes)
    }

    /// Whether the order of the two matters.
    pub fn conflicts(&self, other: &Self) -> bool {
        self.reads_from(other)
            || other.reads_from(self)
            || (self.object == other.object && self.writes.meets(other.writes))
    }
}

impl Instance {
    /// A transaction of these steps, in which reads of its own writes do not count.
    pub fn new(template: usize, arguments: Vec<u8>, mut steps: Vec<Step>, level: Level) -> Self {
        for at in 0..steps.len() {
            let (before, rest) = steps.split_at_mut(at);
            let step = &mut rest[0];
            for earlier in before.iter() {
                if earlier.object == step.object {
                    step.reads = step.reads.without(earlier.writes);
                }
            }
        }
        Self { template, arguments, steps, level }
    }

    /// The instance of a template.
    pub fn of(templates: &[Template], template: usize, arguments: &[u8], level: Level) -> Self {
        let steps = templates[template].operations.iter().map(|operation| Step {
            object: Object { table: operation.table, key: operation.key.iter().map(|&at| arguments[at]).collect() },
            reads: operation.reads,
            writes: operation.writes,
        });
        Self::new(template, arguments.to_vec(), steps.collect(), level)
    }

    /// Whether the order of the two transactions matters.
    pub fn conflicts(&self, other: &Self) -> bool {
        self.steps.iter().any(|mine| other.steps.iter().any(|theirs| mine.conflicts(theirs)))
    }

    /// Whether it writes something that the step writes.
    pub fn overwrites(&self, step: &Step) -> bool {
        self.steps.iter().any(|mine| mine.object == step.object && mine.writes.meets(step.writes))
    }
}

/// All instances with values below `values`.
pub(super) fn instances(templates: &[Template], levels: &[Level], values: u8) -> Result<Vec<Instance>, TooMany> {
    let mut found = Vec::new();
    for (number, template) in templates.iter().enumerate() {
        let count = usize::from(values).checked_pow(template.parameters.len() as u32).ok_or(TooMany)?;
        if found.len() + count > MOST_INSTANCES {
            return Err(TooMany);
        }
        for mut code in 0..count {
            let digit = |_| {
                let digit = (code % usize::from(values)) as u8;
                code /= usize::from(values);
                digit
            };
            let arguments: Vec<u8> = (0..template.parameters.len()).map(digit).collect();
            found.push(Instance::of(templates, number, &arguments, levels[number]));
        }
    }
    Ok(found)
}

/// All ways in which parameters can be equal to each other: values in the order of their first use.
pub(super) fn patterns(parameters: usize) -> Vec<Vec<u8>> {
    let mut all = vec![Vec::new()];
    for _ in 0..parameters {
        let longer = all.iter().flat_map(|pattern: &Vec<u8>| {
            let fresh = pattern.iter().max().map_or(0, |most| most + 1);
            (0..=fresh).map(|value| pattern.iter().copied().chain([value]).collect())
        });
        all = longer.collect();
    }
    all
}

#[cfg(test)]
mod tests {
    use super::patterns;

    #[test]
    fn equalities_are_enumerated_once() {
        assert_eq!(patterns(0), [Vec::<u8>::new()]);
        assert_eq!(patterns(2), [vec![0, 0], vec![0, 1]]);
        assert_eq!([3, 4].map(|count| patterns(count).len()), [5, 15]);
    }
}
