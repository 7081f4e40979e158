//! Whatever can be written at a site can be read again, alone and together with everything else.

#![allow(clippy::print_stderr, reason = "a test says what it left out")]

use std::path::{Path, PathBuf};
use steadfast_lang::{Dialect, apply, parse, sites};
use steadfast_span::SourceFile;

fn files(directory: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(directory) else { return Vec::new() };
    let mut files: Vec<_> =
        entries.filter_map(|entry| Some(entry.ok()?.path())).filter(|path| path.is_file()).collect();
    files.sort();
    files
}

fn check(path: &Path) {
    let Ok(text) = std::fs::read_to_string(path) else { return };
    let dialect = Dialect::detect(&path.display().to_string(), &text);
    let file = SourceFile::new(path.display().to_string(), text);
    if parse(&file, dialect).program.is_none() {
        return;
    }
    let sites = sites(&file, dialect);
    let readable = |text: String| {
        let parsed = parse(&SourceFile::new(file.name(), text.clone()), dialect);
        assert!(parsed.program.is_some(), "{}: {:#?}\n{text}", file.name(), parsed.diagnostics);
    };
    for variant in sites.iter().flat_map(|site| &site.variants) {
        readable(apply(file.text(), &variant.edits));
    }
    for number in 0..8 {
        let chosen = sites.iter().filter_map(|site| site.variants.get(number % site.variants.len().max(1)));
        readable(apply(file.text(), chosen.flat_map(|variant| &variant.edits)));
    }
}

#[test]
fn all_variants_of_all_programs_are_programs() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for directory in ["corpus/litmus", "corpus/programs", "corpus/automata"] {
        let files = files(&root.join(directory));
        assert!(!files.is_empty(), "{directory}");
        for path in &files {
            check(path);
        }
    }
    for directory in ["rocker/programs-ra", "rocker/programs-obs", "rocker/litmus-rlx", "trencher", "trencher/memorax"]
    {
        let files = files(&root.join("../shared/corpora").join(directory));
        if files.is_empty() {
            eprintln!("{directory} is not there and was left out");
        }
        for path in &files {
            check(path);
        }
    }
}

#[test]
fn edits_look_as_if_somebody_had_typed_them() {
    let text = "atomic<u8> x, y;\nthread t {\n    x.store(1, Ordering::Relaxed); // one\n    if (y.load()) { x.store(2); }\n}\n";
    let file = SourceFile::new("t.sf", text);
    let sites = sites(&file, Dialect::Steadfast);
    let all: Vec<_> = sites.iter().filter_map(|site| site.variants.last()).flat_map(|variant| &variant.edits).collect();
    let expected = "atomic<u8> x, y;\nthread t {\n    fence(seq_cst);\n    x.exchange(1, Ordering::SeqCst); // one\n    fence(seq_cst);\n    \
                    if (y.load(acquire)) { fence(seq_cst); x.exchange(2, seq_cst); fence(seq_cst); }\n}\n";
    assert_eq!(apply(text, all), expected);
}
