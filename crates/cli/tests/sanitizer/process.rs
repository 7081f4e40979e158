//! How the runtime and `steadfast run` live with the process that they watch: however it ends, and whatever it was given.

use super::{STEADFAST, compiled, is_there, robust};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The ways to end that have an exit code of the program's own, or would have.
const WITH_A_CODE: [&str; 4] = ["leave", "leave by number", "end the thread", "daemon"];

#[test]
fn a_report_survives_the_end_of_the_process() {
    let scratch = tempfile::tempdir().expect("a temporary folder");
    let Some(program) = robust("killed.c", scratch.path()) else { return };
    let ends = ["kill", "abort", "crash", "leave", "fork"].map(|how| vec![how]);
    // A stale read that is held back, because it may belong to a loop, is told at the last moment.
    let signals = ["terminate", "alarm", "user", "pipe", "time", "call", "input", "profile", "trap", "real-time"];
    let others = ["abort", "crash", "process", "default", "exec", "exec by number", "return", "two"];
    let held = signals.iter().chain(&others).chain(&WITH_A_CODE).map(|how| vec![*how, "at once"]);
    for how in ends.into_iter().chain(held) {
        let output = Command::new(&program).args(&how).output().expect("the program");
        let text = stderr(&output);
        for part in
            ["WARNING: Steadfast: robustness violation", "killed.c:", "SUMMARY: Steadfast: robustness violation"]
        {
            assert!(text.contains(part), "{how:?}, {part}: {text}");
        }
        assert_eq!(text.matches("SUMMARY").count(), 1, "{how:?}: {text}");
        let code = output.status.code();
        assert!(!WITH_A_CODE.contains(&how[0]) || code == Some(66), "{how:?}: {code:?}");
    }
}

#[test]
fn the_program_does_not_notice_who_shows_its_reports() {
    let scratch = tempfile::tempdir().expect("a temporary folder");
    let Some(program) = robust("children.c", scratch.path()) else { return };
    for ignored in [false, true] {
        let mut running = Command::new(&program);
        let output = running.args(ignored.then_some("ignored")).env("STEADFAST_OPTIONS", "exitcode=0").output();
        let output = output.expect("the program");
        assert_eq!(output.status.code(), Some(0), "{ignored}: {}", stderr(&output));
        assert_eq!(stderr(&output).matches("SUMMARY: Steadfast: data race").count(), 1, "{}", stderr(&output));
        assert!(!stderr(&output).contains("raw addresses"), "{}", stderr(&output));
    }
}

#[test]
fn a_program_without_standard_files_can_report() {
    let scratch = tempfile::tempdir().expect("a temporary folder");
    let Some(program) = robust("children.c", scratch.path()) else { return };
    let log = scratch.path().join("a log: with blanks");
    let options = format!("log_path=\"{}\"", log.display());
    let closed = Command::new("sh")
        .args(["-c", "exec \"$0\" <&- >&- 2>&-"])
        .arg(&program)
        .env("STEADFAST_OPTIONS", options)
        .status()
        .expect("the program");
    assert_eq!(closed.code(), Some(66));
    let logs: Vec<_> = std::fs::read_dir(scratch.path()).expect("a folder").flatten().collect();
    let log = logs.iter().find(|entry| entry.file_name().to_string_lossy().starts_with("a log"));
    let text = std::fs::read_to_string(log.expect("a log").path()).expect("a text");
    assert!(text.contains("SUMMARY: Steadfast: data race"), "{text}");
}

#[test]
fn the_end_does_not_wait_for_somebody_who_reads() {
    let scratch = tempfile::tempdir().expect("a temporary folder");
    let Some(program) = robust("reader.c", scratch.path()) else { return };
    let mut running = Command::new(&program);
    running.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = running.spawn().expect("the program");
    // Nobody writes, and nobody closes it.
    let input = child.stdin.take();
    let output = child.wait_with_output().expect("an end");
    drop(input);
    assert_eq!((output.status.code(), &*String::from_utf8_lossy(&output.stdout)), (Some(66), "written"));
}

#[test]
fn a_quick_end_leaves_buffers_alone() {
    let scratch = tempfile::tempdir().expect("a temporary folder");
    let Some(program) = robust("quick.c", scratch.path()) else { return };
    let output = Command::new(&program).output().expect("the program");
    assert_eq!((output.status.code(), &*String::from_utf8_lossy(&output.stdout)), (Some(66), ""));
}

#[test]
fn a_block_is_not_attributed_to_an_earlier_new() {
    let scratch = tempfile::tempdir().expect("a temporary folder");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/sanitizer/robust");
    let program = scratch.path().join("program");
    for compiler in ["g++", "clang++"].into_iter().filter(|compiler| is_there(compiler)) {
        let mut compiling = Command::new(STEADFAST);
        compiling.args(["c++", "-O1", "-pthread"]).args(["pool.cpp", "pool-new.cpp"].map(|file| folder.join(file)));
        let compiled = compiling.arg("-o").arg(&program).env("STEADFAST_CXX", compiler).output().expect("steadfast");
        assert!(compiled.status.success(), "{compiler}: {}", stderr(&compiled));
        let output = Command::new(&program).output().expect("the program");
        let text = stderr(&output);
        assert!(text.contains("allocated by main thread:\n    #0 from_malloc"), "{compiler}: {text}");
    }
}

#[test]
fn the_header_is_ordinary_c_without_us() {
    let scratch = tempfile::tempdir().expect("a temporary folder");
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let program = scratch.path().join("program");
    for (compiler, file) in [("gcc", "c"), ("clang", "c"), ("g++", "cpp"), ("clang++", "cpp")] {
        if !is_there(compiler) {
            continue;
        }
        let source = project.join("corpus/sanitizer/robust/header").with_extension(file);
        let mut alone = Command::new(compiler);
        alone.args(["-Wall", "-Wextra", "-Werror", "-I"]).arg(project.join("crates/rt/include"));
        let mut with_us = Command::new(STEADFAST);
        let variable = if file == "c" { "STEADFAST_CC" } else { "STEADFAST_CXX" };
        with_us.arg(if file == "c" { "cc" } else { "c++" }).env(variable, compiler);
        for mut compiling in [alone, with_us] {
            let output = compiling.arg(&source).arg("-o").arg(&program).output().expect("a compiler");
            assert!(output.status.success(), "{compiler}: {}", stderr(&output));
            assert!(Command::new(&program).status().expect("the program").success(), "{compiler}");
        }
    }
}

#[test]
fn temporary_files_can_be_anywhere() {
    let scratch = tempfile::tempdir().expect("a temporary folder");
    let Some(program) = compiled("race.c", scratch.path()) else { return };
    let strange = scratch.path().join("with blanks: and, colons");
    std::fs::create_dir(&strange).expect("a folder");
    let output = Command::new(STEADFAST).arg("run").arg(&program).env("TMPDIR", &strange).output().expect("steadfast");
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
}

/// A script that starts another program, which goes on for a long time.
fn script(scratch: &Path) -> std::path::PathBuf {
    use std::os::unix::fs::PermissionsExt;
    let path = scratch.join("script");
    let text = format!("#!/bin/sh\nsleep 1000 &\necho $! > '{}'\nwait\n", scratch.join("number").display());
    std::fs::write(&path, text).expect("a file");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("a script");
    path
}

fn is_running(scratch: &Path) -> bool {
    let number = std::fs::read_to_string(scratch.join("number")).unwrap_or_default();
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", number.trim())).unwrap_or_default();
    stat.contains("(sleep)") && !stat.contains(") Z ")
}

fn eventually(test: impl Fn() -> bool) -> bool {
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(20) {
        if test() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    false
}

#[test]
fn a_time_limit_ends_what_the_program_has_started() {
    let scratch = tempfile::tempdir().expect("a temporary folder");
    let script = script(scratch.path());
    let output = Command::new(STEADFAST).args(["run", "--time-limit", "1"]).arg(script).output().expect("steadfast");
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(3), "{text}");
    assert!(text.contains("1 run ended with an error of the program or took too long (too long)"), "{text}");
    assert!(eventually(|| !is_running(scratch.path())));
}

#[test]
fn an_interrupt_keeps_what_was_found() {
    let scratch = tempfile::tempdir().expect("a temporary folder");
    let script = script(scratch.path());
    let mut running = Command::new(STEADFAST);
    running.args(["run", "--runs", "1000", "--format", "json"]).arg(script).stdout(Stdio::piped());
    let child = running.spawn().expect("steadfast");
    assert!(eventually(|| is_running(scratch.path())));
    let number = child.id().to_string();
    Command::new("sh").args(["-c", "kill -INT $0", &number]).status().expect("a signal");
    let output = child.wait_with_output().expect("an end");
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(130), "{text}");
    assert!(text.contains("\"interrupted\": true"), "{text}");
    assert!(eventually(|| !is_running(scratch.path())));
}

#[test]
fn what_the_program_writes_is_not_in_the_document() {
    let arguments = ["run", "--format", "json", "--runs", "2", "sh", "-c", "echo hello"];
    let ended = Command::new(STEADFAST).args(arguments).output().expect("it runs");
    let document: serde_json::Value = serde_json::from_slice(&ended.stdout).expect("nothing but JSON");
    assert_eq!(document[0]["runs"], 2);
    assert_eq!(String::from_utf8_lossy(&ended.stderr), "hello\nhello\n");
}

#[test]
fn an_exit_code_of_the_program_is_not_taken_for_ours() {
    let ended = Command::new(STEADFAST).args(["run", "sh", "-c", "exit 66"]).output().expect("it runs");
    let text = String::from_utf8_lossy(&ended.stdout);
    assert_eq!(ended.status.code(), Some(3), "{text}");
    assert!(text.contains("(exit status: 66)"), "{text}");
}

/// Neither a report that is suppressed nor one that is shown makes a success of a failure.
#[test]
fn a_program_that_fails_has_failed_whatever_it_reports() {
    let scratch = tempfile::tempdir().expect("a temporary folder");
    let Some(program) = robust("failing.c", scratch.path()) else { return };
    let rules = scratch.path().join("rules");
    std::fs::write(&rules, "race:failing.c\n").expect("a file");
    let run = |how: &str, options: &str| {
        let mut running = Command::new(STEADFAST);
        running.args(["run", "--schedule", "random"]).arg(&program).arg(how).env("STEADFAST_OPTIONS", options);
        let output = running.output().expect("steadfast");
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let suppressed = format!("suppressions=\"{}\"", rules.display());
    for (how, options, code, part) in [
        ("fail", &*suppressed, 3, "Nothing was reported in 1 run; 1 run ended with an error of the program"),
        ("fail", "", 1, "1 finding, in 1 of 1 run; 1 run ended with an error of the program"),
        ("succeed", &suppressed, 0, "Nothing was reported in 1 run.\n"),
        ("succeed", "exitcode=23", 1, "1 finding, in 1 of 1 run.\n"),
        ("deadlock", "", 1, "1 finding, in 1 of 1 run.\n"),
    ] {
        let (ended, text) = run(how, options);
        assert_eq!(ended, Some(code), "{how} {options}: {text}");
        assert!(text.contains(part), "{how} {options}: {text}");
    }
}
