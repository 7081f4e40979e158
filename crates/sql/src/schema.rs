//! Tables, their keys and their foreign keys.

use crate::blocks::{Item, unsupported};
use crate::codes;
use sqlparser::ast::{
    ColumnOption, CreateTable, Expr, Ident, ObjectName, ReferentialAction, Statement, TableConstraint,
};
use steadfast_diag::Diagnostic;
use steadfast_span::Span;

/// The maximum number of columns: one bit is for the existence of the row.
const MOST_COLUMNS: usize = 62;

/// All tables.
#[derive(Clone, Debug, Default)]
pub struct Schema {
    /// The tables, in the order of the text.
    pub tables: Vec<Table>,
}

/// A table.
#[derive(Clone, Debug)]
pub struct Table {
    /// Its name, in lower case unless it was quoted.
    pub name: String,
    /// Its columns.
    pub columns: Vec<Column>,
    /// The numbers of the columns of the primary key.
    pub key: Vec<usize>,
    /// The foreign keys: columns, and the name of the other table.
    pub references: Vec<(Vec<usize>, String)>,
    /// The statement that creates it.
    pub text: String,
    /// Its place in the text.
    pub span: Span,
    file: usize,
}

/// A column.
#[derive(Clone, Debug)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// Its type, as in the text.
    pub kind: String,
}

impl Schema {
    /// The number of a table.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.tables.iter().position(|table| table.name == name)
    }

    /// Checks that the tables of foreign keys exist.
    pub(crate) fn link(&self) -> Option<(usize, Diagnostic)> {
        for table in &self.tables {
            for (_, other) in &table.references {
                if self.find(other).is_none() {
                    let problem = Diagnostic::error(codes::UNKNOWN, format!("there is no table `{other}`"));
                    return Some((table.file, problem.at(table.span, "it is referenced here")));
                }
            }
        }
        None
    }
}

impl Table {
    /// The number of a column.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.name == name)
    }
}

/// The name that the database uses: lower case unless it is quoted.
pub(crate) fn folded(name: &Ident) -> String {
    if name.quote_style.is_some() { name.value.clone() } else { name.value.to_lowercase() }
}

/// The last part of a name; a schema name before it is ignored.
pub(crate) fn table_name(name: &ObjectName) -> String {
    name.0.last().and_then(|part| part.as_ident()).map(folded).unwrap_or_default()
}

/// Moves the statements of the schema out of a file. In a file that creates tables, INSERTs are the initial data.
pub(crate) fn take(schema: &mut Schema, data: &mut Vec<String>, items: &mut Vec<Item>, file: usize) -> Vec<Diagnostic> {
    let mut problems = Vec::new();
    let only_schema = items
        .iter()
        .any(|item| matches!(item, Item::Statement(simple) if matches!(simple.statement, Statement::CreateTable(_))));
    let mut rest = Vec::new();
    for item in items.drain(..) {
        let Item::Statement(simple) = &item else {
            rest.push(item);
            continue;
        };
        match &simple.statement {
            Statement::CreateTable(create) => match table(create, &simple.text, simple.span, schema) {
                Ok(table) => schema.tables.push(Table { file, ..table }),
                Err(problem) => problems.push(*problem),
            },
            Statement::CreateIndex(_) => {}
            Statement::Insert(_) if only_schema => data.push(simple.text.clone()),
            _ => rest.push(item),
        }
    }
    *items = rest;
    problems
}

fn table(create: &CreateTable, text: &str, span: Span, schema: &Schema) -> Result<Table, Box<Diagnostic>> {
    let wrong = |message: String| Box::new(Diagnostic::error(codes::SCHEMA, message).at(span, "in this statement"));
    let name = table_name(&create.name);
    if let Some(first) = schema.find(&name) {
        return Err(Box::new(
            wrong(format!("`{name}` is created twice")).context(schema.tables[first].span, "first here"),
        ));
    }
    if create.query.is_some() || create.like.is_some() || create.inherits.is_some() || create.partition_of.is_some() {
        return Err(unsupported("a table that is made from another one", span));
    }
    let columns = create
        .columns
        .iter()
        .map(|column| Column { name: folded(&column.name), kind: column.data_type.to_string().to_lowercase() });
    let mut table = Table {
        name,
        columns: columns.collect(),
        key: Vec::new(),
        references: Vec::new(),
        text: text.to_owned(),
        span,
        file: 0,
    };
    if table.columns.len() > MOST_COLUMNS {
        return Err(wrong(format!("`{}` has more than {MOST_COLUMNS} columns", table.name)));
    }
    for (at, column) in create.columns.iter().enumerate() {
        for option in &column.options {
            option_of(&mut table, at, &option.option, span)?;
        }
    }
    for constraint in &create.constraints {
        match constraint {
            TableConstraint::PrimaryKey(key) => {
                let names: Option<Vec<String>> =
                    key.columns.iter().map(|column| simple_name(&column.column.expr)).collect();
                table.key = numbers(&table, &names.unwrap_or_default(), span)?;
            }
            TableConstraint::ForeignKey(key) => {
                refuse_actions(key.on_delete.as_ref(), key.on_update.as_ref(), span)?;
                let columns = numbers(&table, &key.columns.iter().map(folded).collect::<Vec<_>>(), span)?;
                table.references.push((columns, table_name(&key.foreign_table)));
            }
            TableConstraint::Unique(_) | TableConstraint::Check(_) => {}
            other => return Err(unsupported(&format!("the constraint `{other}`"), span)),
        }
    }
    if table.key.is_empty() {
        return Err(wrong(format!("`{}` has no primary key", table.name)));
    }
    Ok(table)
}

fn option_of(table: &mut Table, at: usize, option: &ColumnOption, span: Span) -> Result<(), Box<Diagnostic>> {
    match option {
        ColumnOption::PrimaryKey(_) => table.key = vec![at],
        ColumnOption::ForeignKey(key) => {
            refuse_actions(key.on_delete.as_ref(), key.on_update.as_ref(), span)?;
            table.references.push((vec![at], table_name(&key.foreign_table)));
        }
        ColumnOption::Generated { generation_expr: Some(_), .. } => {
            return Err(unsupported("a column that is computed from others", span));
        }
        ColumnOption::Null
        | ColumnOption::NotNull
        | ColumnOption::Default(_)
        | ColumnOption::Unique(_)
        | ColumnOption::Check(_)
        | ColumnOption::Collation(_)
        | ColumnOption::Comment(_)
        | ColumnOption::Generated { .. } => {}
        other => return Err(unsupported(&format!("`{other}`"), span)),
    }
    Ok(())
}

fn refuse_actions(
    delete: Option<&ReferentialAction>,
    update: Option<&ReferentialAction>,
    span: Span,
) -> Result<(), Box<Diagnostic>> {
    for action in [delete, update].into_iter().flatten() {
        if !matches!(action, ReferentialAction::NoAction | ReferentialAction::Restrict) {
            return Err(unsupported(&format!("the action {action} of a foreign key"), span));
        }
    }
    Ok(())
}

fn simple_name(expression: &Expr) -> Option<String> {
    if let Expr::Identifier(name) = expression { Some(folded(name)) } else { None }
}

fn numbers(table: &Table, names: &[String], span: Span) -> Result<Vec<usize>, Box<Diagnostic>> {
    let number = |name: &String| {
        table.column(name).ok_or_else(|| {
            let message = format!("`{}` has no column `{name}`", table.name);
            Box::new(Diagnostic::error(codes::UNKNOWN, message).at(span, "in this statement"))
        })
    };
    names.iter().map(number).collect()
}
