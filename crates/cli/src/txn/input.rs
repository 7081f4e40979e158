//! What a command is about: a file in the language of transactions, or an application in SQL.

use crate::guard::guarded;
use crate::reporter::Reporter;
use crate::{codes, input};
use std::io;
use std::path::{Path, PathBuf};
use steadfast_diag::Diagnostic;
use steadfast_span::{SourceFile, Span};
use steadfast_sql::Application;
use steadfast_txn::template::Template;
use steadfast_txn::{Expectation, Subject};

/// An input with everything that is wrong with it.
pub(super) struct Input {
    /// What the user called it.
    pub(super) name: String,
    /// Its files; there is at least one.
    pub(super) files: Vec<SourceFile>,
    /// What it describes; nothing if there are problems.
    pub(super) subject: Option<Subject>,
    pub(super) expectations: Vec<Expectation>,
    /// What is wrong, with the number of the file.
    pub(super) problems: Vec<(usize, Diagnostic)>,
    /// The application, if it is SQL.
    pub(super) sql: Option<Application>,
}

impl Input {
    /// Reads a file, or all SQL of a directory.
    pub(super) fn read(path: &Path) -> Self {
        if path.is_dir() {
            return Self::directory(path);
        }
        if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("sql")) {
            return Self::sql(path.display().to_string(), std::slice::from_ref(&path.to_owned()));
        }
        let (name, text) = input::text(path);
        let file = SourceFile::new(name.clone(), text.as_deref().unwrap_or_default());
        let (subject, expectations, problems) = match text {
            Ok(_) => match guarded("reading the program", &name, || steadfast_txn::parse(&file)) {
                Ok(parsed) => (parsed.subject, parsed.expectations, parsed.diagnostics),
                Err(problem) => (None, Vec::new(), vec![problem]),
            },
            Err(problem) => (None, Vec::new(), vec![problem]),
        };
        let problems = problems.into_iter().map(|problem| (0, problem)).collect();
        Self { name, files: vec![file], subject, expectations, problems, sql: None }
    }

    fn directory(path: &Path) -> Self {
        let name = path.display().to_string();
        let entries = match std::fs::read_dir(path) {
            Ok(entries) => entries.filter_map(Result::ok).map(|entry| entry.path()),
            Err(error) => {
                let problem = Diagnostic::error(codes::UNREADABLE, format!("cannot read the directory: {error}"));
                return Self::rejected(name, problem);
            }
        };
        let is_sql = |path: &PathBuf| path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("sql"));
        let mut files: Vec<PathBuf> = entries.filter(is_sql).collect();
        // The schema comes first, so that numbers of tables do not depend on names of transactions.
        files.sort_by_key(|file| (file.file_stem().is_none_or(|stem| stem != "schema"), file.clone()));
        if files.is_empty() {
            let problem = Diagnostic::error(codes::DIRECTORY, "this is a directory without SQL");
            return Self::rejected(name, problem.help("put `schema.sql` and one file per transaction into it"));
        }
        Self::sql(name, &files)
    }

    fn rejected(name: String, problem: Diagnostic) -> Self {
        let files = vec![SourceFile::new(name.clone(), "")];
        Self { name, files, subject: None, expectations: Vec::new(), problems: vec![(0, problem)], sql: None }
    }

    fn sql(name: String, paths: &[PathBuf]) -> Self {
        let (mut files, mut problems) = (Vec::new(), Vec::new());
        for (number, path) in paths.iter().enumerate() {
            let (name, text) = input::text(path);
            files.push(SourceFile::new(name, text.as_deref().unwrap_or_default()));
            problems.extend(text.err().map(|problem| (number, problem)));
        }
        let read = || if problems.is_empty() { steadfast_sql::read(&files) } else { Application::default() };
        let mut application = guarded("reading the SQL", &name, read)
            .unwrap_or_else(|problem| Application { problems: vec![(0, problem)], ..Application::default() });
        problems.append(&mut application.problems);
        let subject = problems.is_empty().then(|| Subject::Templates(application.templates.clone()));
        let expectations = application.expectations.clone();
        Self { name, files, subject, expectations, problems, sql: Some(application) }
    }

    /// Says what is wrong.
    pub(super) fn reject(&self, reporter: &mut Reporter<'_>) -> io::Result<()> {
        reporter.reject(self.problems.iter().map(|(file, problem)| (&self.files[*file], problem)).collect())
    }

    /// The name of the table that an operation is about.
    pub(super) fn table(&self, template: &Template, operation: usize) -> &str {
        let operation = &template.operations[operation];
        match &self.sql {
            Some(application) => &application.schema.tables[operation.table].name,
            None => self.snippet(template, operation.span),
        }
    }

    /// The text of a place in a template.
    pub(super) fn snippet(&self, template: &Template, span: Span) -> &str {
        self.files[template.file].snippet(span)
    }

    /// The literals that are constants of keys.
    pub(super) fn constants(&self) -> &[String] {
        self.sql.as_ref().map_or(&[], |application| &application.constants)
    }
}
