//! Where pictures and pages go.

use crate::output;
use crate::status::Status;
use std::path::{Path, PathBuf};

/// A file for each of several results: `out.html`, `out.2.html`, `out.3.html`, …
#[derive(Clone, Debug)]
pub(crate) struct Files {
    path: PathBuf,
    written: u32,
}

impl Files {
    /// The first result goes to this file.
    pub(crate) fn new(path: &Path) -> Self {
        Self { path: path.to_owned(), written: 0 }
    }

    /// The format that the name asks for.
    pub(crate) fn extension(&self) -> &str {
        self.path.extension().and_then(|extension| extension.to_str()).unwrap_or_default()
    }

    /// Writes the next result.
    pub(crate) fn write(&mut self, text: &str) -> Status {
        self.written += 1;
        let path = numbered(&self.path, self.written);
        let Err(error) = std::fs::write(&path, text) else { return Status::Holds };
        output::complain(&format!("cannot write {}: {error}", path.display()));
        Status::Input
    }
}

/// The name of the file with this number.
fn numbered(path: &Path, number: u32) -> PathBuf {
    if number == 1 {
        return path.to_owned();
    }
    match path.extension() {
        Some(extension) => path.with_extension(format!("{number}.{}", extension.display())),
        None => path.with_extension(number.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_numbered_from_the_second_on() {
        assert_eq!(numbered(Path::new("a/out.dot"), 1), Path::new("a/out.dot"));
        assert_eq!(numbered(Path::new("a/out.html"), 2), Path::new("a/out.2.html"));
        assert_eq!(numbered(Path::new("out"), 3), Path::new("out.3"));
    }
}
