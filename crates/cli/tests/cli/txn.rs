//! `steadfast txn`, as users meet it.

#![allow(clippy::doc_markdown, reason = "PostgreSQL is a name, not code")]

use crate::steadfast::{command, finish, root, steadfast};
use serde_json::Value;
use std::fs;

fn check(text: &str, options: &[&str]) -> crate::steadfast::Ended {
    let arguments: Vec<_> = ["txn", "check", "-"].iter().chain(options).copied().collect();
    finish(command(&arguments), text.as_bytes())
}

#[test]
fn exit_codes_tell_the_verdict() {
    assert_eq!(steadfast(&["txn", "check", "--model", "si", "corpus/transactions/lost-update.txn"]).code, 0);
    assert_eq!(steadfast(&["txn", "check", "--model", "ccv", "corpus/transactions/lost-update.txn"]).code, 1);
    assert_eq!(steadfast(&["txn", "check", "nowhere.txn"]).code, 2);
    assert_eq!(check("shared x; process p { txn { y := z; } }", &[]).code, 2);
    let large = steadfast(&["txn", "check", "--model=ccv", "--max-states=2000", "corpus/transactions/six-by-four.txn"]);
    assert_eq!(large.code, 3, "{}", large.stdout);
    assert!(check("shared x; process p { txn { x := 1; } }", &["--model", "rc"]).stdout.contains("E0620"));
}

#[test]
fn a_mistake_is_shown_in_its_line() {
    let ended =
        check("shared counter;\nprocess p {\n    txn { conter := 1; r := conuter; }\n}\n", &["--format", "concise"]);
    assert_eq!(ended.stdout, "<stdin>:3:29: error[E0602]: unknown name `conuter`\n");
}

#[test]
fn json_fits_its_schema() {
    let schema = fs::read_to_string(root().join("docs/schema/txn.json")).unwrap();
    let validator = jsonschema::validator_for(&serde_json::from_str(&schema).unwrap()).unwrap();
    let mut files: Vec<_> = fs::read_dir(root().join("corpus/transactions"))
        .unwrap()
        .map(|entry| format!("corpus/transactions/{}", entry.unwrap().file_name().display()))
        .collect();
    files.retain(|file| std::path::Path::new(file).extension().is_some_and(|extension| extension == "txn"));
    files.sort();
    files.push("nowhere.txn".to_owned());
    files.push("corpus/transactions/smallbank-sql".to_owned());
    let arguments: Vec<_> =
        ["txn", "check", "-f", "json"].into_iter().chain(files.iter().map(String::as_str)).collect();
    let results: Value = serde_json::from_str(&steadfast(&arguments).stdout).unwrap();
    let problems: Vec<_> = validator.iter_errors(&results).map(|error| error.to_string()).collect();
    assert!(problems.is_empty(), "{problems:#?}");
    let witnesses: Vec<_> = results.as_array().unwrap().iter().filter(|result| !result["witness"].is_null()).collect();
    assert!(witnesses.len() > 5 && witnesses.iter().all(|result| result["witness"]["confirmed"] == true));
}

#[test]
fn a_history_that_diverges() {
    let ended = steadfast(&["txn", "history", "corpus/transactions/divergence.plume"]);
    assert_eq!(ended.code, 1, "{}", ended.stdout);
    assert!(ended.stdout.contains(": satisfied (cc, 4 operations)"), "{}", ended.stdout);
    assert!(ended.stdout.contains(": violated: these orders contradict each other (ccv"), "{}", ended.stdout);
}

/// The verdicts for cc, ccv, cm, si and ser, as the lines say them.
fn history(text: &str, options: &[&str]) -> (i32, Vec<String>) {
    let arguments: Vec<_> = ["txn", "history", "-"].iter().chain(options).copied().collect();
    let ended = finish(command(&arguments), text.as_bytes());
    let verdict = |line: &str| Some(line.strip_prefix("<stdin>: ")?.split([':', ' ']).next()?.to_owned());
    (ended.code, ended.stdout.lines().filter_map(verdict).collect())
}

#[test]
fn histories_of_all_formats() {
    let skew = ["satisfied", "satisfied", "satisfied", "satisfied", "violated"].map(str::to_owned).to_vec();
    let plume = "r(x,0,a,1)\nw(y,1,a,1)\nr(y,0,b,2)\nw(x,2,b,2)\n";
    let text = "[x==? y:=1]\n---\n[y==? x:=2]\n";
    let json = r#"[[{"events":[["r",0,null],["w",1,1]],"committed":true}],[{"events":[["r",1,null],["w",0,2]],"committed":true}]]"#;
    let edn = "{:type :ok :process 0 :value [[:r x []] [:append y 1]]}\n{:type :ok :process 1 :value [[:r y []] [:append x 2]]}";
    for history_text in [plume, text, json, edn] {
        assert_eq!(history(history_text, &[]), (1, skew.clone()), "{history_text}");
    }
    assert_eq!(history(text, &["--model", "si,cm"]), (0, vec!["satisfied".to_owned(); 2]));
}

#[test]
fn a_search_that_takes_too_long_is_inconclusive() {
    // Writers that nobody orders: every order is possible, and none is ruled out before it was tried.
    let session = |number: i32| format!("[a{number}==? x{number}:=1] [x{number}:=2]\n---\n");
    let text: String = (0..40).map(session).collect();
    assert_eq!(history(&text, &["--model", "ser", "--max-states", "1", "--time-limit", "5"]).1.len(), 1);
    let (code, verdicts) = history(&text, &["--model", "ser", "--time-limit", "0"]);
    assert_eq!((code, &*verdicts[0]), (3, "inconclusive"));
}

#[test]
fn mistakes_in_histories_have_places() {
    for text in [
        "[x:=1 y=2]\n",
        "w(x,1,a,1)\nw(x)\n",
        "{:type :ok :value [[:cas 1 2]]}",
        "[[{\"events\":[3]}]]",
        "[{:type",
        "hello",
    ] {
        let ended = finish(command(&["txn", "history", "-"]), text.as_bytes());
        assert_eq!(ended.code, 2, "{text}");
        assert!(ended.stdout.contains("<stdin>:") && ended.stdout.contains('^'), "{text}: {}", ended.stdout);
    }
}

/// What makes no sense ends quickly, with an error that has a place if there is a text.
#[test]
fn nonsense_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    let truncated = "shared x; process p { txn { x := ";
    let long = "shared x; process p { txn { x := 1; } }\n".repeat(100_000);
    let cases: [(&str, &[u8]); 7] = [
        ("binary.txn", &[0, 159, 146, 150, 10, 255]),
        ("empty.txn", b""),
        ("truncated.txn", truncated.as_bytes()),
        ("nonsense.txn", b"select * from nowhere ???"),
        ("long.txn", long.as_bytes()),
        ("binary.sql", &[0, 255, 1]),
        ("nonsense.sql", b"CREATE TABLE t (a int PRIMARY KEY); SELECT * FORM t WHERE;"),
    ];
    for (name, content) in cases {
        fs::write(path(name), content).unwrap();
        for verb in ["check", "fix", "history"] {
            let file = path(name).display().to_string();
            let started = std::time::Instant::now();
            let ended = steadfast(&["txn", verb, &file]);
            assert_eq!(ended.code, 2, "{verb} {name}: {}{}", ended.stdout, ended.stderr);
            assert!(started.elapsed().as_secs() < 10, "{verb} {name}");
        }
    }
    fs::create_dir(path("nothing")).unwrap();
    for verb in ["check", "fix", "replay"] {
        assert_eq!(steadfast(&["txn", verb, &path("nothing").display().to_string()]).code, 2);
        assert_eq!(steadfast(&["txn", verb, &path("missing").display().to_string()]).code, 2);
    }
}

#[test]
fn sql_that_is_not_understood_is_shown_in_its_line() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("schema.sql"), "CREATE TABLE t (a int PRIMARY KEY, b int);").unwrap();
    fs::write(directory.path().join("change.sql"), "UPDATE t SET b = 1 WHERE a = :a;\nTRUNCATE t;\n").unwrap();
    let ended = steadfast(&["txn", "check", "--format", "concise", &directory.path().display().to_string()]);
    assert_eq!(ended.code, 2);
    assert!(
        ended.stdout.ends_with("change.sql:2:1: error[E0641]: `TRUNCATE t …` is not understood\n"),
        "{}",
        ended.stdout
    );
}

#[test]
fn templates_have_a_time_limit() {
    let parameters: Vec<String> = (0..6).map(|at| format!("p{at}")).collect();
    let operations: Vec<String> = parameters.iter().map(|name| format!("update T[{name}]; read U[{name}];")).collect();
    let operations = operations.join(" ");
    let text = format!("template big({}) {{ {operations} }} template w(a) {{ write U[a]; }}", parameters.join(", "));
    let ended = check(&text, &["--model", "si", "--time-limit", "0.2"]);
    assert!([1, 3].contains(&ended.code), "{}", ended.stdout);
}

/// Whether there is a PostgreSQL; in CI there has to be one.
fn postgres() -> bool {
    let found = steadfast_replay::find_programs().is_some();
    assert!(found || std::env::var_os("CI").is_none(), "PostgreSQL is missing");
    found
}

#[test]
fn violations_are_replayed_on_postgres() {
    if !postgres() {
        return;
    }
    let replayed = |arguments: &[&str]| {
        let ended = steadfast(&[&["txn", "replay"], arguments].concat());
        (ended.code, ended.stdout.lines().last().unwrap_or_default().to_owned())
    };
    let smallbank = "corpus/transactions/smallbank-sql";
    let (code, line) = replayed(&[smallbank]);
    assert!(code == 1 && line.contains("observed at REPEATABLE READ"), "{line}");
    let (code, line) = replayed(&["--at", "ssi", smallbank]);
    assert!(code == 0 && line.contains("SQLSTATE 40001"), "{line}");
    let (code, line) = replayed(&["--locked", smallbank]);
    assert!(code == 0 && line.contains("prevented at REPEATABLE READ"), "{line}");
    let (code, line) = replayed(&["corpus/transactions/smallbank-sql-promoted"]);
    assert!(code == 0 && line.contains("nothing to replay"), "{line}");
}

#[test]
fn causal_violations_are_replayed_on_two_servers() {
    if !postgres() {
        return;
    }
    let buffering = "corpus/transactions/store-buffering.txn";
    for model in ["cm", "ccv"] {
        let ended = steadfast(&["txn", "replay", "--model", model, buffering]);
        assert!(ended.code == 1 && ended.stdout.contains("observed on a store"), "{}{}", ended.stdout, ended.stderr);
    }
    let race = "corpus/transactions/divergence.txn";
    let memory = steadfast(&["txn", "replay", "--model", "cm", race]);
    assert!(memory.code == 1 && memory.stdout.contains("at A and"), "{}", memory.stdout);
    let convergence = steadfast(&["txn", "replay", "--model", "cm", "--at", "ccv", race]);
    assert!(convergence.code == 0 && convergence.stdout.contains("both sites agree"), "{}", convergence.stdout);
}
