//! The text format `.txn`: transactional programs, and templates, for people to read and write. `docs/transactions.md` describes it.
//!
//! Guarantee: any text gives a program or at least one error with a span, in time linear in the text and in what its `for` loops unroll to,
//! without a panic and without deep recursion.

mod ast;
pub mod codes;
mod expressions;
mod lower;
mod parser;
mod templates;
mod token;

pub use lower::{MAX_INSTRUCTIONS, MAX_PROCESSES};

use crate::model::Model;
use crate::program::Program;
use crate::template::Template;
use steadfast_diag::{Diagnostic, Diagnostics, suggest};
use steadfast_span::{SourceFile, Span};

/// What a text means, and everything that is wrong with it.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// What is to be checked; present iff there are no diagnostics.
    pub subject: Option<Subject>,
    /// The verdicts that the text promises.
    pub expectations: Vec<Expectation>,
    /// The errors, in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
}

/// What a file describes.
#[derive(Clone, Debug)]
pub enum Subject {
    /// Processes.
    Program(Program),
    /// Templates, of which any number of instances may run.
    Templates(Vec<Template>),
}

/// A verdict that a text promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expectation {
    /// Whether the program should be robust.
    pub robust: bool,
    /// Against which model.
    pub model: Model,
    /// Where it is written.
    pub span: Span,
}

/// Reads a file.
pub fn parse(file: &SourceFile) -> Parsed {
    let mut problems = Diagnostics::new(codes::TOO_MANY_ERRORS);
    let tokens = token::tokens(file.text(), &mut problems);
    let tree = parser::Parser::new(file.text(), &tokens, &mut problems).file();
    let expectations = expectations(&tree, &mut problems);
    let subject = subject(&tree, &mut problems);
    let subject = Some(subject).filter(|_| !problems.has_errors());
    Parsed { subject, expectations, diagnostics: problems.finish() }
}

fn subject(tree: &ast::File, problems: &mut Diagnostics) -> Subject {
    match (tree.processes.first(), tree.templates.first()) {
        (Some(process), Some(template)) => {
            let problem = Diagnostic::error(codes::MIXED, "a file has either processes or templates");
            problems.push(problem.at(template.name.span, "a template").context(process.name.span, "a process"));
        }
        (None, None) if !problems.has_errors() => {
            let problem = Diagnostic::error(codes::EMPTY, "the file has neither a process nor a template");
            problems.push(problem.at(Span::default(), "nothing to check"));
        }
        (None, Some(_)) => return Subject::Templates(templates::lower(tree, problems)),
        _ => {}
    }
    Subject::Program(lower::lower(tree, problems))
}

fn expectations(tree: &ast::File, problems: &mut Diagnostics) -> Vec<Expectation> {
    let mut found = Vec::new();
    for item in &tree.expectations {
        let robust = match &*item.verdict.text {
            "robust" => true,
            "not_robust" => false,
            other => {
                let problem = Diagnostic::error(codes::BAD_EXPECTATION, format!("there is no verdict `{other}`"));
                let problem = problem.at(item.verdict.span, "expected `robust` or `not_robust`");
                problems.push(suggest(problem, other, ["robust", "not_robust"]));
                continue;
            }
        };
        match item.model.text.parse() {
            Ok(model) => found.push(Expectation { robust, model, span: item.verdict.span.to(item.model.span) }),
            Err(unknown) => {
                let problem = Diagnostic::error(codes::BAD_EXPECTATION, format!("{unknown}"));
                problems.push(problem.at(item.model.span, "unknown model"));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests;
