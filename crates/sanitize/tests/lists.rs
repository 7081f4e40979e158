//! Lists that this crate and the runtime both have, because neither can depend on the other: compared as they are written in the sources.

use std::collections::BTreeSet;
use std::path::Path;

type Names = BTreeSet<String>;

/// A file, by its path from the folder of the workspace.
fn text(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// What is between two marks.
#[track_caller]
fn between<'a>(text: &'a str, start: &str, end: &str) -> &'a str {
    let rest = text.split_once(start).unwrap_or_else(|| panic!("there is no `{start}`")).1;
    rest.split_once(end).unwrap_or_else(|| panic!("there is no `{end}` behind `{start}`")).0
}

/// The string literals of a piece of code.
fn literals(code: &str) -> Names {
    code.split('"').skip(1).step_by(2).map(str::to_owned).collect()
}

/// The words that follow a mark, as far as they are names.
fn names_after<'a>(code: &'a str, mark: &'a str) -> impl Iterator<Item = &'a str> {
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-');
    code.match_indices(mark).map(move |(place, _)| {
        let rest = &code[place + mark.len()..];
        &rest[..rest.find(|letter| !is_part(letter)).unwrap_or(rest.len())]
    })
}

fn set<'a>(names: impl IntoIterator<Item = &'a str>) -> Names {
    names.into_iter().map(str::to_owned).collect()
}

#[track_caller]
fn assert_same(ours: &Names, theirs: &Names) {
    assert!(!ours.is_empty());
    let only = |one: &Names, other: &Names| one.difference(other).cloned().collect::<Vec<_>>();
    assert_eq!((only(ours, theirs), only(theirs, ours)), (vec![], vec![]), "only in the first, only in the second");
}

/// A wrapped function that the runtime does not have would not link; one that is not wrapped would not be seen.
#[test]
fn the_functions_that_are_wrapped_are_those_of_the_runtime() {
    let compiler = text("crates/sanitize/src/compiler.rs");
    let wrapped = literals(between(&compiler, "const FUNCTIONS: ", "];"));
    let files = ["copies", "strings"].map(|name| text(&format!("crates/rt/src/intercept/{name}.rs")));
    assert_same(&wrapped, &set(files.iter().flat_map(|file| names_after(file, "shim!(__wrap_"))));
}

#[test]
fn the_operators_that_are_wrapped_are_those_of_the_runtime() {
    let (compiler, runtime) = (text("crates/sanitize/src/compiler.rs"), text("crates/rt/src/intercept/operators.rs"));
    let wrapped = literals(between(&compiler, "const OPERATORS: ", "];"));
    assert_same(&wrapped, &literals(between(&runtime, "\noperators! {", "\n}")));
}

/// The functions of the instrumented standard library.
#[test]
fn the_trusted_functions_are_those_of_the_runtime() {
    let (library, runtime) = (text("crates/sanitize/src/standard_library.rs"), text("crates/rt/src/abi/trusted.rs"));
    let operations = literals(between(&library, "const OPERATIONS: ", "];"));
    let ours = [8, 16, 32, 64, 128].iter().flat_map(|bits| operations.iter().map(move |name| format!("{bits}_{name}")));
    assert_same(&ours.collect(), &set(names_after(&runtime, "\n        __steadfast_trusted_atomic")));
}

/// Options are documented where they are read, or set by `steadfast run`.
#[test]
fn the_options_of_the_runtime_are_those_of_the_documentation() {
    let (runtime, page) = (text("crates/rt/src/options.rs"), text("docs/sanitizer.md"));
    let read = between(&runtime, "\nfn set(", "\nfn complain");
    let named = |line: &str| {
        let line = line.trim();
        let rest =
            line.strip_prefix("(b\"").or_else(|| line.strip_prefix("b\"").filter(|_| line.contains("=> Some(&")));
        rest.and_then(|rest| rest.split_once('"')).map(|(name, _)| name.to_owned())
    };
    let mut known: Names = read.lines().filter_map(named).collect();
    // Only for programs that start others; `steadfast run` itself uses a variable of its own.
    assert!(known.remove("report_file"));
    let rows = between(&page, "\n## Options", "\n## ");
    let rows = rows.lines().filter(|line| line.starts_with("| `"));
    let documented: Vec<&str> = rows.flat_map(|row| literals_in_backticks(row.split('|').nth(1).unwrap())).collect();
    assert_same(&known, &set(documented));
}

fn literals_in_backticks(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('`').skip(1).step_by(2)
}

/// What `steadfast run` sets is what the runtime reads. The names of schedules come from one list.
#[test]
fn the_options_that_a_run_sets_are_known_to_the_runtime() {
    let (run, runtime) = (text("crates/sanitize/src/run.rs"), text("crates/rt/src/options.rs"));
    let written = between(&run, "let _ = write!(options, \":schedule", ");");
    for name in names_after(written, ":").filter(|name| !name.is_empty()).chain(["schedule"]) {
        assert!(runtime.contains(&format!("(b\"{name}\"")), "the runtime does not know the option `{name}`");
    }
    for name in literals(between(&run, "for (name, value) in [", "] {")) {
        assert!(runtime.contains(&format!("(b\"{name}\"")), "the runtime does not know the option `{name}`");
    }
}

/// What the runtime writes into reports is what is read here.
#[test]
fn the_words_of_reports_are_those_that_the_runtime_writes() {
    let (reader, writer) = (text("crates/sanitize/src/record.rs"), text("crates/rt/src/report/record.rs"));
    let writer = between(&writer, "\nimpl Record {", "\n/// The words for what the access does");
    // Violations have their names from one list; a loop that waits is none.
    assert_same(&set(names_after(&reader, "self.violation().map_or(\"")), &set(names_after(writer, "Self::new(\"")));

    let roles = literals(between(&reader, "fn from_name(name: &str) -> Option<Self> {\n        Some(match", "_ =>"));
    let joined = writer.split_whitespace().collect::<Vec<_>>().join(" ").replace("format_args!( ", "format_args!(");
    let lines = set(names_after(&joined, "format_args!(\"").filter(|word| !word.is_empty()));
    let writes = set(names_after(writer, "record.write(\""));
    let ours = set(names_after(&reader, "            [\"")).union(&roles).cloned().collect::<Names>();
    let theirs: Names = lines.union(&writes).cloned().collect();
    // The marks of a report are read elsewhere, and a stack is written in pieces.
    let marks = set(["steadfast-report", "end"]);
    assert!(writer.contains("push_str(\"stack\")"));
    assert_same(&ours, &theirs.difference(&marks).cloned().chain(["stack".to_owned()]).collect());
}

/// The exit code of a program that reported something.
#[test]
fn the_exit_code_is_the_documented_one() {
    let (options, page) = (text("crates/rt/src/options.rs"), text("docs/sanitizer.md"));
    let code = between(&options, "USUAL_EXIT_CODE: i32 = ", ";");
    assert_eq!(between(&page, "| `exitcode` | ", " |"), code);
    assert!(page.contains(&format!("ends with exit code {code}.")));
    assert!(text("docs/exit-codes.md").contains(&format!("ends with {code} after a report")));
    assert!(text("crates/cli/src/args.rs").contains(&format!("ends the program with exit code {code}.")));
}
