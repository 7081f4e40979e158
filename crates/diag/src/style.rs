//! What the terminal can do.

/// How the `full` format may look. The other formats are for machines and ignore it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// Whether to use ANSI colours. Whether the output is a terminal is for the caller to know.
    pub color: bool,
    /// How many columns a source line may take before it is cut around its labels.
    pub width: usize,
}

impl Default for Style {
    /// No colours, and room for 120 columns.
    fn default() -> Self {
        Self { color: false, width: 120 }
    }
}
