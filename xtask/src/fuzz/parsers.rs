//! Tests the parsers with hostile text: for every text they must answer in time, without a panic, and with spans inside the text.
//!
//! Inputs come in batches. A batch depends only on its seed, which is written to `target/fuzz/` before it starts, so that even an input
//! that ends the whole process can be found again.

use super::mutate::mutate;
use super::{Budget, Options};
use crate::process::root;
use anyhow::{Context, Result, bail};
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use steadfast_diag::Severity;
use steadfast_lang::{Dialect, Instance, Parsed, parse, parse_instance, parse_template};
use steadfast_random::Rng;
use steadfast_span::{SourceFile, Span};

/// How many inputs a batch has.
const BATCH: u64 = 2_000;
/// How many texts a batch keeps for mutation. A new text is kept if it gets a new answer.
const POOL: usize = 400;
/// The time limit of a parser.
const PATIENCE: Duration = Duration::from_secs(1);
/// How many different mistakes end the run.
const ENOUGH: usize = 10;

/// A text with a wrong answer.
struct Mistake {
    problem: String,
    dialect: Dialect,
    text: String,
}

/// Runs until the time is up or enough mistakes were found.
pub(super) fn run(options: &Options, seed: u64) -> Result<()> {
    let Budget::Time(time) = options.budget else { bail!("`--parsers` goes by `--minutes`") };
    let seeds = seeds(options.seeds.as_deref())?;
    println!("{} texts to start from", seeds.len());
    let directory = root().join("target/fuzz");
    std::fs::create_dir_all(&directory).with_context(|| format!("cannot create {}", directory.display()))?;
    let end = Instant::now() + time;
    let (next, inputs, found) = (AtomicU64::new(0), AtomicU64::new(0), Mutex::new(Vec::new()));
    // A caught panic is a finding; its message on standard error is not needed.
    std::panic::set_hook(Box::new(|_| {}));
    std::thread::scope(|scope| {
        for worker in 0..options.jobs.max(1) {
            let (seeds, directory, next, inputs, found) = (&seeds, &directory, &next, &inputs, &found);
            scope.spawn(move || {
                while Instant::now() < end && found.lock().is_ok_and(|found| found.len() < ENOUGH) {
                    let batch = seed.wrapping_add(next.fetch_add(1, Ordering::Relaxed));
                    // The file is only needed after a crash, so an error here does not stop the run.
                    let _ = std::fs::write(directory.join(format!("batch-{worker}")), batch.to_string());
                    run_batch(batch, seeds, found);
                    inputs.fetch_add(BATCH, Ordering::Relaxed);
                }
            });
        }
    });
    let _ = std::panic::take_hook();
    let found = found.into_inner().unwrap_or_default();
    println!("{} inputs, {} mistakes", inputs.into_inner(), found.len());
    report(&found, &directory)
}

fn report(found: &[Mistake], directory: &Path) -> Result<()> {
    for (number, mistake) in found.iter().enumerate() {
        let path = directory.join(format!("mistake-{number}.{}", mistake.dialect.extension()));
        std::fs::write(&path, &mistake.text).with_context(|| format!("cannot write {}", path.display()))?;
        println!("\n{}: {}\n{:?}", path.display(), mistake.problem, mistake.text);
    }
    if found.is_empty() { Ok(()) } else { bail!("{} mistakes", found.len()) }
}

/// The texts in the corpus, and those in the given directory.
fn seeds(more: Option<&Path>) -> Result<Vec<(Dialect, String)>> {
    let mut paths = Vec::new();
    collect(&root().join("corpus"), &mut paths)?;
    more.map_or(Ok(()), |directory| collect(directory, &mut paths))?;
    paths.sort();
    let mut seeds = Vec::new();
    for path in paths {
        let name = path.to_string_lossy();
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        seeds.push((Dialect::detect(&name, &text), text));
    }
    if seeds.is_empty() {
        bail!("there are no programs to start from");
    }
    Ok(seeds)
}

/// Whether the name is that of a program; `.txt` is what Trencher calls its own.
fn is_program(path: &Path) -> bool {
    Dialect::of_extension(path).is_some() || path.extension().is_some_and(|extension| extension == "txt")
}

fn collect(directory: &Path, paths: &mut Vec<PathBuf>) -> Result<()> {
    let entries = std::fs::read_dir(directory).with_context(|| format!("cannot read {}", directory.display()))?;
    for entry in entries {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, paths)?;
        } else if is_program(&path) {
            paths.push(path);
        }
    }
    Ok(())
}

fn run_batch(seed: u64, seeds: &[(Dialect, String)], found: &Mutex<Vec<Mistake>>) {
    let mut rng = Rng::new(seed);
    let mut pool: Vec<(Dialect, String)> = (0..POOL / 4).map(|_| seeds[rng.below(seeds.len())].clone()).collect();
    let mut answers = BTreeSet::new();
    for _ in 0..BATCH {
        let (dialect, text) = &pool[rng.below(pool.len())];
        let other = &pool[rng.below(pool.len())].1;
        let text = mutate(text, other, &mut rng);
        // Sometimes a parser gets another language.
        let dialect = if rng.chance(3) { Dialect::ALL[rng.below(Dialect::ALL.len())] } else { *dialect };
        match examine(&text, dialect) {
            Ok(answer) => {
                if answers.insert(answer) && pool.len() < POOL {
                    pool.push((dialect, text));
                }
            }
            Err(problem) => record(problem, dialect, &text, found),
        }
    }
}

/// Keeps one text for each problem, as short as possible.
fn record(problem: String, dialect: Dialect, text: &str, found: &Mutex<Vec<Mistake>>) {
    let Ok(mut found) = found.lock() else { return };
    if found.iter().all(|mistake| (&mistake.problem, mistake.dialect) != (&problem, dialect)) {
        let text = shorten(text, &|shorter| examine(shorter, dialect).as_ref() == Err(&problem));
        found.push(Mistake { problem, dialect, text });
    }
}

/// Removes pieces, large ones first, while the text keeps a property.
fn shorten(text: &str, keeps: &dyn Fn(&str) -> bool) -> String {
    let mut best: Vec<char> = text.chars().collect();
    let mut size = best.len();
    while size > 0 {
        let mut at = 0;
        while at < best.len() {
            let end = (at + size).min(best.len());
            let shorter: Vec<char> = best[..at].iter().chain(&best[end..]).copied().collect();
            if keeps(&shorter.iter().collect::<String>()) {
                best = shorter;
            } else {
                at += size;
            }
        }
        size /= 2;
    }
    best.into_iter().collect()
}

/// The kind of a parser's answer: the codes of its diagnostics. An error if the answer is wrong.
fn examine(text: &str, dialect: Dialect) -> Result<Vec<&'static str>, String> {
    let (parsed, mut time) = timed_parse(text, dialect)?;
    // On a busy machine any parse can take long once.
    for _ in 0..3 {
        if time > PATIENCE {
            time = timed_parse(text, dialect)?.1;
        }
    }
    if time > PATIENCE {
        return Err(format!("took longer than {} s", PATIENCE.as_secs()));
    }
    let errors = parsed.diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
    if errors == parsed.program.is_some() {
        return Err("a program together with errors, or neither".to_owned());
    }
    if let Some(span) = spans(&parsed).into_iter().find(|&span| !is_inside(text, span)) {
        return Err(format!(
            "a span outside the text, or inside a character, {} it",
            if span.end as usize > text.len() { "past" } else { "in" }
        ));
    }
    Ok(parsed.diagnostics.iter().map(|diagnostic| diagnostic.code.0).collect())
}

fn timed_parse(text: &str, dialect: Dialect) -> Result<(Parsed, Duration), String> {
    let started = Instant::now();
    let parsed = catch_unwind(AssertUnwindSafe(|| {
        let file = SourceFile::new("input", text);
        if dialect == Dialect::Steadfast {
            // The same text as a template must not break the parser or the prover.
            let (parsed, template) = parse_template(&file);
            parsed.program.zip(template).map(|(program, template)| steadfast_prove::supports(&program, &template));
            parse_instance(&file, Instance { copies: 2, values: 4, cells: 4 });
        }
        parse(&file, dialect)
    }));
    let time = started.elapsed();
    parsed.map(|parsed| (parsed, time)).map_err(|cause| {
        let message = cause.downcast_ref::<String>().cloned();
        let message = message.or_else(|| cause.downcast_ref::<&str>().map(ToString::to_string));
        // With the numbers in the message one mistake would count as many.
        let message: String = message.unwrap_or_default().chars().filter(|c| !c.is_ascii_digit()).take(60).collect();
        format!("panic: {message}")
    })
}

fn spans(parsed: &Parsed) -> Vec<Span> {
    let labels = parsed.diagnostics.iter().flat_map(|diagnostic| &diagnostic.labels).map(|label| label.span);
    let mut spans: Vec<Span> = labels.chain(parsed.expectations.iter().map(|expectation| expectation.span)).collect();
    if let Some(program) = &parsed.program {
        spans.extend(program.locations.iter().map(|location| location.span));
        for thread in &program.threads {
            spans.push(thread.span);
            spans.extend(thread.code.iter().map(|instruction| instruction.span));
        }
    }
    spans
}

fn is_inside(text: &str, span: Span) -> bool {
    span.start <= span.end && text.get(span.range()).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_shortened_to_what_matters() {
        assert_eq!(shorten("thread t { é.load(); }", &|text| text.contains('é') && text.contains('}')), "é}");
    }

    #[test]
    fn a_batch_finds_nothing() {
        let found = Mutex::new(Vec::new());
        let seeds = [(Dialect::Tpl, "global x; fn t { x.store(1, rel); }".to_owned())];
        run_batch(1, &seeds, &found);
        assert!(found.into_inner().unwrap().is_empty());
    }
}
