//! Split schedules as text.

use super::{CONSTANTS, Instance, Kind, Part, Split, Template};

/// The well-known kinds of split schedules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// Two transactions read a row and write it, and one of the writes is lost.
    LostUpdate,
    /// Two transactions each read what the other one writes.
    WriteSkew,
    /// A transaction reads twice, and what it reads was written in between.
    InconsistentRead,
    /// One of the transactions in between only reads, and sees a state that no serial order has.
    ReadOnly,
    /// A longer cycle.
    Other,
}

impl Pattern {
    /// Its usual name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::LostUpdate => "lost update",
            Self::WriteSkew => "write skew",
            Self::InconsistentRead => "inconsistent read",
            Self::ReadOnly => "read-only anomaly",
            Self::Other => "dependency cycle",
        }
    }
}

impl Split {
    /// The kind of the schedule.
    pub fn pattern(&self) -> Pattern {
        let reads_only = |instance: &Instance| instance.steps.iter().all(|step| step.writes.is_empty());
        let [other] = &self.between[..] else {
            return if self.between.iter().any(reads_only) { Pattern::ReadOnly } else { Pattern::Other };
        };
        let paused = &self.first.steps[self.read];
        let later = &self.first.steps[self.pause + 1..];
        let written = |step: &super::concrete::TemplateStep| {
            other.steps.iter().any(|theirs| theirs.writes.meets(step.writes) && theirs.object.meets(&step.object))
        };
        if self
            .first
            .steps
            .iter()
            .any(|mine| other.steps.iter().any(|theirs| theirs.reads_from(mine) && !written(mine)))
        {
            return Pattern::WriteSkew;
        }
        if later.iter().any(|step| step.object.meets(&paused.object) && written(step)) {
            return Pattern::LostUpdate;
        }
        if reads_only(&self.first) { Pattern::InconsistentRead } else { Pattern::Other }
    }

    /// All transactions. The paused one comes first.
    pub fn instances(&self) -> impl Iterator<Item = &Instance> {
        [&self.first].into_iter().chain(&self.between)
    }

    /// The order of events: the number of the transaction, and the number of its step, or none for the commit.
    pub fn order(&self) -> Vec<(usize, Option<usize>)> {
        let mut order: Vec<(usize, Option<usize>)> = (0..=self.pause).map(|step| (0, Some(step))).collect();
        for (number, instance) in self.between.iter().enumerate() {
            order.extend((0..instance.steps.len()).map(|step| (number + 1, Some(step))));
            order.push((number + 1, None));
        }
        order.extend((self.pause + 1..self.first.steps.len()).map(|step| (0, Some(step))));
        order.push((0, None));
        order
    }
}

/// A value of a parameter. Values that are not constants are letters.
pub fn value_name(value: u8, constants: &[String]) -> String {
    match value.checked_sub(CONSTANTS) {
        Some(number) => constants.get(usize::from(number)).cloned().unwrap_or_else(|| format!("#{number}")),
        None => char::from(b'A' + value % 26).to_string(),
    }
}

/// A transaction with its arguments, such as `WriteCheck(A)`.
pub fn call(templates: &[Template], instance: &Instance, constants: &[String]) -> String {
    let arguments: Vec<String> = instance.arguments.iter().map(|&value| value_name(value, constants)).collect();
    format!("{}({})", templates[instance.template].name, arguments.join(", "))
}

/// A step, such as `read savings[A]`.
pub fn step_name(
    templates: &[Template],
    instance: &Instance,
    step: usize,
    table: &str,
    constants: &[String],
) -> String {
    let operation = &templates[instance.template].operations[step];
    let kind = match operation.kind {
        Kind::Read => "read",
        Kind::Write => "write",
        Kind::Update => "update",
        Kind::Lock => "lock",
    };
    let part = |part: &Part| match part {
        Part::Parameter(at) => value_name(instance.arguments[*at], constants),
        Part::Constant(number) => value_name(CONSTANTS + number, constants),
        Part::Any => "*".to_owned(),
    };
    let key: Vec<String> = operation.key.iter().map(part).collect();
    format!("{kind} {table}[{}]", key.join(", "))
}
