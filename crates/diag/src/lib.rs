//! A diagnostic as data, and its renderers. Nothing here prints: a renderer returns text and `cli` decides where it goes.
//!
//! A [`Diagnostic`] has a stable [`Code`], a severity, a message, labelled spans, notes and help lines. `steadfast explain CODE` shows
//! the longer text of a code.

mod diagnostic;

pub use diagnostic::{Code, Diagnostic, Label, Severity};
