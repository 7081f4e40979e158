//! `steadfast fix` and `steadfast relax`.

use crate::steadfast::{command, finish, root, steadfast};
use serde_json::Value;
use std::fs;
use tempfile::tempdir;

const BUFFERING: &str = "atomic<u8> x, y;
thread t {
    x.store(1, release); // one
    let a = y.load(acquire);
}
thread u { y.store(1, release); let b = x.load(acquire); }
";

fn json(arguments: &[&str], input: &str) -> Value {
    let ended = finish(command(arguments), input.as_bytes());
    let value: Value = serde_json::from_str(&ended.stdout).unwrap_or_else(|error| panic!("{error}: {ended:?}"));
    let text = fs::read_to_string(root().join("docs/schema/fix.json")).unwrap();
    let validator = jsonschema::validator_for(&serde_json::from_str(&text).unwrap()).unwrap();
    let problems: Vec<_> =
        validator.iter_errors(&value).map(|error| format!("{}: {error}", error.instance_path)).collect();
    assert!(problems.is_empty(), "{problems:#?}\n{value:#}");
    value
}

#[test]
fn a_repair_is_shown_then_written_then_robust() {
    let directory = tempdir().unwrap();
    let path = directory.path().join("sb.sf");
    fs::write(&path, BUFFERING).unwrap();
    let name = path.display().to_string();
    let shown = steadfast(&["fix", "--model", "tso", &name]);
    assert_eq!(shown.code, 0, "{shown:?}");
    assert!(shown.stdout.contains("+    fence(seq_cst);\n"), "{}", shown.stdout);
    assert_eq!(fs::read_to_string(&path).unwrap(), BUFFERING);
    assert_eq!(steadfast(&["fix", "--model", "tso", "--write", &name]).code, 0);
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains("// one\n    fence(seq_cst);\n    let a"), "{text}");
    assert!(text.contains("y.store(1, release); fence(seq_cst); let b"), "{text}");
    assert_eq!(steadfast(&["check", "--model", "tso", &name]).code, 0);
    let again = steadfast(&["fix", "--model", "tso", &name]);
    assert!(again.stdout.contains("robust as it is"), "{}", again.stdout);
    assert_eq!(steadfast(&["relax", "--model", "tso", "--write", &name]).code, 0);
    assert_eq!(fs::read_to_string(&path).unwrap(), text);
}

#[test]
fn all_languages_are_repaired() {
    let tpl = "global x, y; fn t { local r; x.store(1, rel); r = y.load(acq); } fn u { local r; y.store(1, rel); r = x.load(acq); }";
    for allow in ["fences", "rmw"] {
        let ended = finish(command(&["fix", "-m", "tso", "--allow", allow, "-"]), tpl.as_bytes());
        assert_eq!(ended.code, 0, "{ended:?}");
        assert!(ended.stdout.contains("robust after 2 changes"), "{}", ended.stdout);
    }
    let ended = steadfast(&["fix", "-m", "tso", "corpus/automata/dekker-core.aut"]);
    assert!(ended.stdout.contains("+transition raised raised_fenced mfence\n"), "{}", ended.stdout);
}

#[test]
fn json_fits_its_schema() {
    let repaired = json(&["fix", "-m", "rc20", "--target", "x86", "--format", "json", "-"], BUFFERING);
    assert_eq!(repaired["result"], "repaired");
    assert_eq!(repaired["changes"].as_array().map(Vec::len), Some(2), "{repaired:#}");
    assert_eq!(json(&["fix", "-m", "ra", "-f", "json", "corpus/litmus/mp.sf"], "")["result"], "robust");
    let race = "plain<u8> d; thread t { d = 1; } thread u { d = 2; }";
    assert_eq!(json(&["fix", "-f", "json", "-"], race)["result"], "impossible");
    let failing = "atomic<u8> x; thread t { assert(x.load() == 1); }";
    assert_eq!(json(&["fix", "-f", "json", "-"], failing)["result"], "wrong");
    assert_eq!(json(&["fix", "-f", "json", "--max-states", "3", "-"], BUFFERING)["result"], "inconclusive");
    assert_eq!(json(&["fix", "-f", "json", "-"], "thread {")["result"], "error");
    assert_eq!(json(&["relax", "-f", "json", "-"], BUFFERING)["result"], "not-robust");
    let relaxed = json(&["relax", "-f", "json", "corpus/programs/singleton.sf"], "");
    assert_eq!((&relaxed["result"], &relaxed["changes"][0]["line"]), (&"relaxed".into(), &22.into()));
}

#[test]
fn exit_codes() {
    let code = |arguments: &[&str], text: &str| finish(command(arguments), text.as_bytes()).code;
    assert_eq!(code(&["fix", "-m", "ra", "--allow", "orderings", "-"], BUFFERING), 1);
    assert_eq!(code(&["fix", "-"], "plain<u8> d; thread t { d = 1; } thread u { d = 2; }"), 1);
    assert_eq!(code(&["relax", "-"], BUFFERING), 1);
    assert_eq!(code(&["fix", "--write", "-"], BUFFERING), 2);
    assert_eq!(code(&["fix", "--target", "z80", "-"], BUFFERING), 2);
    assert_eq!(code(&["fix", "--allow", "prayers", "-"], BUFFERING), 2);
    assert_eq!(code(&["fix", "-m", "all", "-"], BUFFERING), 2);
    assert_eq!(code(&["fix", "-"], "thread {"), 2);
    assert_eq!(code(&["fix", "--max-states", "3", "-"], BUFFERING), 3);
}
