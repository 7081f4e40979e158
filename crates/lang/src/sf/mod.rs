//! Steadfast's own language, described in `docs/language.md`.
//!
//! Text becomes tokens, a tree, and a program: [`token`], [`parser`] with its `parse_*` files, [`globals`], [`lower`] with its `lower_*`
//! files, [`code`]. An incorrect text has a tree, too, which is checked as far as it goes, so that one run reports as many errors as possible.
//!
//! Invariants: building starts only when there are no errors, and reports nothing except sizes; a variable never hides a location or constant,
//! so a global name has the same meaning everywhere; temporaries are dead between statements and after the condition of a loop.

mod ast;
mod attributes;
mod code;
pub(crate) mod codes;
mod constant;
mod globals;
mod limits;
mod lower;
mod lower_accesses;
mod lower_annotations;
mod lower_arguments;
mod lower_attempt;
mod lower_calls;
mod lower_statements;
mod lower_values;
mod orders;
pub(crate) mod parametric;
mod parse_expressions;
mod parse_items;
mod parse_statements;
mod parser;
mod program;
mod recursion;
mod registers;
mod renumber;
mod sites;
mod token;
mod types;

use crate::Parsed;
use crate::support::program_name;
use attributes::Attributes;
use parametric::{Reading, Template};
use steadfast_diag::Diagnostics;
use steadfast_span::SourceFile;

/// Reads a Steadfast program.
pub(crate) fn parse(file: &SourceFile) -> Parsed {
    parse_as(file, Reading::Finite).0
}

/// Reads a program or a template.
pub(crate) fn parse_as(file: &SourceFile, reading: Reading) -> (Parsed, Option<Template>) {
    let mut problems = Diagnostics::new(crate::codes::TOO_MANY_ERRORS);
    let tree = parser::parse_file(file.text(), &mut problems);
    let attributes = Attributes::of(&tree.attributes, &mut problems);
    let name = attributes.name.unwrap_or_else(|| program_name(file));
    let proving = reading == Reading::Template;
    let reading = if proving && !tree.is_template() { Reading::Finite } else { reading };
    let (program, template) = program::build(&tree, name, (reading, proving), &mut problems).unzip();
    (Parsed { program, expectations: attributes.expectations, diagnostics: problems.finish() }, template)
}

/// The places where the program could be changed.
pub(crate) fn sites(file: &SourceFile) -> Vec<crate::Site> {
    let tree = parser::parse_file(file.text(), &mut Diagnostics::new(crate::codes::TOO_MANY_ERRORS));
    sites::sites(file.text(), &tree)
}
