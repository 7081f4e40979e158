//! Draws a violation: an execution graph as SVG, and a page that shows it beside its source, one step at a time.
//!
//! A [`Picture`] consists of boxes in columns and arrows between them; [`svg`] draws it. A [`Page`] is everything about one result; [`html_page`] makes one
//! self-contained file of it, whose policy forbids network access. [`RunView`] makes the picture and the steps from a witness, of a check or of a run.
//!
//! Guarantee: text from a program never becomes markup: all of it is escaped, and characters that would change the direction of text or hide it are shown by their numbers. In a
//! picture, no box overlaps another one, no label overlaps a box or another label, and no arrow crosses a box.
//!
//! ```
//! use steadfast_report::{Edge, EdgeKind, Node, Picture, Ending, svg};
//!
//! let node = |column, title: &str| Node { column, title: title.to_owned(), step: 1, ..Node::default() };
//! let picture = Picture {
//!     columns: vec!["writer".to_owned(), "reader".to_owned()],
//!     nodes: vec![node(0, "write x := 1"), node(1, "read x = 1")],
//!     edges: vec![Edge { from: 0, to: 1, kind: EdgeKind::Reads, label: "rf".to_owned(), on_cycle: false, ending: Ending::Both }],
//!     summary: "A message".to_owned(),
//! };
//! assert!(svg(&picture).contains("read x = 1"));
//! ```
//!
//! Invariants: no I/O, and the same input gives the same bytes.

#![allow(clippy::cast_precision_loss, reason = "pictures with 2^52 rows are not drawn")]

mod data;
mod escape;
mod html;
mod index;
mod labels;
mod layout;
mod page;
mod picture;
mod readable;
mod route;
mod run_view;
mod source;
mod subject;
mod svg;
#[cfg(test)]
mod tests;
mod text;

pub use html::html_page;
pub use index::{Row, index_page};
pub use page::{Listing, Page, Repair, VerdictClass};
pub use picture::{Edge, EdgeKind, Ending, Node, Part, Picture};
pub use readable::{Readable, ReadableWrites, Written, readable_writes};
pub use run_view::{RunView, StepView};
pub use subject::{Places, ProgramText, Subject};
pub use svg::svg;
pub use text::text;
