//! The reasons why a program cannot be exported.

use steadfast_span::Span;

/// Something that cannot be exported, with its place in the source.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ExportError {
    /// What it is, and why.
    pub message: String,
    /// Its place.
    pub span: Span,
}

impl ExportError {
    /// An error about the text at `span`.
    pub(crate) fn new(message: impl Into<String>, span: Span) -> Self {
        Self { message: message.into(), span }
    }
}
