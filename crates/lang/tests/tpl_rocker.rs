//! Every program that Rocker ships is read without an error, and its comments are understood.
#![allow(clippy::print_stderr, reason = "a skipped test should say so")]

#[path = "support/folders.rs"]
mod folders;

use folders::files_below;
use std::path::Path;
use steadfast_diag::Severity;
use steadfast_lang::{Dialect, parse};
use steadfast_span::SourceFile;

#[test]
fn all_programs_of_rocker_are_read() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpora/rocker");
    let programs = files_below(&folder, "tpl");
    if programs.is_empty() {
        eprintln!("skipped: the programs of Rocker are not at hand");
        return;
    }
    for path in &programs {
        let name = path.display().to_string();
        let file = SourceFile::new(&name, std::fs::read_to_string(path).expect("the file is text"));
        let parsed = parse(&file, Dialect::Tpl);
        let errors: Vec<_> = parsed.diagnostics.iter().filter(|d| d.severity == Severity::Error).collect();
        assert!(errors.is_empty() && parsed.program.is_some(), "{name}: {errors:#?}");
        for warning in &parsed.diagnostics {
            let line = warning.span().map_or(0, |span| file.line_column(span.start).line);
            eprintln!("{name}:{line}: {} {}", warning.code.0, warning.message);
        }
        let says_something = file.text().contains("// ROBUSTNESS");
        assert_eq!(!parsed.expectations.is_empty(), says_something, "{name}: {:?}", parsed.expectations);
    }
    eprintln!("{} programs", programs.len());
}
