//! Reads transactions in SQL, and turns them into templates, which `steadfast-txn` decides.
//!
//! An application is a schema and one file per transaction. A transaction is a list of prepared statements with named parameters (`:name`), `IF … THEN …
//! ELSE … END IF`, and `FOR … LOOP … END LOOP`. Every statement becomes accesses to rows by key, with the attributes that are read and written, or
//! to all rows of a table if a condition selects them. Branches become several templates with the same name; a loop becomes no, one or two rounds.
//!
//! Guarantee: the templates allow everything that the SQL can do, provided that rows given by their key exist and statements are atomic. Two rounds
//! of a loop suffice, because a split schedule uses at most two operations of a transaction. A statement that is not supported is an error with its place; nothing is dropped.
//!
//! ```
//! use steadfast_span::SourceFile;
//! let schema = SourceFile::new("schema.sql", "CREATE TABLE account (id int PRIMARY KEY, balance int);");
//! let deposit = SourceFile::new("deposit.sql", "UPDATE account SET balance = balance + :v WHERE id = :id;");
//! let application = steadfast_sql::read(&[schema, deposit]);
//! assert_eq!(application.templates[0].name, "deposit");
//! assert_eq!(application.templates[0].parameters, ["id"]);
//! ```
//!
//! Invariants: nothing here prints or opens files; the order of templates is that of the files.

#![allow(clippy::doc_markdown, reason = "PostgreSQL is a name, not code")]
#![allow(clippy::unnecessary_box_returns, reason = "a problem is boxed because results carry it")]

mod accesses;
mod blocks;
mod clauses;
pub mod codes;
mod conditions;
mod expressions;
mod places;
mod schema;
mod statements;
mod unfold;

pub use schema::{Column, Schema, Table};
pub use unfold::MOST_WAYS;

use blocks::Item;
use places::Places;
use steadfast_diag::Diagnostic;
use steadfast_span::{SourceFile, Span};
use steadfast_txn::Expectation;
use steadfast_txn::template::Template;

/// An application in SQL.
#[derive(Clone, Debug, Default)]
pub struct Application {
    /// The tables.
    pub schema: Schema,
    /// The transactions. Several templates with the same name are ways through the same transaction.
    pub templates: Vec<Template>,
    /// By template and operation, the statement that it belongs to.
    pub origins: Vec<Vec<usize>>,
    /// By template, its statements in order: the text without `INTO`, and the parameters in it that are parts of keys, with the numbers of the template's
    /// parameters.
    pub statements: Vec<Vec<Prepared>>,
    /// The literals in keys, as in the text.
    pub constants: Vec<String>,
    /// The statements of the schema that fill tables.
    pub data: Vec<String>,
    /// The expected verdicts, from comments such as `-- expect(robust, model = si)`.
    pub expectations: Vec<Expectation>,
    /// The errors, each with the number of its file. There are templates only if there are no errors.
    pub problems: Vec<(usize, Diagnostic)>,
}

/// A statement of one way through a transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prepared {
    /// The text, without `INTO`.
    pub text: String,
    /// The variables that receive the values of the first row.
    pub into: Vec<String>,
    /// Its place in the file of the template.
    pub span: Span,
    /// The variables in keys: the name, and the parameter of the template.
    pub keys: Vec<(String, usize)>,
}

/// The transaction in a file.
pub(crate) struct Body {
    pub(crate) name: String,
    pub(crate) file: usize,
    pub(crate) items: Vec<Item>,
}

/// A result, or an error with its place.
pub(crate) type Read<T> = Result<T, Box<Diagnostic>>;

/// Reads the files of an application. Any file may create tables. The other statements of a file are a transaction, which has the name of the file.
pub fn read(files: &[SourceFile]) -> Application {
    let mut application = Application::default();
    let mut bodies = Vec::new();
    for (number, file) in files.iter().enumerate() {
        match blocks::read(&Places::new(file)) {
            Ok(items) => bodies.push(Body { name: transaction_name(file.name()), file: number, items }),
            Err(problem) => application.problems.push((number, *problem)),
        }
        expectations(file, number, &mut application);
    }
    for body in &mut bodies {
        let result = schema::take(&mut application.schema, &mut application.data, &mut body.items, body.file);
        application.problems.extend(result.into_iter().map(|problem| (body.file, problem)));
    }
    bodies.retain(|body| !body.items.is_empty());
    if application.problems.is_empty() {
        application.problems.extend(application.schema.link());
    }
    if application.problems.is_empty() {
        unfold::unfold(files, &bodies, &mut application);
    }
    if application.problems.is_empty() && application.templates.is_empty() {
        let problem = Diagnostic::error(codes::NOTHING, "there is no transaction");
        application.problems.push((0, problem.help("put the statements of each transaction into a file of its own")));
    }
    if !application.problems.is_empty() {
        application.templates.clear();
    }
    application
}

/// The name of a file without its directory and extension.
fn transaction_name(path: &str) -> String {
    let file = path.rsplit(['/', '\\']).next().unwrap_or(path);
    file.strip_suffix(".sql").unwrap_or(file).to_owned()
}

/// Lines such as `-- expect(not_robust, model = rc)`.
fn expectations(file: &SourceFile, number: usize, application: &mut Application) {
    let mut start = 0;
    for line in file.text().split_inclusive('\n') {
        let text = line.trim();
        let span = Span::new(start as u32, (start + line.trim_end().len()) as u32);
        start += line.len();
        let Some(inside) = text.strip_prefix("-- expect(").and_then(|rest| rest.strip_suffix(')')) else { continue };
        let words: Vec<&str> = inside.split([',', '=']).map(str::trim).collect();
        let parsed = match words[..] {
            ["robust", "model", model] => model.parse().ok().map(|model| (true, model)),
            ["not_robust", "model", model] => model.parse().ok().map(|model| (false, model)),
            _ => None,
        };
        if let Some((robust, model)) = parsed {
            application.expectations.push(Expectation { robust, model, span });
            continue;
        }
        let problem = Diagnostic::error(codes::EXPECTATION, "this expectation cannot be read").at(span, "here");
        let help = "write `-- expect(robust, model = si)` or `-- expect(not_robust, model = rc)`";
        application.problems.push((number, problem.help(help)));
    }
}

#[cfg(test)]
mod tests;
