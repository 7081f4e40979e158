//! Every program that Trencher ships is read without an error, and its comments are understood.
#![allow(clippy::print_stderr, reason = "a skipped test should say so")]

#[path = "support/folders.rs"]
mod folders;

use folders::files_below;
use std::path::Path;
use steadfast_diag::Severity;
use steadfast_lang::{Dialect, ExpectedVerdict, parse};
use steadfast_span::SourceFile;

#[test]
fn all_programs_of_trencher_are_read() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpora/trencher");
    let programs = files_below(&folder, "txt");
    if programs.is_empty() {
        eprintln!("skipped: the programs of Trencher are not at hand");
        return;
    }
    let mut robust = 0;
    for path in &programs {
        let text = std::fs::read_to_string(path).unwrap();
        let file = SourceFile::new(path.display().to_string(), text);
        assert_eq!(Dialect::detect(file.name(), file.text()), Dialect::Automata, "{}", path.display());
        let parsed = parse(&file, Dialect::Automata);
        let errors: Vec<_> = parsed.diagnostics.iter().filter(|d| d.severity == Severity::Error).collect();
        assert!(errors.is_empty(), "{}: {errors:#?}", path.display());
        let program = parsed.program.unwrap();
        assert!(program.locations.len() <= 12, "{}: {} locations", path.display(), program.locations.len());
        robust += parsed.expectations.iter().filter(|e| e.verdict == ExpectedVerdict::Robust).count();
    }
    assert_eq!(robust, 12, "so many say that they are robust");
}

#[test]
fn our_own_programs_expect_something() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/automata");
    let programs = files_below(&folder, "aut");
    assert!(programs.len() >= 7);
    for path in &programs {
        let file = SourceFile::new(path.display().to_string(), std::fs::read_to_string(path).unwrap());
        let parsed = parse(&file, Dialect::Automata);
        assert!(parsed.diagnostics.is_empty(), "{}: {:#?}", path.display(), parsed.diagnostics);
        assert!(!parsed.expectations.is_empty(), "{}", path.display());
    }
}
