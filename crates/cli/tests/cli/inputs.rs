//! Inputs that nobody means to give.

use crate::steadfast::{check_text, command, finish, root, steadfast};
use std::fmt::Write;
use std::fs;
use std::time::{Duration, Instant};
use steadfast_lang::Dialect;

/// The input is refused with this code, without a panic.
fn refused(bytes: &[u8], code: &str) {
    let ended = finish(command(&["check", "-"]), bytes);
    assert_eq!(ended.code, 2, "{ended:?}");
    assert!(ended.stdout.contains(&format!("error[{code}]")), "{code}: {}", ended.stdout);
    assert_eq!(ended.stderr, "");
}

#[test]
fn empty_and_blank_texts() {
    for text in ["", "\n", " \t\r\n", "// nothing\n", "\u{feff}"] {
        let ended = check_text(text, &[]);
        assert_eq!(ended.code, 2, "{text:?} {ended:?}");
        assert!(ended.stdout.starts_with("error[E"), "{text:?} {}", ended.stdout);
    }
}

#[test]
fn binary_files() {
    refused(b"\x7fELF\x02\x01\x01\0\0\0\xff\xfe", "E0003");
    refused(b"atomic<u8> x;\nthread t { x.store(\xff); }\n", "E0003");
    refused(b"atomic<u8> x;\0", "E0101");
}

#[test]
fn a_file_that_is_too_large() {
    refused(&vec![b' '; (8 << 20) + 1], "E0100");
}

#[test]
fn missing_files_and_directories() {
    let ended = steadfast(&["check", "no/such/file.sf"]);
    assert_eq!(ended.code, 2);
    assert!(ended.stdout.contains("error[E0001]: cannot read the file: "), "{}", ended.stdout);
    let ended = steadfast(&["check", "corpus"]);
    assert_eq!(ended.code, 2);
    assert!(ended.stdout.contains("error[E0002]: this is a directory"), "{}", ended.stdout);
}

#[test]
fn a_bad_file_does_not_hide_the_others() {
    let ended = steadfast(&["check", "--model", "ra", "no/such/file.sf", "corpus/litmus/mp.sf"]);
    assert_eq!(ended.code, 2);
    assert!(ended.stdout.contains("mp.sf: robust"), "{}", ended.stdout);
}

#[test]
fn truncated_programs() {
    let text = fs::read_to_string(crate::steadfast::root().join("corpus/litmus/sb.sf")).unwrap();
    let begin = text.find("atomic").unwrap();
    // Every few bytes is enough: the front end has its own tests.
    for end in (begin..text.trim_end().len()).step_by(23).filter(|&end| text.is_char_boundary(end)) {
        let ended = check_text(&text[..end], &["--model", "ra"]);
        assert!(ended.code <= 2 && ended.code >= 0, "{end}: {ended:?}");
        assert!(!ended.stderr.contains("panicked"), "{end}: {ended:?}");
    }
}

/// A second in a release build on a quiet machine; tests run elsewhere, too.
const PATIENCE: Duration = Duration::from_secs(8);

#[test]
fn a_hundred_thousand_lines() {
    let mut statements = "atomic<u8> x;\nthread t {\n".to_owned();
    let mut comments = String::new();
    for line in 0..100_000 {
        let _ = writeln!(statements, "    x.store({}, relaxed);", line % 256);
        let _ = writeln!(comments, "// line {line}");
    }
    statements.push_str("}\n");
    comments.push_str("atomic<u8> x; thread t { x.store(1); }\n");
    let garbage = "}{ )( x.store\n".repeat(100_000);
    for (text, codes) in [(statements, [0, 2, 3]), (comments, [0, 0, 0]), (garbage, [2, 2, 2])] {
        let started = Instant::now();
        let ended = check_text(&text, &["--model", "ra", "--time-limit", "1"]);
        assert!(codes.contains(&ended.code), "{}: {}", ended.code, &ended.stderr);
        assert!(started.elapsed() < PATIENCE, "{:?}", started.elapsed());
    }
}

#[test]
fn names_with_control_characters_do_not_reach_the_terminal() {
    let ended = steadfast(&["check", "a\u{1b}[2Jb.sf"]);
    assert_eq!(ended.code, 2);
    assert!(!ended.stdout.contains('\u{1b}'), "{:?}", ended.stdout);
}

#[test]
fn standard_input_in_either_language() {
    assert_eq!(check_text("global x; fn t { x.store(1, rel); }", &["--model", "ra"]).code, 0);
    let ended = check_text("atomic<u8> x; thread t { x.store(1); }", &["--model", "ra"]);
    assert!(ended.stdout.starts_with("<stdin>: robust"), "{}", ended.stdout);
}

/// Whoever reads the help of a command, or its page, should see every language.
#[test]
fn the_help_and_the_pages_name_every_language() {
    let help = ["check", "fix", "relax", "test"].map(|name| (name, steadfast(&[name, "--help"]).stdout));
    let pages = ["docs/language.md", "docs/commands/check.md", "docs/commands/fix.md", "docs/commands/test.md"];
    let pages = pages.map(|name| (name, fs::read_to_string(root().join(name)).unwrap()));
    for (name, text) in help.iter().chain(&pages) {
        for dialect in Dialect::ALL {
            let extension = format!(".{}", dialect.extension());
            assert!(text.contains(&extension), "{name} does not name {extension}");
        }
    }
}
