//! SPIN's verdicts on whole programs that say what to expect of them.
//!
//! Ours are the litmus tests in the repository; those that come with Rocker, whose comments take SC fences by the letter, where they are. Whole
//! algorithms take too long for a test: `cargo xtask spin` compares on them.

mod support;

use std::path::{Path, PathBuf};
use steadfast_export::{PromelaOptions, Supported, promela};
use steadfast_lang::{Dialect, Expectation, ExpectedVerdict, parse};
use steadfast_model::{Model, Notion};
use steadfast_span::SourceFile;
use support::Size;

/// The files below a directory, in order.
fn files(directory: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(directory) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect();
    paths.sort();
    paths.into_iter().flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

/// What to ask SPIN for an expectation; nothing if the model is not exported.
fn question(expectation: &Expectation, fences_by_the_letter: bool) -> Option<PromelaOptions> {
    let model = Supported::try_from(expectation.model).ok()?;
    Some(PromelaOptions { fences_by_the_letter, ..PromelaOptions::new(model, expectation.notion) })
}

/// Files that are left out, each for its reason.
const EXCEPTIONS: [&str; 5] = [
    // Takes a retry loop for a blocking instruction. As it is written, a failed CAS is a read that can be stale.
    "await-cas-lock-spin.sf",
    // Depends on an annotation of critical values that merges one that matters.
    "wait2.tpl",
    // Says that it is not robust against RA, where `wait(k, 1)` acquires the write to `x`; the oracle finds no violation either.
    "sb_but_valid.tpl",
    // Too many states for a test.
    "event_counters.tpl",
    "flags_rat.tpl",
];

fn is_exception(path: &Path) -> bool {
    EXCEPTIONS.iter().any(|name| path.ends_with(name))
}

/// Holds a file to its expectations; returns those that fail, as text.
fn check(path: &Path, fences_by_the_letter: bool) -> Vec<String> {
    let text = std::fs::read_to_string(path).expect("the file can be read");
    let file = SourceFile::new(path.to_string_lossy(), text);
    let parsed = parse(&file, Dialect::detect(file.name(), file.text()));
    let Some(program) = parsed.program else { return vec![format!("{}: cannot be read", path.display())] };
    let mut wrong = Vec::new();
    for expectation in &parsed.expectations {
        // Observability is the same question for every model; once is enough here.
        if expectation.notion != Notion::Graph && expectation.model != Model::Rc20 {
            continue;
        }
        let Some(options) = question(expectation, fences_by_the_letter) else { continue };
        let Ok(exported) = promela(&program, &options) else { continue };
        let found = support::run(&exported, Size::Small);
        if found.violated.is_some() != (expectation.verdict != ExpectedVerdict::Robust) {
            wrong.push(format!("{}: expected {expectation:?}, SPIN: {found:?}", path.display()));
        }
    }
    wrong
}

/// Holds all files below a directory to their expectations.
fn check_all(directory: &Path, fences_by_the_letter: bool) {
    let programs = files(directory).into_iter().filter(|path| !is_exception(path));
    let wrong: Vec<String> = programs.flat_map(|path| check(&path, fences_by_the_letter)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn our_litmus_tests() {
    if support::available() {
        check_all(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/litmus"), false);
    }
}

/// Where Rocker's programs are looked for, from this crate's directory.
const ROCKER: &str = "../../../shared/corpora/rocker";

#[allow(clippy::print_stderr, reason = "a skipped test should say so")]
fn check_rockers(directory: &str) {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join(ROCKER).join(directory);
    if !directory.is_dir() {
        eprintln!("skipped: {} is not here", directory.display());
    } else if support::available() {
        check_all(&directory, true);
        eprintln!("SPIN has looked at {}", directory.display());
    }
}

#[test]
fn rockers_litmus_tests_for_release_acquire() {
    check_rockers("litmus-ra");
}

#[test]
fn rockers_litmus_tests_for_relaxed_accesses() {
    check_rockers("litmus-rlx");
}

#[test]
fn rockers_litmus_tests_for_observation() {
    check_rockers("litmus-obs");
}
