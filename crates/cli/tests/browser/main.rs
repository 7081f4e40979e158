//! The pages, in a real browser: stepping, toggling, themes, keys; nothing is fetched, and nothing complains.

mod accessibility;
mod behaviour;
mod chromium;
mod screenshots;

use chromium::Browser;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The root of the repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository")
}

/// Runs `steadfast` so that it writes a page, and returns where that is.
fn page(name: &str, arguments: &[&str]) -> PathBuf {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.html"));
    // What comes behind `--` belongs to the program that is run.
    let own = arguments.iter().position(|argument| *argument == "--").unwrap_or(arguments.len());
    let ended = Command::new(env!("CARGO_BIN_EXE_steadfast"))
        .args(&arguments[..own])
        .arg("--report")
        .arg(&file)
        .args(&arguments[own..])
        .current_dir(root())
        .output()
        .expect("the binary starts");
    let text = String::from_utf8_lossy(&ended.stderr);
    assert!(file.is_file() && !text.contains("panicked"), "{arguments:?}: {text}");
    file
}

/// The page of what the sanitizer finds in a program in C.
fn finding(name: &str) -> PathBuf {
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name).display().to_string();
    let compiled = Command::new(env!("CARGO_BIN_EXE_steadfast"))
        .args(["cc", "-g", "-pthread", "-o", &program, "corpus/sanitizer/c/dekker.c"])
        .current_dir(root())
        .output()
        .expect("the binary starts");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    page(name, &["run", "--schedule", "random", "--runs", "3", "--", &program])
}

/// A page with several results.
fn index(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (results, index) = (folder.join(format!("{name}.json")), folder.join(format!("{name}.html")));
    let steadfast = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_steadfast"));
        command.args(arguments).current_dir(root()).output().expect("the binary starts").stdout
    };
    let checked = ["check", "--format", "json", "corpus/litmus/sb.sf", "corpus/litmus/mp.sf", "corpus/litmus/iriw.sf"];
    std::fs::write(&results, steadfast(&checked)).expect("the results");
    let paths = [&results, &index].map(|path| path.to_str().expect("UTF-8"));
    steadfast(&["report", paths[0], "--output", paths[1]]);
    index
}

/// A browser of the size that most things are looked at with, if there is one.
fn browser() -> Option<Browser> {
    let Some(program) = chromium::program() else {
        // Written for people who run the tests by hand; in CI this is a failure.
        #[allow(clippy::print_stderr, reason = "a skipped test should say so")]
        {
            eprintln!("skipped: there is no Chromium");
        }
        return None;
    };
    Some(Browser::start(&program, (1280, 800)))
}
