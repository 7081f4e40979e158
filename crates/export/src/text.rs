//! Indented lines.

/// Collects lines of Promela.
#[derive(Default)]
pub(crate) struct Text {
    lines: String,
    depth: usize,
}

impl Text {
    /// Adds a line.
    pub(crate) fn line(&mut self, line: impl AsRef<str>) {
        let line = line.as_ref();
        if !line.is_empty() {
            self.lines.extend(std::iter::repeat_n("    ", self.depth));
            self.lines.push_str(line);
        }
        self.lines.push('\n');
    }

    /// Adds a line with less indentation, for labels.
    pub(crate) fn label(&mut self, label: impl AsRef<str>) {
        self.depth -= 1;
        self.line(label);
        self.depth += 1;
    }

    /// Adds a line, and indents what follows.
    pub(crate) fn open(&mut self, line: impl AsRef<str>) {
        self.line(line);
        self.depth += 1;
    }

    /// Ends an indented part with a line.
    pub(crate) fn close(&mut self, line: impl AsRef<str>) {
        self.depth -= 1;
        self.line(line);
    }

    /// The whole text.
    pub(crate) fn finish(self) -> String {
        self.lines
    }
}
