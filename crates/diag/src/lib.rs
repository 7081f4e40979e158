//! A diagnostic as data, its renderers, and the long explanations of its codes.
//!
//! A [`Diagnostic`] has a stable [`Code`], a severity, a message, labelled spans, notes and help lines. [`render`] turns a list of
//! them into text in one of the [`Format`]s; [`Registry`] finds the longer text that `steadfast explain CODE` shows. What is wrong with one
//! text is collected in [`Diagnostics`]; [`suggest()`] adds which name was meant.
//!
//! Guarantee: rendering is total. Any diagnostic about any file yields text, even if its spans are beyond the end, reversed, or
//! in the middle of a character: such spans are moved to the nearest valid place.
//!
//! ```
//! use steadfast_diag::{Code, Diagnostic, Format, Style, render};
//! use steadfast_span::{SourceFile, Span};
//!
//! let file = SourceFile::new("lock.sf", "thread a { x.store(1); }\n");
//! let unknown = Diagnostic::error(Code("E0201"), "unknown location `x`").at(Span::new(11, 12), "not declared");
//! let text = render(Format::Concise, &[(&file, &unknown)], Style::default());
//! assert_eq!(text, "lock.sf:1:12: error[E0201]: unknown location `x`\n");
//! ```
//!
//! Invariants: nothing here prints; a renderer returns text, and `cli` decides where it goes; diagnostics are rendered in the
//! given order; a rendering that is not empty ends with a line break; a code never changes its meaning.

pub mod codes;
mod diagnostic;
mod format;
mod list;
mod renderers;
mod style;
mod suggest;

pub use codes::{CodeInfo, Registry};
pub use diagnostic::{Code, Diagnostic, Label, Severity};
pub use format::{Format, UnknownFormat, render};
pub use list::{Diagnostics, MAX_DIAGNOSTICS};
pub use renderers::record::{LabelRecord, Record};
pub use renderers::sarif::sarif;
pub use style::Style;
pub use suggest::{closest, suggest};
