//! `steadfast report`: many results on one page.

use crate::args::ReportArgs;
use crate::output::{self, Output};
use crate::status::Status;
use serde_json::Value;
use std::io;
use std::path::{Path, PathBuf};
use steadfast_report::{Row, VerdictClass, index_page};

/// Runs the command.
pub(crate) fn run(arguments: &ReportArgs, output: &mut Output) -> io::Result<Status> {
    let mut status = Status::Holds;
    let mut rows = Vec::new();
    for file in files(&arguments.paths, &mut status) {
        match read(&file) {
            Ok(results) => rows.extend(
                results
                    .iter()
                    .flat_map(|result| rows_of(result, page_beside(&file, arguments.output.as_deref()).as_deref())),
            ),
            Err(problem) => {
                output::complain(&format!("{}: {problem}", file.display()));
                status = Status::Input;
            }
        }
    }
    let page = index_page(&arguments.title, &rows);
    match &arguments.output {
        None => output.write(&page)?,
        Some(path) => {
            if let Err(error) = std::fs::write(path, page) {
                output::complain(&format!("cannot write {}: {error}", path.display()));
                status = Status::Input;
            } else {
                output.write(&format!("{}: {}\n", path.display(), crate::numbers::counted(rows.len(), "result")))?;
            }
        }
    }
    Ok(status)
}

/// The files that were named, and those in directories, in the order of their names.
fn files(paths: &[PathBuf], status: &mut Status) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for path in paths {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let Ok(entries) = std::fs::read_dir(path) else {
            output::complain(&format!("cannot read {}", path.display()));
            *status = Status::Input;
            continue;
        };
        let is_result =
            |path: &PathBuf| path.extension().is_some_and(|extension| extension == "json" || extension == "jsonl");
        let mut found: Vec<PathBuf> =
            entries.filter_map(Result::ok).map(|entry| entry.path()).filter(is_result).collect();
        found.sort();
        files.extend(found);
    }
    files
}

/// The results in a file: an array, an object, or an object per line.
fn read(file: &Path) -> Result<Vec<Value>, String> {
    let text = std::fs::read_to_string(file).map_err(|error| error.to_string())?;
    let values: Result<Vec<Value>, _> = match serde_json::from_str(&text) {
        Ok(Value::Array(values)) => Ok(values),
        Ok(value) => Ok(vec![value]),
        Err(_) => text.lines().filter(|line| !line.trim().is_empty()).map(serde_json::from_str).collect(),
    };
    let values = values.map_err(|error| format!("not a result of steadfast: {error}"))?;
    if values.iter().all(|value| value.get("verdict").or(value.get("answer")).or(value.get("findings")).is_some()) {
        return Ok(values);
    }
    Err("not a result of steadfast".to_owned())
}

/// The page about a result that lies beside it, `a.html` beside `a.json`, as seen from the page that is written.
fn page_beside(file: &Path, from: Option<&Path>) -> Option<String> {
    let page = file.with_extension("html");
    if !page.is_file() {
        return None;
    }
    let folder = from.and_then(Path::parent).filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
    let absolute = |path: &Path| std::path::absolute(path).ok();
    let (page, folder) = (absolute(&page)?, absolute(folder)?);
    let common = page.components().zip(folder.components()).take_while(|(one, other)| one == other).count();
    let up = folder.components().count() - common;
    let mut link = PathBuf::new();
    (0..up).for_each(|_| link.push(".."));
    page.components().skip(common).for_each(|component| link.push(component));
    Some(encoded(link.to_str()?))
}

/// A path as an address: everything but letters, digits and a few signs by its number.
fn encoded(path: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-~".contains(&byte);
    path.bytes().map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}

fn text(value: &Value, field: &str) -> String {
    value[field].as_str().unwrap_or_default().to_owned()
}

/// A result as rows: one, or one per finding of a program that was run.
fn rows_of(result: &Value, link: Option<&str>) -> Vec<Row> {
    let row = Row {
        subject: if result["file"].is_string() { text(result, "file") } else { text(result, "program") },
        question: [text(result, "model"), text(result, "notion")]
            .iter()
            .filter(|part| !part.is_empty())
            .cloned()
            .collect::<Vec<_>>()
            .join(", "),
        verdict: text(result, if result["verdict"].is_string() { "verdict" } else { "answer" }).replace('-', " "),
        verdict_class: VerdictClass::Unsure,
        detail: detail(result),
        seconds: result["seconds"].as_f64(),
        link: link.map(str::to_owned),
    };
    let Some(findings) = result["findings"].as_array() else {
        return vec![Row { verdict_class: verdict_class(&row.verdict), ..row }];
    };
    let runs = format!("{} runs", result["runs"]);
    if findings.is_empty() {
        let watched = result["watched_runs"] != 0;
        let verdict = "nothing was reported".to_owned();
        return vec![Row {
            question: runs,
            verdict,
            verdict_class: if watched { VerdictClass::Good } else { VerdictClass::Unsure },
            ..row
        }];
    }
    let found = findings.iter().map(|finding| Row {
        question: runs.clone(),
        verdict: text(finding, "kind").replace('-', " "),
        verdict_class: VerdictClass::Bad,
        detail: text(finding, "summary"),
        ..row.clone()
    });
    found.collect()
}

fn verdict_class(verdict: &str) -> VerdictClass {
    match verdict {
        "robust" | "proved" | "repaired" | "relaxed" | "nothing to relax" => VerdictClass::Good,
        "inconclusive" => VerdictClass::Unsure,
        _ => VerdictClass::Bad,
    }
}

/// The first message, or why there is no verdict.
fn detail(result: &Value) -> String {
    let diagnostics = result["diagnostics"].as_array();
    let wrong = diagnostics.and_then(|all| all.iter().find(|one| one["severity"] != "note"));
    match wrong {
        Some(diagnostic) => format!("{} {}", text(diagnostic, "message"), place(diagnostic)),
        None => text(result, "reason"),
    }
}

fn place(diagnostic: &Value) -> String {
    let labels = diagnostic["labels"].as_array();
    let primary = labels.and_then(|labels| labels.iter().find(|label| label["primary"] == true));
    primary.and_then(|label| label["line"].as_u64()).map_or_else(String::new, |line| format!("(line {line})"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_kind_of_result_is_a_row() {
        let check = json!({ "file": "a.sf", "model": "ra", "notion": "graph", "verdict": "not-robust", "seconds": 0.5, "diagnostics": [{ "severity": "error", "message": "stale" }] });
        let rows = rows_of(&check, Some("a.html"));
        assert_eq!(
            (rows[0].verdict.as_str(), rows[0].question.as_str(), rows[0].verdict_class),
            ("not robust", "ra, graph", VerdictClass::Bad)
        );
        let run = json!({ "program": "./lock", "runs": 3, "watched_runs": 3, "findings": [{ "kind": "race", "summary": "s" }, { "kind": "stale-read", "summary": "t" }] });
        let verdicts: Vec<String> = rows_of(&run, None).into_iter().map(|row| row.verdict).collect();
        assert_eq!(verdicts, ["race", "stale read"]);
    }

    #[test]
    fn addresses_have_no_special_characters() {
        assert_eq!(encoded("../a b/\"<x>.html"), "../a%20b/%22%3Cx%3E.html");
    }
}
