//! Every program that Rocker ships is read without an error, and its comments are understood.
#![allow(clippy::print_stderr, reason = "a skipped test should say so")]

use std::path::{Path, PathBuf};
use steadfast_diag::Severity;
use steadfast_lang::{Dialect, parse};
use steadfast_span::SourceFile;

fn programs(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut found: Vec<PathBuf> = Vec::new();
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            found.extend(programs(&path));
        } else if path.extension().is_some_and(|extension| extension == "tpl") {
            found.push(path);
        }
    }
    found.sort();
    found
}

#[test]
fn all_programs_of_rocker_are_read() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpora/rocker");
    let programs = programs(&folder);
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
