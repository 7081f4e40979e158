//! The schedulers come from one list, in `crates/schedule`. The documentation says the same; with `STEADFAST_BLESS=1` in the environment it is rewritten.

use crate::steadfast::{root, steadfast};
use std::fs;
use steadfast_sanitize::run::Schedule;

/// The text with what is between two marks replaced, wherever the first is.
fn replaced(text: &str, start: &str, end: &str, by: &str) -> String {
    let mut parts = text.split(start);
    let mut result = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (_, rest) = part.split_once(end).unwrap_or_else(|| panic!("there is no `{end}` behind `{start}`"));
        result.extend([start, by, end, rest]);
    }
    result
}

#[test]
fn the_documentation_lists_the_schedulers() {
    let names: Vec<&str> = Schedule::all().map(Schedule::name).collect();
    let row = |schedule: Schedule| ["| `--schedule ", schedule.name(), "` | ", schedule.about(), " |\n"].concat();
    let rows: String = Schedule::all().map(row).collect();
    let rows = rows.strip_prefix("| `--schedule os` |").expect("the operating system comes first");
    let synopsis = ("[--schedule ", "]", names.join("|"));
    for (file, replacements) in [
        ("docs/commands/run.md", vec![synopsis.clone(), ("| `--schedule os` |", "| `--seed", rows.to_owned())]),
        ("docs/commands/cargo.md", vec![synopsis]),
        ("docs/schema/run.json", vec![("\"schedule\": { \"enum\": [\"", "\"]", names.join("\", \""))]),
    ] {
        let path = root().join(file);
        let text = fs::read_to_string(&path).unwrap();
        let expected = replacements.iter().fold(text.clone(), |text, (start, end, by)| replaced(&text, start, end, by));
        if std::env::var_os("STEADFAST_BLESS").is_some() && expected != text {
            fs::write(&path, &expected).unwrap();
        }
        assert!(expected == fs::read_to_string(&path).unwrap(), "{file}: bless with STEADFAST_BLESS=1");
    }
}

#[test]
fn the_help_lists_the_schedulers() {
    for command in ["run", "cargo"] {
        let help = steadfast(&[command, "--help"]).stdout;
        let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
        for schedule in Schedule::all() {
            let line = format!("- {}: {}", schedule.name(), schedule.about());
            assert!(help.contains(&line), "{command}, {line}: {help}");
        }
    }
    let wrong = steadfast(&["run", "--schedule", "none", "true"]);
    assert_eq!(wrong.code, 2);
    let names: Vec<&str> = Schedule::all().map(Schedule::name).collect();
    assert!(wrong.stderr.contains(&format!("[possible values: {}]", names.join(", "))), "{}", wrong.stderr);
}
