//! The capabilities of the terminal.

/// The style of the `full` format. The other formats are for programs and ignore it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// Whether to use ANSI colours. The caller knows whether the output is a terminal.
    pub color: bool,
    /// The maximum width of a source line. Longer lines are cut around their labels.
    pub width: usize,
}

impl Default for Style {
    /// No colours, and room for 120 columns.
    fn default() -> Self {
        Self { color: false, width: 120 }
    }
}
