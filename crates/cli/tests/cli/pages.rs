//! Pages, pictures, and everything else that is made for looking at results.

use crate::steadfast::{root, steadfast};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn pictures_and_pages_are_written_for_every_result() {
    let folder = folder("pages");
    let (page, picture) = (folder.join("out.html"), folder.join("out.svg"));
    let files =
        ["corpus/litmus/sb.sf", "corpus/litmus/mp.sf", "corpus/litmus/2+2w.sf", "corpus/litmus/race-write-read.sf"];
    let mut arguments = vec!["check", "--report", page.to_str().unwrap(), "--graph", picture.to_str().unwrap()];
    arguments.extend(files);
    assert_eq!(steadfast(&arguments).code, 1);
    for number in ["out.html", "out.2.html", "out.3.html", "out.4.html"] {
        let text = read(&folder.join(number));
        assert!(text.starts_with("<!DOCTYPE html>") && text.ends_with("</html>\n"), "{number}");
        assert!(text.contains("default-src 'none'"), "{number}");
    }
    assert!(read(&folder.join("out.2.html")).contains("Every state that the program can reach"));
    assert!(read(&folder.join("out.4.html")).contains("nothing orders the two"));
    // The robust one has no picture.
    assert!(read(&folder.join("out.3.svg")).starts_with("<svg xmlns") && !folder.join("out.4.svg").exists());
    let dot = folder.join("out.dot");
    assert_eq!(steadfast(&["check", "--graph", dot.to_str().unwrap(), "corpus/litmus/sb.sf"]).code, 1);
    assert!(read(&dot).starts_with("digraph"));
    assert_eq!(steadfast(&["check", "--report", "/no/such/place.html", "corpus/litmus/mp.sf"]).code, 2);
}

#[test]
fn a_violation_can_be_drawn_in_the_terminal() {
    let drawn = steadfast(&["check", "--graph", "-", "corpus/litmus/sb.sf"]).stdout;
    assert!(drawn.contains("(5) read x = 0   | --fr--> (2)"), "{drawn}");
    // Other programs get what they can read.
    let json = steadfast(&["check", "--graph", "-", "--format", "json", "corpus/litmus/sb.sf"]).stdout;
    assert!(serde_json::from_str::<Value>(&json).is_ok());
}

#[test]
fn a_violation_comes_with_its_repair() {
    let page = folder("repair").join("sb.html");
    steadfast(&["check", "--report", page.to_str().unwrap(), "corpus/litmus/sb.sf"]);
    let text = read(&page);
    assert!(text.contains("nothing cheaper makes it so") && text.contains("<tr class=\"new\">"), "{text}");
}

#[test]
fn other_commands_have_pages_too() {
    let folder = folder("others");
    let page = |name: &str| folder.join(name).display().to_string();
    let fix = page("fix.html");
    assert_eq!(steadfast(&["fix", "--model", "tso", "--report", &fix, "corpus/programs/dekker-sc.sf"]).code, 0);
    assert!(read(Path::new(&fix)).contains("<span class=\"verdict good\">repaired</span>"));
    assert!(read(Path::new(&fix)).contains("id=\"graph\"") && read(Path::new(&fix)).contains("fence(seq_cst)"));
    let relax = page("relax.html");
    assert_eq!(steadfast(&["relax", "--report", &relax, "corpus/programs/singleton.sf"]).code, 0);
    assert!(read(Path::new(&relax)).contains("relax"));
    if std::process::Command::new("z3").arg("--version").output().is_ok() {
        let proved = page("proved.html");
        assert_eq!(steadfast(&["prove", "--report", &proved, "corpus/proofs/seqlock.sf"]).code, 0);
        let text = read(Path::new(&proved));
        assert!(
            text.contains("<span class=\"verdict good\">trace-robust</span>")
                && text.contains("Why each store is harmless"),
            "{text}"
        );
    }
    let skew = page("skew.html");
    assert_eq!(
        steadfast(&["txn", "check", "--model", "si", "--report", &skew, "corpus/transactions/write-skew.txn"]).code,
        1
    );
    let text = read(Path::new(&skew));
    for part in ["doctor[0]", "doctor[1]", "RW on_call", "leave begins", "leave commits", "write skew"] {
        assert!(text.contains(part), "{part}");
    }
    let bank = page("bank.html");
    assert_eq!(
        steadfast(&["txn", "check", "--model", "si", "--report", &bank, "corpus/transactions/smallbank-sql"]).code,
        1
    );
    assert!(read(Path::new(&bank)).contains("class=\"edge fr cycle\""));
}

#[test]
fn the_programs_in_the_explanations_of_shapes_are_as_they_say() {
    let folder = folder("shapes");
    for (name, shown) in [
        ("sb", "store buffering"),
        ("MP", "message passing"),
        ("lb", "load buffering"),
        ("IRIW", "independent reads"),
        ("2+2W", "two writes each"),
        ("wrc", "causality"),
    ] {
        let ended = steadfast(&["explain", name]);
        assert!(ended.code == 0 && ended.stdout.contains(shown), "{name}: {}", ended.stdout);
        let program = ended.stdout.split("```c\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
        let file = folder.join(format!("{name}.sf"));
        fs::write(&file, program).unwrap();
        let tested = steadfast(&["test", file.to_str().unwrap()]);
        assert_eq!(tested.code, 0, "{name}: {}", tested.stdout);
    }
    for name in ["lost-update", "write skew", "Long-Fork"] {
        let ended = steadfast(&["explain", name]);
        let program = ended.stdout.split("```txn\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
        let file = folder.join("shape.txn");
        fs::write(&file, program).unwrap();
        let checked = steadfast(&["txn", "check", "--format", "json", file.to_str().unwrap()]);
        let results: Vec<Value> = serde_json::from_str(&checked.stdout).unwrap();
        assert_eq!(results.len(), program.matches("#![expect(").count(), "{name}");
        for result in results {
            let verdict = result["verdict"].as_str().unwrap().replace('-', "_");
            let expected = format!("#![expect({verdict}, model = {})]", result["model"].as_str().unwrap());
            assert!(program.contains(&expected), "{name}: {expected}");
        }
    }
    let list = steadfast(&["explain", "--list"]).stdout;
    assert!(list.contains("V0001  ") && list.contains("write-skew   Write skew"), "{list}");
}

/// The page about the kinds of violations says what `steadfast explain` says. With `STEADFAST_BLESS=1` in the environment, it is rewritten.
#[test]
fn every_kind_of_violation_has_its_place_in_the_documentation() {
    let list = steadfast(&["explain", "--list"]).stdout;
    let codes = list.lines().filter_map(|line| line.split("  ").next()).filter(|code| code.starts_with('V'));
    let mut page = String::from(
        "# Kinds of violations\nWhat `steadfast explain CODE` says about each of them. The classic shapes have pages of their own: [SB](sb.md), [MP](mp.md), [LB](lb.md), [IRIW](iriw.md),\n\
         [2+2W](2+2w.md), [WRC](wrc.md), [lost update](lost-update.md), [write skew](write-skew.md) and [long fork](long-fork.md).\n",
    );
    for code in codes {
        page.extend(["\n## ", &steadfast(&["explain", code]).stdout]);
    }
    let file = root().join("docs/explain/violations.md");
    if std::env::var_os("STEADFAST_BLESS").is_some() {
        fs::write(&file, &page).unwrap();
    }
    assert!(read(&file) == page, "{}: bless with STEADFAST_BLESS=1", file.display());
}

/// The official schema. `cargo xtask test` fetches it; in CI it must be there.
fn sarif_schema() -> Option<jsonschema::Validator> {
    let file = root().join("target/tools/node_modules/@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json");
    let required = ["CI", "STEADFAST_REQUIRE_TOOLS"].iter().any(|name| std::env::var_os(name).is_some());
    assert!(file.is_file() || !required, "the schema of SARIF is not there; `cargo xtask test` fetches it");
    let text = file.is_file().then(|| read(&file))?;
    Some(jsonschema::validator_for(&serde_json::from_str(&text).unwrap()).unwrap())
}

#[test]
fn sarif_is_what_the_official_schema_says() {
    let Some(schema) = sarif_schema() else { return };
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("sarif-dekker").display().to_string();
    let compiled = steadfast(&["cc", "-g", "-pthread", "-o", &program, "corpus/sanitizer/c/dekker.c"]);
    assert_eq!(compiled.code, 0, "{compiled:?}");
    for arguments in [
        &["run", "--format", "sarif", "--schedule", "random", "--runs", "3", "--", &program][..],
        &["check", "--format", "sarif", "corpus/litmus/sb.sf", "corpus/litmus/mp.sf", "Cargo.toml", "no-such-file"][..],
        &[
            "check",
            "--format",
            "sarif",
            "--model",
            "all",
            "corpus/programs/seqlock-broken.sf",
            "corpus/litmus/race-write-read.sf",
        ],
        &["check", "--format", "sarif", "--max-states", "2", "corpus/programs/seqlock.sf"],
        &[
            "txn",
            "check",
            "--format",
            "sarif",
            "corpus/transactions/write-skew.txn",
            "corpus/transactions/smallbank-sql",
        ],
    ] {
        let log: Value = serde_json::from_str(&steadfast(arguments).stdout).unwrap();
        let problems: Vec<String> =
            schema.iter_errors(&log).map(|error| format!("{}: {error}", error.instance_path)).collect();
        assert!(problems.is_empty(), "{arguments:?}: {problems:#?}");
    }
}

#[test]
fn markdown_is_a_table() {
    let ended = steadfast(&["check", "--format", "markdown", "corpus/litmus/sb.sf", "corpus/litmus/mp.sf"]);
    assert_eq!(ended.code, 1);
    for part in [
        "| ❌ | corpus/litmus/sb.sf | rc20 | not-robust |",
        "| ✅ | corpus/litmus/mp.sf |",
        "| error V0001 |",
        "<details>",
    ] {
        assert!(ended.stdout.contains(part), "{part}: {}", ended.stdout);
    }
    let ended = steadfast(&["txn", "check", "--format", "markdown", "corpus/transactions/write-skew.txn"]);
    assert!(ended.stdout.contains("| error V0601 |"), "{}", ended.stdout);
}

#[test]
fn shells_and_manuals_know_the_commands() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let ended = steadfast(&["completions", shell]);
        assert!(ended.code == 0 && ended.stdout.contains("verify-certificate"), "{shell}");
    }
    let folder = folder("manual");
    assert_eq!(steadfast(&["man", folder.to_str().unwrap()]).code, 0);
    assert!(read(&folder.join("steadfast-check.1")).contains(".SH OPTIONS"));
    assert!(folder.join("steadfast.1").is_file());
    assert_eq!(steadfast(&["completions", "tcsh"]).code, 2);
}

#[test]
fn many_results_are_one_page() {
    let folder = folder("many");
    for name in ["sb", "mp"] {
        let page = folder.join(format!("{name}.html"));
        let ended = steadfast(&[
            "check",
            "--format",
            "json",
            "--report",
            page.to_str().unwrap(),
            &format!("corpus/litmus/{name}.sf"),
        ]);
        fs::write(folder.join(format!("{name}.json")), ended.stdout).unwrap();
    }
    let lines = steadfast(&["txn", "check", "--format", "jsonl", "corpus/transactions/write-skew.txn"]);
    fs::write(folder.join("skew.jsonl"), lines.stdout).unwrap();
    let index = folder.join("index.html");
    let ended = steadfast(&["report", folder.to_str().unwrap(), "--output", index.to_str().unwrap()]);
    assert_eq!((ended.code, ended.stdout.contains("4 results")), (0, true), "{}{}", ended.stdout, ended.stderr);
    let text = read(&index);
    assert!(text.contains("<a href=\"sb.html\">corpus/litmus/sb.sf</a>") && text.contains("not robust"), "{text}");
    fs::write(folder.join("wrong.json"), "{}").unwrap();
    let ended = steadfast(&["report", folder.to_str().unwrap()]);
    assert!(ended.code == 2 && ended.stderr.contains("not a result of steadfast") && ended.stdout.contains("sb.html"));
}
