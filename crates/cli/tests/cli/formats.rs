//! The formats, and colours.

use crate::steadfast::{command, finish, steadfast};
use serde_json::Value;

const SB: &str = "corpus/litmus/sb.sf";
const MP: &str = "corpus/litmus/mp.sf";

#[test]
fn colours_follow_the_flag_and_then_the_environment() {
    let colored = |flags: &[&str], variables: &[(&str, &str)]| {
        let arguments: Vec<_> = ["check", "--model", "ra", SB].iter().chain(flags).copied().collect();
        let mut command = command(&arguments);
        command.envs(variables.iter().copied());
        finish(command, b"").stdout.contains('\u{1b}')
    };
    assert!(!colored(&[], &[]), "not a terminal");
    assert!(colored(&[], &[("CLICOLOR_FORCE", "1")]));
    assert!(!colored(&[], &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]));
    assert!(colored(&["--color", "always"], &[("NO_COLOR", "1")]));
    assert!(!colored(&["--color", "never"], &[("CLICOLOR_FORCE", "1")]));
}

#[test]
fn concise_is_a_line_for_the_place_and_one_for_the_result() {
    let ended = steadfast(&["check", "-f", "concise", "--model", "ra", MP, SB]);
    let lines: Vec<_> = ended.stdout.lines().collect();
    assert_eq!(lines.len(), 3, "{}", ended.stdout);
    assert!(lines[0].starts_with("corpus/litmus/mp.sf: robust (ra, graph): "));
    assert_eq!(
        lines[1],
        "corpus/litmus/sb.sf:26:13: error[V0001]: not robust: this load can read an overwritten value"
    );
    assert!(lines[2].starts_with("corpus/litmus/sb.sf: not robust (ra, graph): "));
}

#[test]
fn github_annotates_violations_only() {
    let ended = steadfast(&["check", "-f", "github", "--model", "ra", MP, SB]);
    assert_eq!(ended.stdout.lines().count(), 1, "{}", ended.stdout);
    assert!(ended.stdout.starts_with("::error file=corpus/litmus/sb.sf,line=26,"), "{}", ended.stdout);
}

#[test]
fn sarif_is_one_log_for_all_results() {
    let ended = steadfast(&["check", "-f", "sarif", "--model", "ra", MP, SB, "nowhere.sf"]);
    let log: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(log["version"], "2.1.0");
    let results = log["runs"][0]["results"].as_array().unwrap();
    let rules: Vec<_> = results.iter().map(|result| result["ruleId"].as_str().unwrap()).collect();
    assert_eq!(rules, ["V0001", "E0001"]);
}

#[test]
fn json_is_one_array_and_jsonl_a_line_each() {
    let array: Value =
        serde_json::from_str(&steadfast(&["check", "-f", "json", "--model", "ra", MP, SB]).stdout).unwrap();
    assert_eq!(array.as_array().unwrap().len(), 2);
    let lines = steadfast(&["check", "-f", "jsonl", "--model", "ra", MP, SB]).stdout;
    let verdicts: Vec<_> =
        lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["verdict"].clone()).collect();
    assert_eq!(verdicts, ["robust", "not-robust"]);
}

#[test]
fn verdict_and_witness_do_not_depend_on_the_number_of_jobs() {
    for file in [SB, "corpus/litmus/iriw.sf", "corpus/programs/dekker-sc.sf", "corpus/litmus/mp-plain-relaxed.sf"] {
        let of = |jobs: &str| {
            let text = steadfast(&["check", "-f", "jsonl", "--jobs", jobs, file]).stdout;
            let mut result: Value = serde_json::from_str(&text).unwrap();
            (result["verdict"].take(), result["witness"].take(), result["diagnostics"].take())
        };
        let one = of("1");
        assert!(one.1.is_object(), "{file}");
        for jobs in ["1", "2", "4"] {
            assert_eq!(of(jobs), one, "{file} with {jobs} jobs");
        }
    }
}
