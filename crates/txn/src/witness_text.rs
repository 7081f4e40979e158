//! Witnesses as text: the kind of anomaly, the run, and the orders that contradict each other.

use crate::decide::{Closing, Edge, EdgeKind, Role, Witness};
use crate::model::ProgramModel;
use crate::program::Program;
use crate::run::Access;
use std::fmt::Write;

/// The well-known kinds of violations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anomaly {
    /// Two transactions read a variable and write it, and one of the writes is lost.
    LostUpdate,
    /// Two transactions, or sessions, each read what the other one writes.
    WriteSkew,
    /// Two observers see two writes in different orders.
    LongFork,
    /// Two replicas keep two writes in different orders.
    Divergence,
    /// A write counts as older than one that existed when it was made.
    WriteOrder,
    /// A longer cycle of dependencies.
    Other,
}

impl Anomaly {
    /// The kind of a witness.
    pub fn of(witness: &Witness) -> Self {
        if witness.closing == Closing::WriteRace {
            return Self::Divergence;
        }
        let edges: Vec<EdgeKind> = witness.cycle.iter().map(|edge| edge.kind).collect();
        let count = |short: &str| edges.iter().filter(|edge| edge.short() == short).count();
        let update = |run: usize, variable: usize| {
            let run = &witness.runs[run];
            run.writes.contains(variable) && run.sources.iter().any(|source| source.0 == variable)
        };
        let both_update = |edge: &Edge| {
            edge.kind.variable().is_some_and(|variable| update(edge.from, variable) && update(edge.to, variable))
        };
        match (count("RW"), count("WW"), count("WR")) {
            (1.., _, _) if edges.len() == 2 && witness.cycle.iter().any(both_update) => Self::LostUpdate,
            (2, 0, 0) => Self::WriteSkew,
            (2, 0, 1..) => Self::LongFork,
            (1, 1.., _) => Self::WriteOrder,
            _ => Self::Other,
        }
    }

    /// Its usual name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::LostUpdate => "lost update",
            Self::WriteSkew => "write skew",
            Self::LongFork => "long fork",
            Self::Divergence => "divergence",
            Self::WriteOrder => "overtaken write",
            Self::Other => "dependency cycle",
        }
    }

    /// Its meaning, in one sentence.
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::LostUpdate => {
                "both transactions read the old value and write a new one, and one of the updates is lost"
            }
            Self::WriteSkew => "each reads what the other one writes, and neither sees the other's write",
            Self::LongFork => "two observers see two writes in different orders",
            Self::Divergence => {
                "two transactions that know nothing of each other write the same variable, and replicas may keep the writes in \
                 different orders for ever; no read needs to return a wrong value for that"
            }
            Self::WriteOrder => "a write counts as newer than one that it has not seen, which then came too late",
            Self::Other => "each transaction must come before the next one, and the last before the first",
        }
    }
}

/// The name of a transaction of a run, such as `client[1].withdraw`.
pub fn title(program: &Program, witness: &Witness, run: usize) -> String {
    let ran = &witness.runs[run];
    let name = format!("{}.{}", program.processes[ran.process].name, program.transactions[ran.transaction].name);
    let same = |other: &usize| {
        let other = &witness.runs[*other];
        (other.process, other.transaction) == (ran.process, ran.transaction)
    };
    match (0..witness.runs.len()).filter(same).count() {
        1 => name,
        // A loop runs the same transaction several times.
        _ => format!("{name}#{}", (0..=run).filter(same).count()),
    }
}

/// The run as a table: one column per session, time goes down.
pub fn columns(program: &Program, witness: &Witness) -> String {
    let mut sessions: Vec<usize> = witness.runs.iter().map(|run| run.process).collect();
    sessions.sort_unstable();
    sessions.dedup();
    let names: Vec<(usize, &str)> = sessions.iter().map(|&one| (one, &*program.processes[one].name)).collect();
    table(&names, &rows(program, witness))
}

/// A table with a column for each session (number and name). Every row belongs to one session.
pub fn table(sessions: &[(usize, &str)], rows: &[(usize, String)]) -> String {
    let width = |(session, name): &(usize, &str)| {
        let cells = rows.iter().filter(|(process, _)| process == session).map(|(_, text)| text.chars().count());
        cells.chain([name.chars().count()]).max().unwrap_or(0)
    };
    let widths: Vec<usize> = sessions.iter().map(width).collect();
    let mut text = String::new();
    let mut line = |cells: Vec<String>| {
        let padded: Vec<String> = cells.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
        let _ = writeln!(text, "{}", padded.join(" | ").trim_end());
    };
    line(sessions.iter().map(|(_, name)| (*name).to_owned()).collect());
    line(widths.iter().map(|&width| "-".repeat(width)).collect());
    for (process, cell) in rows {
        let cell_of = |(session, _): &(usize, &str)| if session == process { cell.clone() } else { String::new() };
        line(sessions.iter().map(cell_of).collect());
    }
    text
}

/// The lines of the table, each with its session.
fn rows(program: &Program, witness: &Witness) -> Vec<(usize, String)> {
    let mut rows = Vec::new();
    let split = witness.model == ProgramModel::Si;
    for ran in &witness.runs {
        let first = split && ran.role == Role::First;
        rows.push((ran.process, format!("begin {}", program.transactions[ran.transaction].name)));
        let kept: Vec<&Access> = ran.accesses.iter().filter(|access| !(first && access.write)).collect();
        rows.extend(kept.iter().map(|access| (ran.process, accessed(program, access))));
        rows.push((ran.process, ending(witness.model, ran.role).to_owned()));
    }
    if let Some(ran) = witness.runs.iter().find(|ran| split && ran.role == Role::First) {
        let writes = ran.accesses.iter().filter(|access| access.write);
        rows.extend(writes.map(|access| (ran.process, accessed(program, access))));
        rows.push((ran.process, "commit".to_owned()));
    }
    rows
}

fn accessed(program: &Program, access: &Access) -> String {
    let name = &program.variables[access.variable].name;
    if access.write {
        return format!("  write {name} := {}", access.value);
    }
    format!("  read {name} = {}", access.value)
}

fn ending(model: ProgramModel, role: Role) -> &'static str {
    match role {
        Role::First if model == ProgramModel::Si => "  ... (not committed yet)",
        Role::First | Role::Delayed => "commit (others do not see it yet)",
        _ => "commit",
    }
}

/// Why an edge of the cycle orders its two transactions.
pub fn reason(program: &Program, witness: &Witness, edge: &Edge) -> String {
    let (from, to) = (title(program, witness, edge.from), title(program, witness, edge.to));
    let name = |variable: usize| &program.variables[variable].name;
    match edge.kind {
        EdgeKind::Session => format!("{from} comes before {to}: the same session runs them in this order"),
        EdgeKind::Reads(variable) => format!("{from} comes before {to}: the latter reads its `{}`", name(variable)),
        EdgeKind::Overwrites(variable) => {
            format!("{from} comes before {to}: the latter overwrites its `{}`", name(variable))
        }
        EdgeKind::ReadsBefore(variable) => {
            let read =
                witness.runs[edge.from].accesses.iter().find(|access| !access.write && access.variable == variable);
            let value = read.map_or_else(String::new, |access| format!(" = {}", access.value));
            format!("{from} comes before {to}: it reads `{}`{value}, which the latter overwrites", name(variable))
        }
    }
}

/// The serial orders that the witness contradicts, in a sentence.
pub fn contradiction(program: &Program, witness: &Witness) -> String {
    let mut names: Vec<String> = witness.cycle.iter().map(|edge| title(program, witness, edge.from)).collect();
    names.extend(names.first().cloned());
    format!("in a serial order {}, which is impossible", names.join(" would come before "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Subject, Verdict, decide, parse};
    use steadfast_explore::{Budget, Limits};
    use steadfast_span::SourceFile;

    fn witness(text: &str, model: ProgramModel) -> (Program, Witness) {
        let Some(Subject::Program(program)) = parse(&SourceFile::new("t", text)).subject else { panic!() };
        match decide(&program, model, &Budget::new(Limits::default(), None, None)).verdict {
            Verdict::NotRobust(witness) => (program, *witness),
            other => panic!("{other:?}"),
        }
    }

    fn anomaly(text: &str, model: ProgramModel) -> Anomaly {
        Anomaly::of(&witness(text, model).1)
    }

    #[test]
    fn anomalies_have_their_names() {
        let update = "shared x; process p[2] { txn { x := x + 1; } }";
        assert_eq!(anomaly(update, ProgramModel::Ccv), Anomaly::LostUpdate);
        let skew = "shared x, y; process p { txn { r := x; y := 1; } } process q { txn { r := y; x := 1; } }";
        assert_eq!(
            [ProgramModel::Ccv, ProgramModel::Cm, ProgramModel::Si].map(|model| anomaly(skew, model)),
            [Anomaly::WriteSkew; 3]
        );
        let fork = "shared x, y; process a { txn { x := 1; } } process b { txn { y := 1; } }
            process c { txn { r := x; s := y; } } process d { txn { r := y; s := x; } }";
        assert_eq!(anomaly(fork, ProgramModel::Ccv), Anomaly::LongFork);
        assert_eq!(anomaly("shared x; process p[2] { txn { x := 1; } }", ProgramModel::Cm), Anomaly::Divergence);
        let order =
            "shared x, y; process p { txn { x := 1; } txn { y := 1; } } process q { txn { y := 2; } txn { r := x; } }";
        assert_eq!(anomaly(order, ProgramModel::Ccv), Anomaly::WriteOrder);
    }

    #[test]
    fn the_table_has_a_column_per_session() {
        let text = "shared x, y; process p { txn a { r := x; y := 1; } } process q { txn b { r := y; x := 1; } }";
        let (program, witness) = witness(text, ProgramModel::Si);
        let expected = "\
p                         | q
------------------------- | --------------
begin a                   |
  read x = 0              |
  ... (not committed yet) |
                          | begin b
                          |   read y = 0
                          |   write x := 1
                          | commit
  write y := 1            |
commit                    |
";
        assert_eq!(columns(&program, &witness), expected);
        let reasons: Vec<String> = witness.cycle.iter().map(|edge| reason(&program, &witness, edge)).collect();
        assert_eq!(reasons[0], "p.a comes before q.b: it reads `x` = 0, which the latter overwrites");
        assert!(contradiction(&program, &witness).starts_with("in a serial order p.a would come before q.b"));
    }
}
