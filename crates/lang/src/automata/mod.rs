//! The automata format of Trencher and Persist: text to words ([`words`]), words to a syntax tree ([`parser`]), the tree to a program ([`lower`]).
//!
//! A thread is an automaton whose transitions read, write, compute or check; several transitions may leave a state. Values and addresses are unbounded
//! numbers. So the values that can occur are computed first ([`values`]), and then encoded as bytes ([`encoding`]). A run that leaves the represented values ends in an
//! [`steadfast_ir::Instr::Bound`], so that no verdict depends on it.
//!
//! The format comes with *Checking and Enforcing Robustness against TSO* (Bouajjani, Derevenetc and Meyer, ESOP 2013).

mod ast;
pub(crate) mod codes;
mod encoding;
mod expectations;
mod lower;
mod numbers;
mod parser;
mod sections;
mod sites;
mod threads;
mod values;
mod words;

use crate::support;
use crate::{Parsed, codes as shared};
use parser::Parser;
use steadfast_diag::{Diagnostic, Diagnostics};
use steadfast_span::{SourceFile, Span};

/// Reads a program of automata.
pub(crate) fn parse(file: &SourceFile) -> Parsed {
    let mut diagnostics = Diagnostics::new(crate::codes::TOO_MANY_ERRORS);
    let expectations = expectations::expectations(file.text(), &mut diagnostics);
    let tree = Parser::new(file.text(), words::words(file.text()), &mut diagnostics).file();
    if tree.threads.is_empty() && !diagnostics.has_errors() {
        let end = file.text().len() as u32;
        let problem = Diagnostic::error(shared::NO_THREADS, "the program has no thread");
        let problem = problem.at(Span::new(end, end), "expected a thread");
        diagnostics.push(problem.help("a thread is written `thread NAME`, `initial STATE`, transitions, `end`"));
    }
    let program = if diagnostics.has_errors() {
        None
    } else {
        lower::lower(&tree, support::program_name(file), &mut diagnostics)
    };
    Parsed { program, expectations, diagnostics: diagnostics.finish() }
}

/// The places where the program could be changed.
pub(crate) fn sites(file: &SourceFile) -> Vec<crate::Site> {
    let mut diagnostics = Diagnostics::new(crate::codes::TOO_MANY_ERRORS);
    let tree = Parser::new(file.text(), words::words(file.text()), &mut diagnostics).file();
    sites::sites(file.text(), &tree)
}
