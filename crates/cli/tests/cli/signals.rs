//! Ctrl-C, and readers that go away.

#![cfg(unix)]

use crate::steadfast::command;
use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A program that takes much longer than a test.
const LONG: &str = "corpus/large/rcu-offline-4.sf";

fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill").args([name, &child.id().to_string()]).status().expect("kill can be run");
    assert!(sent.success());
}

fn start(arguments: &[&str]) -> Child {
    let mut command = command(arguments);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().expect("the binary starts");
    std::thread::sleep(Duration::from_millis(700));
    child
}

#[test]
fn an_interrupt_gives_a_partial_result() {
    let started = Instant::now();
    let child = start(&["check", "--model", "ra", LONG, "corpus/litmus/mp.sf"]);
    signal(&child, "-INT");
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(130), "{text}");
    assert!(text.contains("inconclusive (ra, graph): it was interrupted"), "{text}");
    assert!(String::from_utf8(output.stderr).unwrap().contains("1 file left out"));
    assert!(started.elapsed() < Duration::from_secs(60), "{:?}", started.elapsed());
}

#[test]
fn a_reader_that_goes_away_is_no_panic() {
    let mut arguments = vec!["check", "--model", "all"];
    arguments.resize(60, "corpus/litmus/sb.sf");
    let mut command = command(&arguments);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut first = [0; 10];
    let mut stdout = child.stdout.take().unwrap();
    stdout.read_exact(&mut first).unwrap();
    drop(stdout);
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
    assert_eq!(output.status.code(), Some(1));
}
