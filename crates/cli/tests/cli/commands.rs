//! The commands beside `check`.

use crate::steadfast::{command, finish, steadfast};
use std::fs;
use std::path::Path;
use tempfile::tempdir;

fn write(directory: &Path, name: &str, text: &str) -> String {
    let path = directory.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, text).unwrap();
    path.display().to_string()
}

const STORE: &str = "atomic<u8> x; thread t { x.store(1); }\n";

#[test]
fn test_finds_files_and_reports_what_is_not_met() {
    let directory = tempdir().unwrap();
    write(directory.path(), "a/good.sf", &format!("#![expect(robust, model = ra)]\n{STORE}"));
    write(directory.path(), "a/b/bad.sf", &format!("#![expect(not_robust, model = ra)]\n{STORE}"));
    write(directory.path(), "x86.sf", &format!("#![expect(robust, model = tso)]\n{STORE}"));
    write(directory.path(), "silent.sf", STORE);
    write(directory.path(), "ignored.txt", "not a program");
    write(directory.path(), "template.sf", "atomic<int> x; threads t { x.store(1); }\n");
    let ended = steadfast(&["test", &directory.path().display().to_string()]);
    assert_eq!(ended.code, 1, "{ended:?}");
    let lines: Vec<_> = ended.stdout.lines().collect();
    assert_eq!(lines.len(), 2, "{}", ended.stdout);
    assert!(
        lines[0].starts_with("FAILED ")
            && lines[0].ends_with("bad.sf:1 (ra, graph): expected not-robust, found robust")
    );
    assert_eq!(lines[1], "5 files: 2 passed, 1 failed, 1 file without expectations, 1 template for `steadfast prove`");
}

#[test]
fn test_is_exact_for_our_language_and_lenient_for_tpl() {
    let directory = tempdir().unwrap();
    let race = "na d; fn t { d.nastore(1); } fn u { d.nastore(2); }\n";
    let tpl = write(directory.path(), "race.tpl", &format!("// ROBUSTNESS egr: not: ra.\n{race}"));
    assert_eq!(steadfast(&["test", &tpl]).code, 0, "{:?}", steadfast(&["test", &tpl]));
    let race = "plain<u8> d; thread t { d = 1; } thread u { d = 2; }\n";
    let sf = write(directory.path(), "race.sf", &format!("#![expect(not_robust, model = ra)]\n{race}"));
    let ended = steadfast(&["test", &sf]);
    assert!(ended.stdout.contains("expected not-robust, found race"), "{}", ended.stdout);
}

#[test]
fn test_takes_loops_in_tpl_as_they_are_written() {
    let directory = tempdir().unwrap();
    // Both threads may look for the other one in vain, once more than an interleaving allows.
    let loops = "fn t { local r; x.store(1, rel); l: r = y.load(acq); if (r != 1) { goto l; } }
                 fn u { local r; y.store(1, rel); l: r = x.load(acq); if (r != 1) { goto l; } }\n";
    let tpl = write(directory.path(), "loop.tpl", &format!("// ROBUSTNESS egr: not: ra.\nglobal x, y; {loops}"));
    assert_eq!(steadfast(&["test", &tpl]).code, 0, "{:?}", steadfast(&["test", &tpl]));
    assert_eq!(steadfast(&["check", "--model", "ra", &tpl]).code, 0);
}

#[test]
fn test_refuses_what_it_cannot_use() {
    let directory = tempdir().unwrap();
    assert_eq!(steadfast(&["test", &directory.path().display().to_string()]).code, 2);
    let broken = write(directory.path(), "broken.sf", "thread {");
    let ended = steadfast(&["test", &broken]);
    assert_eq!(ended.code, 2, "{ended:?}");
    assert!(ended.stdout.contains("1 unusable file"), "{}", ended.stdout);
    assert_eq!(steadfast(&["test", "no/such/place"]).code, 2);
}

#[test]
fn the_litmus_tests_meet_their_expectations() {
    let ended = steadfast(&["test", "corpus/litmus"]);
    assert_eq!(ended.code, 0, "{}\n{}", ended.stdout, ended.stderr);
}

#[test]
fn explain_knows_every_code_however_it_is_typed() {
    let ended = steadfast(&["explain", "v0001"]);
    assert_eq!(ended.code, 0);
    assert!(
        ended.stdout.starts_with("V0001: not robust: a read can return an overwritten value\n\n"),
        "{}",
        ended.stdout
    );
    let list = steadfast(&["explain", "--list"]).stdout;
    for code in ["E0001", "E0100", "I0004", "N0001", "V0007"] {
        assert!(list.lines().any(|line| line.starts_with(code)), "{code}");
        assert_eq!(steadfast(&["explain", code]).code, 0);
    }
    let ended = steadfast(&["explain", "V0009"]);
    assert_eq!((ended.code, ended.stdout.as_str()), (2, ""));
    assert!(ended.stderr.contains("did you mean"), "{}", ended.stderr);
    assert_eq!(steadfast(&["explain"]).code, 2);
}

#[test]
fn models_describes_them() {
    let ended = steadfast(&["models"]);
    assert_eq!(ended.code, 0);
    assert!(ended.stdout.contains("rc20  The default."), "{}", ended.stdout);
}

#[test]
fn show_lists_instructions() {
    let ended = finish(command(&["show", "-"]), STORE.as_bytes());
    assert_eq!(ended.code, 0);
    assert!(ended.stdout.contains("thread t\n    0: x.store(1, "), "{}", ended.stdout);
    assert_eq!(finish(command(&["show", "-"]), b"thread {").code, 2);
}

#[test]
fn export_writes_promela_to_standard_output_or_a_file() {
    let directory = tempdir().unwrap();
    let out = directory.path().join("mp.pml").display().to_string();
    let shown = steadfast(&["export", "--to", "promela", "--model", "ra", "corpus/litmus/mp.sf"]);
    assert_eq!(shown.code, 0, "{shown:?}");
    assert!(shown.stdout.contains("assert(robust)"));
    let saved = steadfast(&["export", "--to", "promela", "--model", "ra", "-o", &out, "corpus/litmus/mp.sf"]);
    assert_eq!((saved.code, saved.stdout.as_str()), (0, ""));
    assert_eq!(fs::read_to_string(&out).unwrap(), shown.stdout);
    assert_eq!(steadfast(&["export", "--to", "promela", "-o", "/no/such/place", "corpus/litmus/mp.sf"]).code, 2);
    assert_eq!(steadfast(&["export", "--to", "promela", "--model", "rc11", "corpus/litmus/mp.sf"]).code, 2);
    let refused = steadfast(&["export", "--to", "promela", "--model", "rc20", "corpus/litmus/sb-seq-cst.sf"]);
    assert_eq!(refused.code, 2, "{refused:?}");
    assert!(refused.stdout.contains("error[E0004]"), "{}", refused.stdout);
}

#[test]
fn pictures_of_violations_are_numbered() {
    let directory = tempdir().unwrap();
    let out = directory.path().join("graph.dot").display().to_string();
    let ended = steadfast(&["check", "--model", "ra,sra", "--dot", &out, "corpus/litmus/mp.sf", "corpus/litmus/sb.sf"]);
    assert_eq!(ended.code, 1, "{ended:?}");
    assert!(fs::read_to_string(&out).unwrap().starts_with("digraph execution {"));
    assert!(directory.path().join("graph.2.dot").exists());
    assert!(!directory.path().join("graph.3.dot").exists());
    assert_eq!(steadfast(&["check", "--model", "ra", "--dot", "/no/such/place.dot", "corpus/litmus/sb.sf"]).code, 2);
}

#[test]
fn help_has_examples_and_exit_codes() {
    for name in ["check", "fix", "relax", "test", "explain", "export", "show"] {
        let long = steadfast(&[name, "--help"]);
        assert_eq!(long.code, 0);
        assert!(long.stdout.contains("Examples:"), "{name}");
        let short = steadfast(&[name, "-h"]).stdout;
        assert!(!short.contains("Examples:") && short.len() < long.stdout.len(), "{name}");
    }
    assert!(steadfast(&["--help"]).stdout.contains("Exit codes:"));
    assert_eq!(steadfast(&[]).code, 2);
    assert!(steadfast(&["--version"]).stdout.starts_with("steadfast "));
}
