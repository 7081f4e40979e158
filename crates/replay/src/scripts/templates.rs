//! Scripts for templates without SQL: with generated tables and statements.

use super::begin;
use crate::{Event, Script, Session};
use steadfast_txn::VarSet;
use steadfast_txn::template::split_text::call;
use steadfast_txn::template::{Kind, Level, Split, Template};

/// The script for a split schedule. `table` gives the name of the table of an operation of a template.
pub fn of_templates<'a>(
    templates: &[Template],
    split: &Split,
    level: Level,
    table: impl Fn(&Template, usize) -> &'a str,
) -> Script {
    let mut script = Script::default();
    let mut tables: Vec<(usize, String)> = Vec::new();
    let mut rows: Vec<String> = Vec::new();
    let all: VarSet = templates
        .iter()
        .flat_map(|template| &template.operations)
        .fold(VarSet::EMPTY, |all, operation| all.union(operation.reads).union(operation.writes));
    let attributes: Vec<String> = all.iter().map(|at| format!("a{at}")).collect();
    for instance in split.instances() {
        let template = &templates[instance.template];
        script.sessions.push(Session { name: call(templates, instance, &[]), ..Session::default() });
        for (at, step) in instance.steps.iter().enumerate() {
            let name = identifier(table(template, at));
            if !tables.iter().any(|(number, _)| *number == step.object.table) {
                tables.push((step.object.table, name.clone()));
                let keys: Vec<String> = (0..step.object.key.len()).map(|key| format!("k{key} int")).collect();
                let columns: Vec<String> =
                    attributes.iter().map(|attribute| format!("{attribute} int DEFAULT 100")).collect();
                let names: Vec<String> = (0..step.object.key.len()).map(|key| format!("k{key}")).collect();
                script.setup.push(format!(
                    "CREATE TABLE {name} ({}, PRIMARY KEY ({}))",
                    [keys, columns].concat().join(", "),
                    names.join(", ")
                ));
            }
            let names: Vec<String> = (0..step.object.key.len()).map(|key| format!("k{key}")).collect();
            let values: Vec<String> = step.object.key.iter().flatten().map(u8::to_string).collect();
            let row = format!("INSERT INTO {name} ({}) VALUES ({})", names.join(", "), values.join(", "));
            if !rows.contains(&row) {
                rows.push(row);
            }
        }
    }
    script.setup.append(&mut rows);
    let instances: Vec<_> = split.instances().collect();
    let mut begun = vec![false; instances.len()];
    for (session, step) in split.order() {
        if !std::mem::replace(&mut begun[session], true) {
            script.events.push(Event::plain(session, begin(level)));
        }
        let text = step.map_or_else(
            || "COMMIT".to_owned(),
            |at| {
                let template = &templates[instances[session].template];
                let key = &instances[session].steps[at].object.key;
                statement(&template.operations[at], &identifier(table(template, at)), key)
            },
        );
        script.events.push(Event::plain(session, text));
    }
    script
}

fn statement(operation: &steadfast_txn::template::Operation, table: &str, key: &[Option<u8>]) -> String {
    let conditions: Vec<String> =
        key.iter().enumerate().filter_map(|(at, value)| value.map(|value| format!("k{at} = {value}"))).collect();
    let conditions = if conditions.is_empty() { "true".to_owned() } else { conditions.join(" AND ") };
    let listed = |set: VarSet| set.iter().map(|at| format!("a{at}")).collect::<Vec<_>>();
    let set = |value: &dyn Fn(&str) -> String| {
        listed(operation.writes).iter().map(|name| format!("{name} = {}", value(name))).collect::<Vec<_>>().join(", ")
    };
    match operation.kind {
        Kind::Read => format!("SELECT {} FROM {table} WHERE {conditions}", listed(operation.reads).join(", ")),
        Kind::Lock => {
            format!("SELECT {} FROM {table} WHERE {conditions} FOR UPDATE", listed(operation.reads).join(", "))
        }
        Kind::Write => format!("UPDATE {table} SET {} WHERE {conditions}", set(&|_| "7".to_owned())),
        Kind::Update => format!("UPDATE {table} SET {} WHERE {conditions}", set(&|name| format!("{name} + 1"))),
    }
}

fn identifier(name: &str) -> String {
    format!("\"{}\"", name.replace('"', ""))
}
