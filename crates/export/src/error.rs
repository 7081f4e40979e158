//! Why a program cannot be exported.

use steadfast_span::Span;

/// What cannot be exported, and where it stands in the source.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ExportError {
    /// What cannot be exported and why.
    pub message: String,
    /// Where.
    pub span: Span,
}

impl ExportError {
    /// An error about the text at `span`.
    pub(crate) fn new(message: impl Into<String>, span: Span) -> Self {
        Self { message: message.into(), span }
    }
}
