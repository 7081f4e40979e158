//! Every program of the corpus is read without a complaint, and promises something, unless it is a template.

use std::fs;
use std::path::{Path, PathBuf};
use steadfast_lang::{Dialect, parse, parse_template};
use steadfast_span::SourceFile;

/// All `.sf` files below a folder, in order.
fn programs_below(folder: &Path, found: &mut Vec<PathBuf>) {
    let entries = fs::read_dir(folder).expect("the corpus can be read");
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            programs_below(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "sf") {
            found.push(path);
        }
    }
}

#[test]
fn the_corpus_is_read_without_complaints() {
    let mut paths = Vec::new();
    programs_below(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus"), &mut paths);
    assert!(!paths.is_empty());
    for path in paths {
        let text = fs::read_to_string(&path).expect("a program can be read");
        let file = SourceFile::new(path.to_string_lossy(), text);
        let is_template = path.ancestors().any(|folder| folder.ends_with("proofs"));
        let parsed = if is_template { parse_template(&file).0 } else { parse(&file, Dialect::Steadfast) };
        assert_eq!(parsed.diagnostics, [], "{}", path.display());
        assert!(is_template || !parsed.expectations.is_empty(), "{} has no expectation", path.display());
    }
}
