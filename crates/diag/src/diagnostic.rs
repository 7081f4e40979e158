//! The parts of a diagnostic.

use steadfast_span::Span;

/// A stable name for a kind of diagnostic: `E` errors in the input, `V` verdicts about the program, `W` warnings, `N` notes,
/// `I` reasons why a result is inconclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Code(pub &'static str);

/// The severity of a diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Worth knowing.
    Note,
    /// Suspicious, but the run continues.
    Warning,
    /// The input cannot be used, or the program is incorrect.
    Error,
}

/// A span with a remark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// The remark.
    pub text: String,
    /// Whether the diagnostic is about this place. Other places are context.
    pub primary: bool,
}

/// A message about a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Its stable code.
    pub code: Code,
    /// Its severity.
    pub severity: Severity,
    /// One sentence, without a full stop.
    pub message: String,
    /// The places, with remarks.
    pub labels: Vec<Label>,
    /// Further facts.
    pub notes: Vec<String>,
    /// Advice.
    pub helps: Vec<String>,
}

impl Diagnostic {
    /// A diagnostic without labels.
    pub fn new(code: Code, severity: Severity, message: impl Into<String>) -> Self {
        Self { code, severity, message: message.into(), labels: Vec::new(), notes: Vec::new(), helps: Vec::new() }
    }

    /// An error.
    pub fn error(code: Code, message: impl Into<String>) -> Self {
        Self::new(code, Severity::Error, message)
    }

    /// A warning.
    pub fn warning(code: Code, message: impl Into<String>) -> Self {
        Self::new(code, Severity::Warning, message)
    }

    /// Adds the place that the diagnostic is about.
    #[must_use]
    pub fn at(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push(Label { span, text: text.into(), primary: true });
        self
    }

    /// Adds a place that helps to understand it.
    #[must_use]
    pub fn context(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push(Label { span, text: text.into(), primary: false });
        self
    }

    /// Adds a fact.
    #[must_use]
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }

    /// Adds advice.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.helps.push(text.into());
        self
    }

    /// The first primary span, or else the first span.
    pub fn span(&self) -> Option<Span> {
        self.labels.iter().find(|label| label.primary).or(self.labels.first()).map(|label| label.span)
    }
}
