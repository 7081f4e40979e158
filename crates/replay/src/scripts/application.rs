//! Scripts for applications in SQL: with their own statements, and with rows that fit.

use super::begin;
use crate::variables::{filled, quoted};
use crate::{Event, Script, Session};
use std::collections::BTreeMap;
use steadfast_sql::{Application, Column};
use steadfast_txn::VarSet;
use steadfast_txn::template::split_text::call;
use steadfast_txn::template::{CONSTANTS, Instance, Kind, Level, Operation, Part, Split};

/// The reads that must lock: the name of the transaction, and the place of the statement.
pub type Locked = Vec<(String, steadfast_span::Span)>;

/// The script for a split schedule. `set` gives the values of parameters that are in no key; the others are 1.
pub fn of_application(
    application: &Application,
    split: &Split,
    level: Level,
    locked: &Locked,
    set: &BTreeMap<String, String>,
) -> Script {
    let mut script = Script::default();
    script.setup.extend(application.schema.tables.iter().map(|table| table.text.clone()));
    // Foreign keys are not checked, so rows can be inserted in any order.
    script.setup.push("SET session_replication_role = replica".to_owned());
    if application.data.is_empty() {
        script.setup.extend(rows(application, split));
    } else {
        script.setup.extend(application.data.iter().cloned());
    }
    script.setup.push("SET session_replication_role = origin".to_owned());
    let instances: Vec<&Instance> = split.instances().collect();
    for instance in &instances {
        let name = call(&application.templates, instance, &application.constants);
        script.sessions.push(Session { name, variables: defaults(application, instance, set) });
    }
    let pause = application.origins[split.first.template][split.pause];
    let count = |session: usize| application.statements[instances[session].template].len();
    let mut order: Vec<(usize, usize)> = (0..=pause).map(|at| (0, at)).collect();
    for session in 1..instances.len() {
        order.extend((0..=count(session)).map(|at| (session, at)));
    }
    order.extend((pause + 1..=count(0)).map(|at| (0, at)));
    for (session, at) in order {
        if at == 0 {
            script.events.push(Event::plain(session, begin(level)));
        }
        script.events.push(event(application, instances[session], session, at, locked, set));
    }
    script
}

/// A statement of a transaction, or its commit after the last statement.
fn event(
    application: &Application,
    instance: &Instance,
    session: usize,
    at: usize,
    locked: &Locked,
    set: &BTreeMap<String, String>,
) -> Event {
    let Some(statement) = application.statements[instance.template].get(at) else {
        return Event::plain(session, "COMMIT");
    };
    let template = &application.templates[instance.template];
    let mut text = statement.text.clone();
    if locked.iter().any(|(name, span)| *name == template.name && *span == statement.span) {
        text.push_str(" FOR UPDATE");
    }
    // If we insert the rows, keys have the values of the schedule; with the user's rows, they have the values that were read before.
    let known = |name: &String| {
        set.contains_key(name) || (!application.data.is_empty() && assigned(application, instance, at, name))
    };
    let given = statement.keys.iter().filter(|(name, _)| !known(name)).map(|(name, parameter)| {
        (
            name.clone(),
            value(instance.arguments[*parameter], &kind_of(application, instance, *parameter), &application.constants),
        )
    });
    Event { session, text, given: given.collect(), into: statement.into.clone(), expected: None }
}

fn assigned(application: &Application, instance: &Instance, before: usize, name: &String) -> bool {
    application.statements[instance.template][..before].iter().any(|statement| statement.into.contains(name))
}

/// All variables of a transaction, with the user's values or 1.
fn defaults(
    application: &Application,
    instance: &Instance,
    set: &BTreeMap<String, String>,
) -> BTreeMap<String, Option<String>> {
    let mut found = BTreeMap::new();
    for statement in &application.statements[instance.template] {
        filled(&statement.text, |name| {
            let value = set.get(name).cloned().unwrap_or_else(|| "1".to_owned());
            found.insert(name.to_owned(), Some(value));
            None
        });
    }
    found
}

/// The type of the column for which a parameter is a key.
fn kind_of(application: &Application, instance: &Instance, parameter: usize) -> String {
    let template = &application.templates[instance.template];
    let places = template.operations.iter().flat_map(|operation| {
        let table = &application.schema.tables[operation.table];
        operation.key.iter().zip(&table.key).map(|(part, &column)| (part, &table.columns[column].kind))
    });
    let mut found = places.filter(|(part, _)| **part == Part::Parameter(parameter));
    found.next().map_or_else(|| "int".to_owned(), |(_, kind)| kind.clone())
}

/// A value of the schedule as a value of a column.
fn value(value: u8, kind: &str, constants: &[String]) -> String {
    if let Some(number) = value.checked_sub(CONSTANTS) {
        let literal = constants.get(usize::from(number)).cloned().unwrap_or_default();
        return literal.trim_matches('\'').replace("''", "'");
    }
    match family(kind) {
        Family::Text => char::from(b'A' + value % 26).to_string(),
        Family::Uuid => format!("00000000-0000-0000-0000-{:012}", value + 1),
        Family::Time => format!("2020-01-{:02}", value % 28 + 1),
        Family::Bool => "false".to_owned(),
        Family::Whole | Family::Number => (value + 1).to_string(),
    }
}

enum Family {
    Whole,
    Number,
    Text,
    Bool,
    Time,
    Uuid,
}

fn family(kind: &str) -> Family {
    let is = |words: &[&str]| words.iter().any(|word| kind.contains(word));
    match () {
        () if is(&["int", "serial"]) && !is(&["interval"]) => Family::Whole,
        () if is(&["numeric", "decimal", "real", "double", "float", "money"]) => Family::Number,
        () if is(&["bool"]) => Family::Bool,
        () if is(&["date", "time"]) => Family::Time,
        () if is(&["uuid"]) => Family::Uuid,
        () => Family::Text,
    }
}

/// A row, by table and key, with the known values of its other columns.
struct Row {
    table: usize,
    key: Vec<u8>,
    known: Vec<(usize, u8)>,
    /// Whether a transaction of the schedule inserts it.
    inserted: bool,
}

/// The rows of the schedule.
fn rows(application: &Application, split: &Split) -> Vec<String> {
    let mut rows: Vec<Row> = Vec::new();
    for instance in split.instances() {
        let template = &application.templates[instance.template];
        for (operation, step) in template.operations.iter().zip(&instance.steps) {
            let key: Option<Vec<u8>> = step.object.key.iter().copied().collect();
            let Some(key) = key else { continue };
            if !rows.iter().any(|row| row.table == step.object.table && row.key == key) {
                rows.push(Row { table: step.object.table, key, known: Vec::new(), inserted: is_insert(operation) });
            }
        }
        for dependency in &template.dependencies {
            let (table, column) = (dependency.function / VarSet::CAPACITY, dependency.function % VarSet::CAPACITY);
            let part = |part: &Part| match part {
                Part::Parameter(at) => instance.arguments[*at],
                Part::Constant(number) => CONSTANTS + number,
                Part::Any => 0,
            };
            let key: Vec<u8> = dependency.arguments.iter().map(part).collect();
            if let Some(row) = rows.iter_mut().find(|row| row.table == table && row.key == key) {
                row.known.push((column, instance.arguments[dependency.result]));
            }
        }
    }
    rows.iter().filter(|row| !row.inserted).map(|row| insert(application, row)).collect()
}

fn is_insert(operation: &Operation) -> bool {
    operation.kind == Kind::Write && operation.reads.is_empty() && operation.writes.contains(VarSet::CAPACITY - 1)
}

fn insert(application: &Application, row: &Row) -> String {
    let table = &application.schema.tables[row.table];
    let cell = |(number, column): (usize, &Column)| {
        let key = table.key.iter().position(|&key| key == number).map(|at| row.key[at]);
        let known = row.known.iter().find(|(column, _)| *column == number).map(|(_, value)| *value);
        let text = match (key.or(known), family(&column.kind)) {
            (None, Family::Number) => "100".to_owned(),
            (given, _) => value(given.or(row.key.first().copied()).unwrap_or(0), &column.kind, &application.constants),
        };
        quoted(Some(&text))
    };
    let cells: Vec<String> = table.columns.iter().enumerate().map(cell).collect();
    let name = table.name.replace('"', "");
    format!("INSERT INTO \"{name}\" VALUES ({})", cells.join(", "))
}
