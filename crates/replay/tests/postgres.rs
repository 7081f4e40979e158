//! Tests with a real server. Without PostgreSQL they are skipped, except in CI, where it must be installed.

#![allow(clippy::doc_markdown, reason = "PostgreSQL is a name, not code")]

use std::sync::atomic::AtomicBool;
use steadfast_replay::{Event, Failure, Script, Server, Session, Verdict, find_programs, run_script};

static GO_ON: AtomicBool = AtomicBool::new(false);

fn server() -> Option<Server> {
    let found = find_programs().is_some();
    assert!(found || std::env::var_os("CI").is_none(), "PostgreSQL is missing");
    found.then(|| Server::start(&GO_ON).unwrap())
}

/// Two sessions that read a counter and write one more.
fn lost_update(level: &str, read: &str) -> Script {
    let session = |name: &str| Session { name: name.to_owned(), ..Session::default() };
    let event = |session, text: &str| Event::plain(session, text);
    let begin = format!("BEGIN ISOLATION LEVEL {level}");
    let mut reads = [event(0, read), event(1, read)];
    for one in &mut reads {
        one.into.push("v".to_owned());
    }
    let [first, second] = reads;
    let write = "UPDATE counter SET v = :v + 1 WHERE k = 1";
    let events = vec![
        event(0, &begin),
        first,
        event(1, &begin),
        second,
        event(1, write),
        event(1, "COMMIT"),
        event(0, write),
        event(0, "COMMIT"),
    ];
    let setup = [
        "DROP TABLE IF EXISTS counter",
        "CREATE TABLE counter (k int PRIMARY KEY, v int)",
        "INSERT INTO counter VALUES (1, 0)",
    ];
    Script { setup: setup.map(str::to_owned).to_vec(), sessions: vec![session("a"), session("b")], events }
}

#[test]
fn a_lost_update() {
    let Some(server) = server() else { return };
    let read = "SELECT v FROM counter WHERE k = 1";
    let verdict = |level: &str, read: &str| run_script(&server, &lost_update(level, read), &GO_ON).unwrap().verdict();
    assert_eq!(verdict("READ COMMITTED", read), Verdict::Observed);
    let value = server.connect().unwrap().run("SELECT v FROM counter").unwrap();
    assert_eq!(value.rows, [[Some("1".to_owned())]], "one of two updates is lost");
    assert!(matches!(verdict("REPEATABLE READ", read), Verdict::Refused(error) if error.code == "40001"));
    assert_eq!(verdict("READ COMMITTED", &format!("{read} FOR UPDATE")), Verdict::Prevented);
    let path = server.directory().to_owned();
    drop(server);
    assert!(!path.exists());
}

#[test]
fn an_interruption_leaves_nothing() {
    if find_programs().is_none() {
        return;
    }
    let stop = AtomicBool::new(true);
    assert!(matches!(Server::start(&stop), Err(Failure::Interrupted)));
}
