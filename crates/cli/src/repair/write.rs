//! Replacing a file at once: whoever reads it sees the old or the new text, never a part.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Replaces a file that still holds the old text by the new one. A symbolic link stays one, and permissions stay.
pub(super) fn replace(path: &Path, old: &str, new: &str) -> io::Result<()> {
    let path = fs::canonicalize(path)?;
    if fs::read(&path)? != old.as_bytes() {
        return Err(io::Error::other("the file was changed meanwhile"));
    }
    let permissions = fs::metadata(&path)?.permissions();
    if permissions.readonly() {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "the file is read-only"));
    }
    let temporary = beside(&path);
    let written = write(&temporary, new)
        .and_then(|()| fs::set_permissions(&temporary, permissions))
        .and_then(|()| fs::rename(&temporary, &path));
    if written.is_err() {
        // Nothing is lost if it stays.
        let _ = fs::remove_file(&temporary);
    }
    written
}

fn write(path: &Path, text: &str) -> io::Result<()> {
    let mut file = File::create_new(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

/// A name in the same directory that belongs to this process.
fn beside(path: &Path) -> PathBuf {
    let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    path.with_file_name(format!(".{name}.steadfast-{}", std::process::id()))
}

#[cfg(test)]
mod tests {
    use super::replace;
    use std::fs;

    #[test]
    fn a_file_is_replaced_unless_somebody_else_was_faster() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.sf");
        fs::write(&path, "old").unwrap();
        assert!(replace(&path, "older", "new").is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        replace(&path, "old", "new").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
    }
}
