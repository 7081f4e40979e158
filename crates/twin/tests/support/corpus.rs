//! The programs of the corpus.

use std::path::Path;
use steadfast_ir::Program;
use steadfast_lang::{Dialect, parse};
use steadfast_span::SourceFile;

/// What the `.sf` files in a folder of the corpus mean, with their names and in that order. Templates are no programs.
pub(crate) fn programs(folder: &str) -> Vec<(String, Option<Program>)> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus").join(folder);
    let entries = std::fs::read_dir(directory).expect("the corpus is there");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("a readable directory").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "sf"));
    paths.sort();
    let read = |path: &std::path::PathBuf| {
        let file = SourceFile::new(path.display().to_string(), std::fs::read_to_string(path).expect("a readable file"));
        (file.name().to_owned(), parse(&file, Dialect::Steadfast).program)
    };
    paths.iter().map(read).collect()
}
