//! A controlled run can be repeated: from its choice log, also if it crashed or was killed, and from its seed.

use super::{STEADFAST, compile, corpus, is_there, robust, run};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use steadfast_sanitize::choice_log;

/// What `steadfast run` says with these arguments.
fn steadfast(arguments: &[&str], program: &Path, its: &[&str]) -> Output {
    Command::new(STEADFAST).arg("run").args(arguments).arg("--").arg(program).args(its).output().expect("steadfast")
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

fn json(arguments: &[&str], program: &Path, its: &[&str]) -> Value {
    let output = steadfast(&[&["--format", "jsonl"], arguments].concat(), program, its);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", text(&output)))
}

fn path(path: &Path) -> &str {
    path.to_str().expect("a name")
}

/// How the repetition of a run went.
#[derive(Debug, PartialEq)]
enum Repeated {
    Exactly,
    /// It need not be the same: a thread waited in a system call that we do not know, or for a signal.
    Unsteady,
    Wrong(String),
}

fn repeated(program: &Path, logs: &Path, schedule: &str, seed: &str) -> Repeated {
    let arguments = ["--schedule", schedule, "--seed", seed, "--logs", path(logs), "--time-limit", "60"];
    let recorded = json(&arguments, program, &[]);
    let log = logs.join(format!("seed-{seed}.log"));
    if !log.exists() {
        return Repeated::Wrong(format!("no log: {recorded}"));
    }
    let repeated = json(&["--replay", path(&log), "--logs", path(logs), "--time-limit", "60"], program, &[]);
    let [one, two] = [log, logs.join("replay-1.log")].map(|file| choice_log::load(&file).expect("a log"));
    let kinds = |result: &Value| {
        let findings = result["findings"].as_array().expect("findings");
        findings.iter().map(|finding| finding["summary"].to_string()).collect::<Vec<_>>()
    };
    let diverged = repeated["replay"]["diverged_runs"] != 0;
    if one.waits_outside() || two.waits_outside() {
        return Repeated::Unsteady;
    }
    if !diverged && one.choices == two.choices && kinds(&recorded) == kinds(&repeated) {
        return Repeated::Exactly;
    }
    let summary = &repeated["replay"]["divergence"]["summary"];
    Repeated::Wrong(format!("{summary} {} and {} steps", one.choices.len(), two.choices.len()))
}

/// Clocks, timers, signals, cancellation and other processes do not wait for a schedule: programs that use them need not do the same again.
fn is_moved_from_outside(file: &Path) -> bool {
    let text = std::fs::read_to_string(file).expect("a program");
    let words = ["signal.h", "csignal", "time.h", "chrono", "timer", "fork(", "pthread_cancel"];
    words.iter().any(|word| text.contains(word))
}

/// Every controlled run of the corpus takes the same steps when it is repeated from its log, and reports the same.
#[test]
fn the_programs_of_the_corpus_are_repeated_from_their_logs() {
    if !is_there("gcc") {
        return;
    }
    let scratch = tempfile::tempdir().expect("a temporary folder");
    let program = scratch.path().join("program");
    let (mut exactly, mut complaints) = (0, Vec::new());
    for (command, folder, extension) in [("cc", "c", "c"), ("cc", "algorithms", "c"), ("c++", "cpp", "cpp")] {
        for file in corpus(folder, extension) {
            let name = file.file_name().expect("a name").to_string_lossy();
            compile(command, if command == "cc" { "gcc" } else { "g++" }, "-O1", &file, &program);
            for (schedule, seed) in [("random", "1"), ("pct", "2")] {
                let logs = scratch.path().join("logs");
                match repeated(&program, &logs, schedule, seed) {
                    Repeated::Exactly => exactly += 1,
                    Repeated::Unsteady => {}
                    Repeated::Wrong(_) if is_moved_from_outside(&file) => {}
                    Repeated::Wrong(why) => complaints.push(format!("{name}, {schedule}: {why}")),
                }
                let _ = std::fs::remove_dir_all(&logs);
            }
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
    assert!(exactly > 200, "{exactly}");
}

/// A program in which one preemption loses an update, and aborts it, with a log of a run in which that happens.
fn crash(scratch: &Path) -> Option<(PathBuf, String)> {
    let program = robust("lost-update.c", scratch)?;
    let logs = scratch.join("logs");
    let arguments = ["--schedule", "random", "--runs", "100", "--stop-at-first", "--logs", path(&logs)];
    let result = json(&arguments, &program, &[]);
    let failure = &result["failures"][0];
    assert_eq!((&failure["how"], &failure["run"]), (&"signal".into(), &(result["runs"].as_u64().unwrap() - 1).into()));
    assert!(failure["repeat"].as_str().expect("a command").contains("--replay "), "{failure}");
    Some((program, failure["log"].as_str().expect("a log").to_owned()))
}

/// Results with failures, logs, lengths and divergences.
pub(crate) fn results(scratch: &Path) -> Vec<Value> {
    let Some((program, log)) = crash(scratch) else { return Vec::new() };
    let logs = scratch.join("more");
    vec![
        json(&["--replay", &log, "--logs", path(&logs)], &program, &[]),
        json(&["--schedule", "pct", "--runs", "50"], &program, &[]),
        json(&["--replay", &log], Path::new("true"), &[]),
    ]
}

#[test]
fn the_log_of_a_crash_repeats_the_crash() {
    let scratch = tempfile::tempdir().expect("a temporary folder");
    let Some((program, log)) = crash(scratch.path()) else { return };
    let result = json(&["--replay", &log, "--runs", "20"], &program, &[]);
    assert_eq!((&result["failed_runs"], &result["replay"]["diverged_runs"]), (&20.into(), &0.into()), "{result}");
    assert_eq!(result["failures"][0]["how"], "signal");
    let output = steadfast(&["--replay", &log], &program, &[]);
    assert_eq!(output.status.code(), Some(3));
    assert!(
        text(&output).contains(&format!("with: steadfast run --replay {log} -- {}", path(&program))),
        "{}",
        text(&output)
    );
}

#[test]
fn a_run_that_was_killed_or_took_too_long_has_its_log() {
    let scratch = tempfile::tempdir().expect("a temporary folder");
    let Some(program) = robust("lost-update.c", scratch.path()) else { return };
    let logs = scratch.path().join("logs");
    let arguments =
        ["--schedule", "random", "--runs", "100", "--stop-at-first", "--logs", path(&logs), "--time-limit", "2"];
    let result = json(&arguments, &program, &["for ever"]);
    assert_eq!(result["failures"][0]["how"], "time-out", "{result}");
    let log = choice_log::load(Path::new(result["failures"][0]["log"].as_str().expect("a log"))).expect("a log");
    // On a fast machine the log is full by then.
    assert!(log.choices.len() > 1000, "{}", log.choices.len());
    let Some(program) = robust("killed.c", scratch.path()) else { return };
    let result = json(&["--schedule", "random", "--logs", path(&logs)], &program, &["kill"]);
    assert_eq!(result["failures"][0]["how"], "signal", "{result}");
    let log = result["failures"][0]["log"].as_str().expect("a log");
    let repeated = json(&["--replay", log], &program, &["kill"]);
    assert_eq!((&repeated["replay"]["diverged_runs"], &repeated["failed_runs"]), (&0.into(), &1.into()), "{repeated}");
}

#[test]
fn another_program_diverges_and_is_no_repetition() {
    let scratch = tempfile::tempdir().expect("a temporary folder");
    let Some((_, log)) = crash(scratch.path()) else { return };
    let Some(other) = robust("example-3.1.c", scratch.path()) else { return };
    let output = steadfast(&["--replay", &log, "--runs", "2", "--format", "full"], &other, &["apart"]);
    assert!(text(&output).contains("2 runs diverged from the log: in run 1, step "), "{}", text(&output));
    let result = json(&["--replay", &log], Path::new("true"), &[]);
    assert_eq!(result["replay"]["diverged_runs"], 1, "{result}");
    assert!(result["replay"]["divergence"]["summary"].as_str().expect("text").contains("run 1 made no step under"));
    assert_eq!(steadfast(&["--replay", &log], Path::new("true"), &[]).status.code(), Some(3));
}

#[test]
fn a_log_that_is_none_is_refused_with_a_hint() {
    let scratch = tempfile::tempdir().expect("a temporary folder");
    let Some((program, log)) = crash(scratch.path()) else { return };
    let whole = std::fs::read(&log).expect("a log");
    let mut newer = whole.clone();
    newer[8] = 9;
    let mut garbled = whole.clone();
    garbled[256 + 18] = 250;
    for (bytes, hint) in [
        (&b"hello"[..], "not a choice log; `steadfast run --logs DIR` writes them"),
        (&whole[..100], "a part of it is missing"),
        (&whole[..whole.len() - 1], "a part of it is missing"),
        (&newer, "has version 9, and this Steadfast reads version 1; record it again"),
        (&garbled, "record 0 makes no sense"),
    ] {
        std::fs::write(&log, bytes).expect("a file");
        let output = steadfast(&["--replay", &log], &program, &[]);
        assert_eq!(output.status.code(), Some(2), "{}", text(&output));
        assert!(text(&output).contains(hint), "{hint}: {}", text(&output));
    }
    for arguments in [
        &["--replay", "no/such/file"][..],
        &["--replay", "/"],
        &["--logs", "logs"],
        &["--schedule", "random", "--logs", "/dev/null/logs"],
    ] {
        let output = steadfast(arguments, &program, &[]);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", text(&output));
    }
    assert!(text(&steadfast(&["--logs", "logs"], &program, &[])).contains("add --schedule with one of random"));
}

/// The first run expects 200 steps, of which there are about 23; the others expect what there was. Then a single change of priorities at the right step is found, and repeated by its seed and length.
#[test]
fn pct_learns_how_long_runs_are() {
    let scratch = tempfile::tempdir().expect("a temporary folder");
    let Some(program) = robust("lost-update.c", scratch.path()) else { return };
    let failed = |more: &[&str]| run(&program, "pct", 200, more);
    let (told, learnt) = (failed(&["--length", "200"]), failed(&[]));
    let [before, after] = [&told, &learnt].map(|result| result["failed_runs"].as_u64().expect("a number"));
    assert!(after >= 8 && after > 2 * before, "{before} {after}");
    let failure = &learnt["failures"][0];
    assert!(failure["length"].as_u64().expect("a length") < 50, "{failure}");
    let [seed, length] = ["seed", "length"].map(|name| failure[name].to_string());
    let again = run(&program, "pct", 1, &["--seed", &seed, "--length", &length]);
    assert_eq!((&again["failed_runs"], &again["failures"][0]["steps"]), (&1.into(), &failure["steps"]), "{again}");
    let output = steadfast(&["--schedule", "pct", "--runs", "200", "--stop-at-first"], &program, &[]);
    let command = format!("with: steadfast run --schedule pct --seed {seed} --length {length} -- {}", path(&program));
    assert!(text(&output).contains(&command), "{command}: {}", text(&output));
}

/// The child of a fork is not controlled, and the log is not its own.
#[test]
fn children_do_not_write_into_the_log() {
    let scratch = tempfile::tempdir().expect("a temporary folder");
    if !is_there("gcc") {
        return;
    }
    let (source, program, logs) =
        (scratch.path().join("fork.c"), scratch.path().join("fork"), scratch.path().join("logs"));
    let code = "// verdict: silent\n#include <pthread.h>\n#include <stdatomic.h>\n#include <sys/wait.h>\n#include <unistd.h>\n\
                static atomic_int shared;\nstatic void *thread(void *none) { atomic_fetch_add(&shared, 1); return none; }\n\
                int main(void) {\n    pthread_t other;\n    pthread_create(&other, 0, thread, 0);\n    if (fork() == 0) {\n\
                    for (int i = 0; i < 1000; i++) atomic_fetch_add(&shared, 1);\n        _exit(0);\n    }\n    wait(0);\n\
                    return pthread_join(other, 0);\n}\n";
    std::fs::write(&source, code).expect("a file");
    compile("cc", "gcc", "-O1", &source, &program);
    assert_eq!(repeated(&program, &logs, "random", "1"), Repeated::Exactly);
    assert!(choice_log::load(&logs.join("seed-1.log")).expect("a log").choices.len() < 100);
}

#[test]
fn several_processes_are_noticed() {
    let scratch = tempfile::tempdir().expect("a temporary folder");
    let Some(program) = robust("example-3.1.c", scratch.path()) else { return };
    let output = steadfast(&["--schedule", "random"], Path::new("sh"), &["-c", "\"$0\"; \"$0\"", path(&program)]);
    assert!(text(&output).contains("1 run had several processes with a schedule"), "{}", text(&output));
}
