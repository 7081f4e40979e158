//! The programs of `corpus/sanitizer` with the verdicts that their first lines expect, with both compilers, with and without optimisation.
//!
//! `// verdict: silent`, `race` or `violation`; `violation every-controlled-run` means what it says; `// flags:` are for the compiler; `// as:` names a program of `corpus/programs` with the same
//! verdict. `STEADFAST_SANITIZER_RUNS` says how many controlled runs a silent program has to survive; with
//! `STEADFAST_SANITIZER_ONLY`, only the C and C++ programs whose paths contain it are run.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

mod process;
mod repetition;

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const STEADFAST: &str = env!("CARGO_BIN_EXE_steadfast");

/// What a program should do.
struct Expected {
    verdict: String,
    every_run: bool,
    /// The same in our own language.
    like: Option<String>,
    flags: Vec<String>,
}

fn corpus(folder: &str, extension: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/sanitizer").join(folder);
    let mut files: Vec<_> =
        std::fs::read_dir(folder).expect("the corpus").map(|entry| entry.expect("an entry").path()).collect();
    files.retain(|file| file.extension().is_some_and(|found| found == extension));
    files.sort();
    assert!(!files.is_empty());
    files
}

fn expected(file: &Path) -> Expected {
    let text = std::fs::read_to_string(file).expect("a program");
    let after = |prefix: &str| text.lines().find_map(|line| line.strip_prefix(prefix)).unwrap_or("");
    let mut words = after("// verdict: ").split_whitespace();
    Expected {
        verdict: words.next().expect("a verdict").to_owned(),
        every_run: words.next() == Some("every-controlled-run"),
        like: Some(after("// as: ").trim().to_owned()).filter(|name| !name.is_empty()),
        flags: after("// flags: ").split_whitespace().map(str::to_owned).collect(),
    }
}

/// Whether the compiler is there. In CI it has to be.
#[allow(clippy::print_stderr, reason = "a skipped test should say so")]
fn is_there(compiler: &str) -> bool {
    let there = Command::new(compiler).arg("--version").output().is_ok_and(|output| output.status.success());
    let required = ["CI", "STEADFAST_REQUIRE_TOOLS"].iter().any(|name| std::env::var_os(name).is_some());
    assert!(there || !required, "{compiler} is not there");
    if !there {
        eprintln!("skipped: {compiler} is not there");
    }
    there
}

fn checked(output: &Output) -> &Output {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output
}

fn compile(command: &str, compiler: &str, level: &str, file: &Path, program: &Path) {
    let mut compiling = Command::new(STEADFAST);
    if command == "c++" {
        compiling.args([command, "-std=c++20"]);
    } else {
        compiling.arg(command);
    }
    compiling.arg(level).args(expected(file).flags).arg(file).arg("-o").arg(program);
    checked(&compiling.env("STEADFAST_CC", compiler).env("STEADFAST_CXX", compiler).output().expect("steadfast"));
}

fn run(program: &Path, schedule: &str, runs: u64, more: &[&str]) -> Value {
    let mut running = Command::new(STEADFAST);
    running.args([
        "run",
        "--format",
        "jsonl",
        "--time-limit",
        "60",
        "--schedule",
        schedule,
        "--runs",
        &runs.to_string(),
    ]);
    let output = running.args(more).arg(program).output().expect("steadfast");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    serde_json::from_str(&text)
        .unwrap_or_else(|error| panic!("{error}: {text} {}", String::from_utf8_lossy(&output.stderr)))
}

fn verdict(result: &Value) -> &'static str {
    assert_eq!(result["watched_runs"], result["runs"], "the runtime is in every run");
    let kinds: Vec<_> = result["findings"]
        .as_array()
        .expect("findings")
        .iter()
        .map(|finding| finding["kind"].as_str().unwrap_or(""))
        .collect();
    match &kinds[..] {
        [] => "silent",
        kinds if kinds.iter().any(|kind| matches!(*kind, "stale-read" | "stale-update" | "overtaking-write")) => {
            "violation"
        }
        _ => "race",
    }
}

fn runs() -> u64 {
    std::env::var("STEADFAST_SANITIZER_RUNS").ok().and_then(|text| text.parse().ok()).unwrap_or(6)
}

/// All complaints about one program.
fn judge(program: &Path, expected: &Expected, name: &str) -> Vec<String> {
    let schedules: &[&str] = match (expected.verdict.as_str(), expected.every_run) {
        ("silent", _) => &["os", "random", "pct"],
        (_, true) => &["random", "pct"],
        (_, false) => &["random"],
    };
    let mut complaints = Vec::new();
    for schedule in schedules {
        let (count, more): (u64, &[&str]) = match (expected.verdict.as_str(), expected.every_run) {
            ("silent", _) | (_, true) => (runs(), &[]),
            // Some violations are found in one run of a hundred.
            _ => (2000, &["--stop-at-first"]),
        };
        let mut result = run(program, schedule, count, more);
        if expected.verdict == "silent" && *schedule == "os" && verdict(&result) == "violation" {
            // That code loops is seen only when somebody has to wait in it. If one thread is a bit faster than the other, that may take more than a few runs.
            result = run(program, schedule, count.max(200), more);
        }
        let every = !expected.every_run || result["runs"] == result["runs_with_findings"];
        if verdict(&result) != expected.verdict || result["failed_runs"] != 0 || !every {
            complaints.push(format!("{name}, {schedule}: expected {}, got {result}", expected.verdict));
        }
    }
    complaints
}

fn suite(command: &str, compiler: &str, folder: &str, extension: &str) {
    if !is_there(compiler) {
        return;
    }
    let scratch = tempfile::tempdir().expect("a temporary folder");
    let mut complaints = Vec::new();
    let only = std::env::var("STEADFAST_SANITIZER_ONLY").unwrap_or_default();
    for file in corpus(folder, extension).iter().filter(|file| file.to_string_lossy().contains(&only)) {
        for level in ["-O0", "-O2"] {
            let program = scratch.path().join(file.file_stem().expect("a name"));
            compile(command, compiler, level, file, &program);
            let name = format!("{} {compiler} {level}", file.file_name().expect("a name").to_string_lossy());
            complaints.extend(judge(&program, &expected(file), &name));
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

#[test]
fn c_with_clang() {
    suite("cc", "clang", "c", "c");
}

#[test]
fn c_with_gcc() {
    suite("cc", "gcc", "c", "c");
}

#[test]
fn algorithms_with_clang() {
    suite("cc", "clang", "algorithms", "c");
}

#[test]
fn algorithms_with_gcc() {
    suite("cc", "gcc", "algorithms", "c");
}

/// What a program of `corpus/programs` expects of itself under the sanitizer's model, in the sanitizer's words.
fn decided(name: &str) -> &'static str {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/programs").join(name);
    let text = std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let said = |verdict: &str| text.contains(&format!("#![expect({verdict}, model = rc11)]"));
    match [said("robust"), said("not_robust"), said("race")] {
        [true, false, false] => "silent",
        [false, true, false] => "violation",
        [false, false, true] => "race",
        _ => panic!("{name} says nothing about rc11"),
    }
}

/// The verdicts of programs that `steadfast check` can decide are those that it gives, and the runtime's are compared with them in turn.
#[test]
fn verdicts_are_those_of_the_checker() {
    let mut compared = 0;
    for (folder, extension) in [("c", "c"), ("algorithms", "c"), ("cpp", "cpp"), ("rust", "rs")] {
        for file in corpus(folder, extension) {
            let expected = expected(&file);
            let Some(like) = &expected.like else { continue };
            assert_eq!(expected.verdict, decided(like), "{}", file.display());
            compared += 1;
        }
    }
    assert!(compared > 70, "{compared}");
}

#[test]
fn cpp_with_clang() {
    suite("c++", "clang++", "cpp", "cpp");
}

#[test]
fn cpp_with_gcc() {
    suite("c++", "g++", "cpp", "cpp");
}

/// What cargo says about a program of the corpus in a project of its own.
fn cargo(file: &Path, schedule: &str, runs: u64) -> Output {
    let project = tempfile::tempdir().expect("a temporary folder");
    std::fs::create_dir(project.path().join("src")).expect("a folder");
    std::fs::copy(file, project.path().join("src/main.rs")).expect("a copy");
    let manifest = "[package]\nname = \"program\"\nedition = \"2024\"\n[workspace]\n";
    std::fs::write(project.path().join("Cargo.toml"), manifest).expect("a manifest");
    let mut command = Command::new(STEADFAST);
    command.args(["cargo", "--runs", &runs.to_string(), "--schedule", schedule, "run", "--quiet", "--offline"]);
    for variable in ["RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS", "CARGO_TARGET_DIR"] {
        command.env_remove(variable);
    }
    // The instrumented standard library is made once for all tests.
    command.env("XDG_CACHE_HOME", Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"));
    command.current_dir(project.path()).output().expect("steadfast")
}

#[test]
fn rust() {
    for file in corpus("rust", "rs") {
        let silent = expected(&file).verdict == "silent";
        for schedule in ["random", "pct"] {
            // Under PCT one run of a hundred finds what is wrong with the ring.
            let enough = if schedule == "pct" { 200 } else { 20 };
            let output = cargo(&file, schedule, if silent { runs() } else { enough });
            let text =
                format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
            assert_eq!(output.status.success(), silent, "{} {schedule}: {text}", file.display());
            assert_eq!(
                text.contains("WARNING: Steadfast: robustness violation"),
                !silent,
                "{} {schedule}: {text}",
                file.display()
            );
        }
    }
}

#[test]
fn the_json_output_fits_its_schema() {
    let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schema/run.json");
    let schema: Value = serde_json::from_str(&std::fs::read_to_string(schema).expect("the schema")).expect("JSON");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let scratch = tempfile::tempdir().expect("a temporary folder");
    for name in ["dekker.c", "2+2w.c", "chase-lev.c", "race.c", "mp.c"] {
        let Some(program) = compiled(name, scratch.path()) else { return };
        let result = Value::Array(vec![run(&program, "random", 10, &[])]);
        let problems: Vec<_> = validator.iter_errors(&result).map(|error| error.to_string()).collect();
        assert!(problems.is_empty(), "{name}: {problems:#?} {result}");
    }
    for result in repetition::results(scratch.path()) {
        let result = Value::Array(vec![result]);
        let problems: Vec<_> = validator.iter_errors(&result).map(|error| error.to_string()).collect();
        assert!(problems.is_empty(), "{problems:#?} {result}");
    }
}

/// What `steadfast run` has written about the first finding in a program with a controlled schedule.
fn drawn(program: &Path, option: &str, file: &Path) -> String {
    let mut running = Command::new(STEADFAST);
    let schedule = ["--schedule", "random", "--seed", "1", "--runs", "20"];
    running.arg("run").args(schedule).args(["--format", "concise", option]).arg(file).arg(program);
    let output = running.output().expect("steadfast");
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    std::fs::read_to_string(file).expect("a picture")
}

/// A finding is an execution graph like that of a check, of which only a part is known.
#[test]
fn findings_are_drawn() {
    let scratch = tempfile::tempdir().expect("a temporary folder");
    let Some(program) = compiled("sb.c", scratch.path()) else { return };
    let graphviz = drawn(&program, "--graph", &scratch.path().join("sb.dot"));
    for part in
        ["digraph execution", "label=\"init ", "W(rel) ", "R(acq) ", "label=\"fr\"", "label=\"before\"", "dashed"]
    {
        assert!(graphviz.contains(part), "{part}: {graphviz}");
    }
    assert_eq!(graphviz, drawn(&program, "--dot", &scratch.path().join("too.dot")));
    let picture = drawn(&program, "--graph", &scratch.path().join("sb.svg"));
    let page = drawn(&program, "--report", &scratch.path().join("sb.html"));
    for text in [&picture, &page] {
        for part in ["<svg", "before", "acquire · sb.c:", "release · sb.c:"] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }
    let output = Command::new(STEADFAST)
        .args(["run", "--graph", "-", "--schedule", "random", "--runs", "20"])
        .arg(&program)
        .output();
    let text = String::from_utf8_lossy(&output.expect("steadfast").stdout).into_owned();
    assert!(text.contains("--before-->") && text.contains("--fr-->"), "{text}");
}

/// The events of a witness are those of the report, and no others.
#[test]
fn a_witness_has_what_the_report_says() {
    let scratch = tempfile::tempdir().expect("a temporary folder");
    for name in ["sb.c", "2+2w.c", "chase-lev.c", "race.c", "mpsc.c"] {
        let Some(program) = compiled(name, scratch.path()) else { return };
        let result = run(&program, "random", 10, &[]);
        for finding in result["findings"].as_array().expect("findings") {
            let witness = &finding["witness"];
            let written = finding["events"].as_array().expect("events");
            let threads = written.iter().filter(|event| !event["thread"].is_null()).count();
            assert_eq!(witness["run"].as_array().map(Vec::len), Some(threads - 1), "{name}: {finding}");
            assert_eq!(witness["partial"], true);
            let race = finding["kind"] == "race";
            let cycle = witness["cycle"].as_array().expect("a cycle");
            let edges: Vec<&str> = cycle.iter().filter_map(|edge| edge["edge"].as_str()).collect();
            assert_eq!(edges.is_empty(), race, "{name}: {finding}");
            assert!(race || edges.contains(&"before") && edges.len() == 2, "{name}: {finding}");
            let stale = written.iter().find(|event| event["role"] == "stale");
            assert!(stale.is_none_or(|stale| stale["value"] == witness["stale"]["value_written"]), "{name}: {finding}");
        }
    }
}

/// The file with this name, compiled.
fn compiled(name: &str, scratch: &Path) -> Option<PathBuf> {
    let program = scratch.join("program");
    is_there("gcc").then(|| {
        compile(
            "cc",
            "gcc",
            "-O1",
            &Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/sanitizer/c").join(name),
            &program,
        );
        program
    })
}

#[test]
fn a_program_need_not_notice_that_it_is_instrumented() {
    let scratch = tempfile::tempdir().expect("a temporary folder");
    let (source, program) = (scratch.path().join("program.c"), scratch.path().join("program"));
    let text = "#ifndef __has_feature\n#define __has_feature(x) 0\n#endif\n\
                #if defined(__SANITIZE_THREAD__) || __has_feature(thread_sanitizer)\n#define SEEN 1\n#else\n#define SEEN 0\n#endif\n\
                #if defined(__clang__) && !__has_feature(c_alignof)\n#error no feature is left\n#endif\n\
                int main(void) { return SEEN; }\n";
    std::fs::write(&source, text).expect("a file");
    for compiler in ["gcc", "clang"].into_iter().filter(|compiler| is_there(compiler)) {
        for (hide, seen) in [("0", 1), ("1", 0)] {
            let mut compiling = Command::new(STEADFAST);
            compiling.args(["cc", "-Wall", "-Werror"]).arg(&source).arg("-o").arg(&program);
            checked(&compiling.env("STEADFAST_CC", compiler).env("STEADFAST_HIDE", hide).output().expect("steadfast"));
            assert_eq!(Command::new(&program).status().expect("the program").code(), Some(seen), "{compiler} {hide}");
        }
    }
}

#[test]
fn a_bare_program_shows_a_whole_report() {
    let scratch = tempfile::tempdir().expect("a temporary folder");
    let Some(program) = compiled("dekker.c", scratch.path()) else { return };
    let output = Command::new(&program).env("STEADFAST_OPTIONS", "schedule=pct:seed=1").output().expect("the program");
    assert_eq!(output.status.code(), Some(66));
    let text = String::from_utf8_lossy(&output.stderr);
    for part in [
        "WARNING: Steadfast: robustness violation (pid=",
        "Atomic load (acquire) of size 4",
        "#0 lock ",
        "dekker.c:",
        "Location is global 'wants'",
        "created by main thread",
        "SUMMARY: Steadfast: robustness violation ",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn a_report_says_whose_stack_it_is_and_what_threads_are_called() {
    let scratch = tempfile::tempdir().expect("a temporary folder");
    let Some(program) = compiled("race-stack.c", scratch.path()) else { return };
    let output = Command::new(&program).output().expect("the program");
    let text = String::from_utf8_lossy(&output.stderr);
    for part in [
        "Location is stack of thread T1\n",
        "Location is thread-local storage of thread T1\n",
        "Thread T1 'the owner' (tid=",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let result = run(&program, "os", 1, &[]);
    assert_eq!(result["findings"][0]["location"], "stack of thread T1");
}

/// A program of `corpus/sanitizer/robust`, compiled.
fn robust(name: &str, scratch: &Path) -> Option<PathBuf> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/sanitizer/robust").join(name);
    let program = scratch.join("program");
    is_there("gcc").then(|| {
        compile("cc", "gcc", "-O2", &file, &program);
        program
    })
}

#[test]
fn a_thousand_threads() {
    let scratch = tempfile::tempdir().expect("a temporary folder");
    let Some(program) = robust("threads.c", scratch.path()) else { return };
    let output = Command::new(&program).output().expect("the program");
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && text.is_empty(), "{text}");
}

/// Example 3.1 of the paper is found in every run of a thousand, if one thread comes after the other, as it does there. However they are scheduled, it is found in every run that leads to it: that is, in every
/// one in which a thread reads 0. If neither does, which the program says with its exit code, there is nothing to find.
#[test]
fn example_3_1_is_found_in_every_run() {
    let scratch = tempfile::tempdir().expect("a temporary folder");
    let Some(program) = robust("example-3.1.c", scratch.path()) else { return };
    let runs = if runs() >= 200 { 1000 } else { 100 };
    for (schedule, apart) in [("os", true), ("os", false), ("random", false), ("pct", false)] {
        let mut running = Command::new(STEADFAST);
        running.args(["run", "--format", "jsonl", "--schedule", schedule, "--runs", &runs.to_string()]);
        let output = running.arg(&program).args(apart.then_some("apart")).output().expect("steadfast");
        let text = String::from_utf8_lossy(&output.stdout);
        let result: Value = serde_json::from_str(&text).expect("JSON");
        let [found, others] =
            ["runs_with_findings", "failed_runs"].map(|name| result[name].as_u64().expect("a number"));
        assert_eq!(found + others, runs, "{schedule}: {result}");
        assert!(found > 0 && (!apart || others == 0), "{schedule}: {result}");
    }
}

/// A library that is loaded while the program runs is watched like the program: its atomics, its variables of each thread, and what its initialisers did.
#[test]
fn libraries_can_be_loaded_late() {
    let scratch = tempfile::tempdir().expect("a temporary folder");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/sanitizer/dlopen");
    let [program, library] = ["program", "library.so"].map(|name| scratch.path().join(name));
    for (compiler, level) in [("gcc", "-O0"), ("gcc", "-O2"), ("clang", "-O0"), ("clang", "-O2")] {
        if !is_there(compiler) {
            continue;
        }
        compile("cc", compiler, level, &folder.join("program.c"), &program);
        let mut compiling = Command::new(STEADFAST);
        compiling.args(["cc", "-g", "-shared", "-fPIC", level]).arg(folder.join("library.c")).arg("-o").arg(&library);
        checked(&compiling.env("STEADFAST_CC", compiler).output().expect("steadfast"));
        for (function, code, part) in
            [("ordered", 0, "Nothing was reported in 10 runs."), ("unordered", 1, "in unordered")]
        {
            let mut running = Command::new(STEADFAST);
            running.args(["run", "--schedule", "random", "--runs", "10"]).arg(&program).arg(&library).arg(function);
            let output = running.output().expect("steadfast");
            let text = String::from_utf8_lossy(&output.stdout);
            assert_eq!(output.status.code(), Some(code), "{compiler} {level} {function}: {text}");
            assert!(text.contains(part), "{compiler} {level} {function}: {text}");
        }
        for name in ["again.c", "together.c"] {
            compile("cc", compiler, level, &folder.join(name), &program);
            let mut running = Command::new(STEADFAST);
            running.args(["run", "--schedule", "random", "--runs", "10"]).arg(&program).arg(&library);
            let output = running.output().expect("steadfast");
            let text = String::from_utf8_lossy(&output.stdout);
            assert!(text.contains("Nothing was reported in 10 runs."), "{compiler} {level} {name}: {text}");
        }
    }
}

/// How much memory a program takes does not depend on how long it runs. `STEADFAST_SANITIZER_ACCESSES` says how long.
#[test]
fn memory_does_not_grow() {
    let scratch = tempfile::tempdir().expect("a temporary folder");
    let Some(program) = robust("long.c", scratch.path()) else { return };
    let accesses = std::env::var("STEADFAST_SANITIZER_ACCESSES").unwrap_or_else(|_| "2000000".to_owned());
    let output = Command::new(&program).arg(accesses).output().expect("the program");
    let text = String::from_utf8_lossy(&output.stdout);
    let sizes: Vec<u64> =
        text.lines().filter_map(|line| line.strip_suffix(" KiB")?.rsplit(' ').next()?.parse().ok()).collect();
    let [_, _, early, .., last] = sizes[..] else { panic!("{text}") };
    // Pages that are first touched late are no growth; a byte for each access would be more than this.
    assert!(last <= early + 1024, "{text}");
}

/// What is forgotten can hide a violation and never invents one.
#[test]
fn a_short_memory_invents_nothing() {
    let scratch = tempfile::tempdir().expect("a temporary folder");
    let programs = corpus("c", "c").into_iter().filter(|file| expected(file).verdict == "silent");
    for file in programs.filter(|_| is_there("gcc")) {
        let program = scratch.path().join("program");
        compile("cc", "gcc", "-O1", &file, &program);
        let mut running = Command::new(STEADFAST);
        running.args(["run", "--format", "jsonl", "--time-limit", "60", "--schedule", "random", "--runs", "4"]);
        let output = running.arg(&program).env("STEADFAST_OPTIONS", "history_size=2").output().expect("steadfast");
        let text = String::from_utf8_lossy(&output.stdout);
        let result: Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(verdict(&result), "silent", "{}: {result}", file.display());
    }
}

#[test]
fn options_have_the_names_of_other_sanitizers() {
    let scratch = tempfile::tempdir().expect("a temporary folder");
    let Some(program) = compiled("dekker.c", scratch.path()) else { return };
    let log = scratch.path().join("log");
    let options = format!("schedule=pct:seed=1:exitcode=23:halt_on_error=1:log_path={}", log.display());
    let output = Command::new(&program).env("STEADFAST_OPTIONS", options).output().expect("the program");
    assert_eq!(output.status.code(), Some(23));
    let logs = std::fs::read_dir(scratch.path()).expect("the folder");
    let logs: Vec<_> = logs
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("log.")))
        .collect();
    assert_eq!(logs.len(), 1);
    assert!(std::fs::read_to_string(&logs[0]).expect("a log").contains("SUMMARY: Steadfast"));
}

#[test]
fn a_seed_repeats_a_run() {
    let scratch = tempfile::tempdir().expect("a temporary folder");
    let Some(program) = compiled("chase-lev.c", scratch.path()) else { return };
    let found = |seed: &str| {
        let result = run(&program, "random", 1, &["--seed", seed]);
        result["findings"]
            .as_array()
            .expect("findings")
            .iter()
            .map(|finding| finding["summary"].to_string())
            .collect::<Vec<_>>()
    };
    for seed in ["1", "2", "3", "4", "5"] {
        assert_eq!(found(seed), found(seed), "seed {seed}");
    }
}

#[test]
fn mistakes_get_a_hint() {
    let scratch = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(scratch.path().join("lock.c"), "int main(void) { return 0; }\n").expect("a file");
    for (program, hint) in [("lock.c", "there is ./lock.c in this directory"), ("./lock.c", "`steadfast cc`")] {
        let ended =
            Command::new(STEADFAST).args(["run", program]).current_dir(scratch.path()).output().expect("it runs");
        let text = String::from_utf8_lossy(&ended.stderr);
        assert_eq!(ended.status.code(), Some(2), "{text}");
        assert!(text.contains(hint), "{text}");
    }
    let Some(compiler) = ["gcc", "clang"].into_iter().find(|compiler| is_there(compiler)) else { return };
    let mut asking = Command::new(STEADFAST);
    let ended = asking.args(["cc", "--help"]).env("STEADFAST_CC", compiler).output().expect("it runs");
    let text = String::from_utf8_lossy(&ended.stdout);
    for part in ["STEADFAST_CC", "steadfast cc -O2 lock.c", "What follows is the help of the compiler", "--version"] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn a_program_without_the_runtime_is_not_called_clean() {
    let ended = Command::new(STEADFAST).args(["run", "--", "true"]).output().expect("it runs");
    let text = String::from_utf8_lossy(&ended.stdout);
    assert_eq!(ended.status.code(), Some(3), "{text}");
    assert!(text.contains("was not compiled with `steadfast cc`"), "{text}");
}
