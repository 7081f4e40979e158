//! Measures every application of `corpus/transactions` against every model that fits, the program of six processes, and a history of a million operations.

use crate::arguments::{Arguments, unexpected};
use crate::{dist, process};
use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;
use steadfast_random::Rng;

/// How many operations the history has.
const OPERATIONS: usize = 1_000_000;
/// How often a verdict is repeated; the fastest counts.
const REPETITIONS: usize = 3;

/// Runs the command.
pub(super) fn run(mut arguments: Arguments) -> Result<()> {
    let mut binary = None;
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--binary" => binary = Some(arguments.value::<PathBuf>("--binary")?),
            _ => return Err(unexpected(&argument)),
        }
    }
    let binary = binary.map_or_else(dist::build, Ok)?;
    println!("{:<24} {:<5} {:<14} {:>10} {:>10} {:>8}", "input", "model", "verdict", "states", "ms", "MiB");
    let mut slowest = (0.0, String::new());
    for path in inputs()? {
        for model in models(&path) {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let seconds = row(&binary, &path, &name, model)?;
            if !name.starts_with("six-by-four") && seconds > slowest.0 {
                slowest = (seconds, format!("{name} {model}"));
            }
        }
    }
    println!("\nthe slowest application: {}, {:.1} ms", slowest.1, slowest.0 * 1e3);
    history(&binary)
}

/// Programs and templates, and directories with SQL.
fn inputs() -> Result<Vec<PathBuf>> {
    let directory = process::root().join("corpus/transactions");
    let mut paths = Vec::new();
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path.is_dir() || path.extension().is_some_and(|extension| extension == "txn") {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}

fn models(path: &Path) -> &'static [&'static str] {
    let is_template = path.is_dir() || fs::read_to_string(path).is_ok_and(|text| text.contains("\ntemplate "));
    if is_template { &["rc", "si", "ssi"] } else { &["cc", "ccv", "cm", "si"] }
}

/// Measures one verdict, prints it, and returns its time.
fn row(binary: &Path, path: &Path, name: &str, model: &str) -> Result<f64> {
    let mut best: Option<(f64, Value)> = None;
    for _ in 0..REPETITIONS {
        let output = Command::new(binary)
            .args(["txn", "check", "--format", "jsonl", "--max-memory", "4GiB", "--model", model])
            .arg(path)
            .output()
            .context("cannot run the binary")?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let result: Value = serde_json::from_str(text.lines().next().unwrap_or_default())
            .with_context(|| format!("{name} {model}: no result"))?;
        let seconds = result["seconds"].as_f64().with_context(|| format!("{name} {model}: {text}"))?;
        if best.as_ref().is_none_or(|(least, _)| seconds < *least) {
            best = Some((seconds, result));
        }
        // A long run is not repeated.
        if seconds > 5.0 {
            break;
        }
    }
    let (seconds, result) = best.context("not measured")?;
    let number = |field: &str| result[field].as_u64().unwrap_or(0);
    println!(
        "{name:<24} {model:<5} {:<14} {:>10} {:>10.1} {:>8}",
        result["verdict"].as_str().unwrap_or("?"),
        number("states"),
        seconds * 1e3,
        number("peak_bytes") >> 20,
    );
    Ok(seconds)
}

/// Measures a history as a serializable store with twenty sessions would record it.
fn history(binary: &Path) -> Result<()> {
    let (mut text, mut rng, mut value) = (String::new(), Rng::new(42), 0);
    let mut store = vec![0; 1_000];
    for number in 0..OPERATIONS {
        let (transaction, key) = (number / 10, rng.below(1_000));
        let kind = if rng.chance(30) { 'w' } else { 'r' };
        if kind == 'w' {
            value += 1;
            store[key] = value;
        }
        let _ = writeln!(text, "{kind}({key},{},{},{transaction})", store[key], transaction % 20);
    }
    let directory = tempfile::tempdir()?;
    let path = directory.path().join("history.plume");
    fs::write(&path, text)?;
    for model in ["cc", "ccv", "cm"] {
        let started = Instant::now();
        let output = Command::new(binary).args(["txn", "history", "--model", model]).arg(&path).output()?;
        ensure!(output.status.success(), "the history is not {model}");
        println!("{OPERATIONS} operations, {model}: {:.1} s with reading", started.elapsed().as_secs_f64());
    }
    Ok(())
}
