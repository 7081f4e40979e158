//! The examples in the documentation are real: every `console` block is run, and its output compared.
//!
//! Seconds, bytes and numbers of states depend on the machine and on how the search goes, and are left out of the comparison. With `STEADFAST_BLESS=1` in the environment, the blocks
//! are rewritten instead.

use crate::steadfast::{root, steadfast};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

/// All pages: those in the root of the repository, the page about the corpus, and everything in `docs`.
pub(crate) fn pages() -> Vec<PathBuf> {
    let mut pages = vec![root().join("corpus/README.md")];
    collect_pages(&root(), false, &mut pages);
    collect_pages(&root().join("docs"), true, &mut pages);
    pages.sort();
    pages
}

fn collect_pages(folder: &Path, recursive: bool, pages: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && recursive {
            collect_pages(&path, true, pages);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            pages.push(path);
        }
    }
}

#[test]
fn examples_show_what_the_commands_print() {
    for page in pages() {
        let text = fs::read_to_string(&page).unwrap();
        let renewed = renewed(&text);
        if std::env::var_os("STEADFAST_BLESS").is_some() {
            if comparable(&renewed) != comparable(&text) {
                fs::write(&page, renewed).unwrap();
            }
            continue;
        }
        assert_eq!(comparable(&text), comparable(&renewed), "{}: bless with STEADFAST_BLESS=1", page.display());
    }
}

#[test]
fn every_command_has_a_page() {
    for name in [
        "check",
        "fix",
        "relax",
        "test",
        "explain",
        "models",
        "export",
        "show",
        "txn",
        "cc",
        "run",
        "cargo",
        "prove",
        "verify-certificate",
        "report",
        "completions",
        "man",
    ] {
        assert!(Path::new(&root()).join(format!("docs/commands/{name}.md")).exists(), "{name}");
    }
}

/// The page with what its commands print now.
fn renewed(text: &str) -> String {
    let mut pieces = text.split("```console\n");
    let mut page = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let (block, rest) = piece.split_once("```").expect("every block is closed");
        let line = block
            .lines()
            .next()
            .and_then(|line| line.strip_prefix("$ steadfast "))
            .expect("a block begins with a command");
        let arguments: Vec<_> = line.split(' ').collect();
        let ended = steadfast(&arguments);
        let _ = write!(page, "```console\n$ steadfast {line}\n{}{}```{rest}", ended.stdout, ended.stderr);
    }
    page
}

/// The text without what differs between machines and runs: in lines with results and statistics, every number is 0.
fn comparable(text: &str) -> String {
    let mut lines = Vec::new();
    for line in text.lines() {
        let has_numbers = [" of the program, ", " transitions, ", "  memory ", " to the solver, "]
            .iter()
            .any(|part| line.contains(part));
        lines.push(if has_numbers { without_numbers(line) } else { line.to_owned() });
    }
    lines.join("\n")
}

fn without_numbers(line: &str) -> String {
    let is_number = |word: &str| word.starts_with(|c: char| c.is_ascii_digit());
    let words: Vec<_> = line.split(' ').map(|word| if is_number(word) { "0" } else { word }).collect();
    words.join(" ").replace(" 0 state ", " 0 states ")
}
