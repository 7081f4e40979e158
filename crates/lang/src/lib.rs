//! Turns program text into a [`steadfast_ir::Program`], or reports errors with their places.
//!
//! There are three languages, see [`Dialect`]: Steadfast's own (`.sf`, described in `docs/language.md`), the automata of Trencher and Persist
//! (`.aut`, described in `docs/automata.md`), and TPL (`.tpl`), the input
//! language of the tool Rocker that accompanies *Robustness against Release/Acquire Semantics* (Lahav and Margalit, PLDI 2019) and
//! *Verifying Observational Robustness against a C11-Style Memory Model* (Margalit and Lahav, POPL 2021).
//!
//! Guarantee: any text gives either a program that passes [`steadfast_ir::Program::validate`], or at least one error, in time linear in
//! the text up to constants, without a panic and without deep recursion. One run reports several independent errors.
//!
//! Deviations from Rocker's TPL, numbered:
//! 1. `track` is checked for names but has no effect, because the critical values are computed ([`steadfast_ir::values`]).
//! 2. What Rocker leaves to the C compiler is an error here: unknown names, missing labels, modes that do not fit.
//! 3. Accepted although Rocker lacks it: the operators `<<`, `>>` and `~`, `else if`, a single statement as a body, `/* … */`, `local`
//!    anywhere in a thread, and read-modify-writes whose result is not used.
//! 4. Supported with a warning, because it is surprising: `r = wait(x, v, w)` does not wait for `v`.
//!
//! ```
//! use steadfast_lang::{Dialect, parse};
//! use steadfast_span::SourceFile;
//!
//! let file = SourceFile::new("mp.tpl", "global x; fn writer { x.store(1, rel); } fn reader { local r; r = x.load(acq); }");
//! let parsed = parse(&file, Dialect::detect(file.name(), file.text()));
//! assert_eq!(parsed.program.unwrap().threads.len(), 2);
//!
//! let file = SourceFile::new("oops.tpl", "global counter; fn t { conter.store(1); }");
//! let parsed = parse(&file, Dialect::Tpl);
//! assert_eq!(parsed.diagnostics[0].helps, ["did you mean `counter`?"]);
//! ```
//!
//! Invariants: [`Parsed::program`] is present iff no diagnostic is an error; every span is inside the file; the same text always gives
//! the same diagnostics in the same order.

mod automata;
pub mod codes;
mod dialect;
mod expectation;
mod sf;
mod sites;
mod support;
mod tpl;

pub use dialect::Dialect;
pub use expectation::{Expectation, ExpectedVerdict};
pub use sf::parametric::{Array, Guess, Instance, LEAVES_INSTANCE, Template};
pub use sites::{Edit, Form, Site, Variant, apply, sites};
pub use steadfast_diag::MAX_DIAGNOSTICS;
pub use support::MAX_NESTING;

use sf::parametric::Reading;
use steadfast_diag::{Code, Diagnostic, Severity};
use steadfast_ir::Program;
use steadfast_span::{SourceFile, Span};

/// Longer files are rejected.
pub const MAX_INPUT_BYTES: usize = 8 << 20;

/// The meaning of a text, with all diagnostics.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The program; present iff no diagnostic is an error.
    pub program: Option<Program>,
    /// The verdicts that the text expects, even if the program has errors.
    pub expectations: Vec<Expectation>,
    /// Errors and warnings in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads a program.
pub fn parse(file: &SourceFile, dialect: Dialect) -> Parsed {
    if let Some(problem) = unreadable(file.text()) {
        return Parsed { program: None, expectations: Vec::new(), diagnostics: vec![problem] };
    }
    checked(match dialect {
        Dialect::Tpl => tpl::parse(file),
        Dialect::Steadfast => sf::parse(file),
        Dialect::Automata => automata::parse(file),
    })
}

/// Reads a template: a program for any number of threads, with unbounded integers. The program in the result cannot be run.
pub fn parse_template(file: &SourceFile) -> (Parsed, Option<Template>) {
    if let Some(problem) = unreadable(file.text()) {
        return (Parsed { program: None, expectations: Vec::new(), diagnostics: vec![problem] }, None);
    }
    sf::parse_as(file, Reading::Template)
}

/// Reads a finite instance of a template.
pub fn parse_instance(file: &SourceFile, instance: Instance) -> Parsed {
    checked(sf::parse_as(file, Reading::Instance(instance)).0)
}

/// Validates the result of a front end; an invalid program is an error of the tool.
fn checked(mut parsed: Parsed) -> Parsed {
    if parsed.diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error) {
        parsed.program = None;
    }
    if let Some(Err(problem)) = parsed.program.as_ref().map(Program::validate) {
        parsed.program = None;
        parsed
            .diagnostics
            .push(Diagnostic::error(codes::MALFORMED, problem.message).at(problem.span, "lowered from here"));
    }
    parsed
}

/// All codes that this crate can report: the code, a title, and a paragraph for `steadfast explain`.
pub fn all_codes() -> impl Iterator<Item = &'static (Code, &'static str, &'static str)> {
    codes::CODES.iter().chain(sf::codes::CODES).chain(automata::codes::CODES)
}

/// Why a text is rejected before lexing.
fn unreadable(text: &str) -> Option<Diagnostic> {
    if text.len() > MAX_INPUT_BYTES {
        let size = format!("the file has {} bytes, and at most {MAX_INPUT_BYTES} are read", text.len());
        return Some(Diagnostic::error(codes::TOO_LARGE, size).at(Span::default(), "this file is too large"));
    }
    let nul = text.find('\0')? as u32;
    let problem = Diagnostic::error(codes::BINARY, "the file contains a NUL byte").at(Span::new(nul, nul + 1), "here");
    Some(problem.help("is this a program text, and not a binary file?"))
}
