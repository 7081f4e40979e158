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
    let ended = Command::new(env!("CARGO_BIN_EXE_steadfast"))
        .args(arguments)
        .arg("--report")
        .arg(&file)
        .current_dir(root())
        .output()
        .expect("the binary starts");
    let text = String::from_utf8_lossy(&ended.stderr);
    assert!(file.is_file() && !text.contains("panicked"), "{arguments:?}: {text}");
    file
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
