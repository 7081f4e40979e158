//! Every program of the corpus is read without a complaint, and promises something, unless it is a template.

#[path = "support/folders.rs"]
mod folders;

use folders::files_below;
use std::fs;
use std::path::Path;
use steadfast_lang::{Dialect, parse, parse_template};
use steadfast_span::SourceFile;

#[test]
fn the_corpus_is_read_without_complaints() {
    let paths = files_below(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus"), "sf");
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
