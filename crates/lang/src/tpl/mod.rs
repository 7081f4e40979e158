//! Rocker's TPL: text to tokens ([`token`]), tokens to a syntax tree ([`parser`] and the files with its rules), the tree to a program ([`lower`]).
//!
//! Each pass reports errors and passes on the rest, so that a text with a syntax error is still checked for unknown names.

mod ast;
mod declarations;
mod expectations;
mod expressions;
mod lower;
mod names;
mod operations;
mod parser;
mod sites;
mod statements;
mod thread;
mod token;

use crate::support;
use crate::{Parsed, codes};
use parser::Parser;
use steadfast_diag::{Diagnostic, Diagnostics};
use steadfast_span::{SourceFile, Span};

/// Reads a TPL program.
pub(crate) fn parse(file: &SourceFile) -> Parsed {
    let mut diagnostics = Diagnostics::new(codes::TOO_MANY_ERRORS);
    let expectations = expectations::expectations(file.text(), &mut diagnostics);
    let tokens = token::tokens(file.text(), &mut diagnostics);
    let tree = Parser::new(file.text(), tokens, &mut diagnostics).file();
    let program = lower::lower(&tree, support::program_name(file), &mut diagnostics);
    if tree.threads.is_empty() && !diagnostics.has_errors() {
        diagnostics.push(no_threads(file.text()));
    }
    let program = (!diagnostics.has_errors()).then_some(program);
    Parsed { program, expectations, diagnostics: diagnostics.finish() }
}

/// The places where the program could be changed.
pub(crate) fn sites(file: &SourceFile) -> Vec<crate::Site> {
    let mut diagnostics = Diagnostics::new(codes::TOO_MANY_ERRORS);
    let tokens = token::tokens(file.text(), &mut diagnostics);
    let tree = Parser::new(file.text(), tokens, &mut diagnostics).file();
    sites::sites(file.text(), &tree)
}

fn no_threads(text: &str) -> Diagnostic {
    let message = if text.trim().is_empty() { "the file is empty" } else { "the program has no thread" };
    let end = text.len() as u32;
    let problem = Diagnostic::error(codes::NO_THREADS, message).at(Span::new(end, end), "expected a thread");
    problem.help("a thread is written `fn name { … }`")
}
