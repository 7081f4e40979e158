//! Compares the repairs of `steadfast fix` and `relax` for the programs of the papers with the repairs by hand.

use crate::arguments::{Arguments, unexpected};
use crate::bench::rows::ROWS;
use crate::process;
use anyhow::{Context, Result, ensure};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use steadfast_lang::{Dialect, Form, sites};
use steadfast_model::Notion;
use steadfast_repair::{Allowed, Change, Fixed, Relaxed, Target, Task, fix, relax, static_cost};
use steadfast_robust::{Limits, Options, Supported};
use steadfast_span::SourceFile;

pub(crate) const USAGE: &str = "\
repair [--trencher DIRECTORY] [--limit SECONDS]
    Repairs the programs of the PLDI 2019 table that are not robust, for TSO and RA, and Trencher's, if they are there, with fences,
    and compares with the versions that were repaired by hand. Then relaxes the robust programs of the POPL 2021 table.
    --limit bounds each search; by default 120 seconds.";

/// Programs of PLDI 2019 without their repairs, and the versions repaired by hand for TSO and for RA.
const BROKEN: [(&str, Option<&str>, Option<&str>); 6] = [
    ("peterson-sc", Some("peterson-tso"), Some("peterson-ra")),
    ("dekker-sc", Some("dekker-tso"), Some("dekker-tso")),
    ("lamport2-sc", Some("lamport2-tso"), Some("lamport2-ra")),
    ("burns-sc", None, Some("burns-ra")),
    ("cilk-the-wsq-sc", Some("cilk-the-wsq-tso"), Some("cilk-the-wsq-tso")),
    ("chase-lev-sc", Some("chase-lev-tso"), Some("chase-lev-ra")),
];

/// Versions for TSO that are not robust against RA.
const HALF_REPAIRED: [(&str, &str); 3] =
    [("peterson-tso", "peterson-ra"), ("lamport2-tso", "lamport2-ra"), ("chase-lev-tso", "chase-lev-ra")];

struct Settings {
    trencher: PathBuf,
    limit: Duration,
}

/// Runs the command.
pub(crate) fn run(mut arguments: Arguments) -> Result<()> {
    let mut settings =
        Settings { trencher: process::root().join("../shared/corpora/trencher"), limit: Duration::from_secs(120) };
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--trencher" => settings.trencher = arguments.value("--trencher")?,
            "--limit" => settings.limit = Duration::from_secs(arguments.value("--limit")?),
            _ => return Err(unexpected(&argument)),
        }
    }
    let failures = papers(&settings)? + trenchers(&settings)?;
    relaxations(&settings)?;
    ensure!(failures == 0, "{failures} programs were not repaired, or cost more than by hand");
    Ok(())
}

fn read(path: &Path) -> Result<SourceFile> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let name = path.file_stem().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let extension = path.extension().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    Ok(SourceFile::new(format!("{name}.{extension}"), text))
}

fn ours(name: &str) -> Result<SourceFile> {
    read(&process::root().join(format!("corpus/programs/{name}.sf")))
}

/// Repairs with all kinds of changes, on x86, and compares the costs of the whole programs.
fn papers(settings: &Settings) -> Result<usize> {
    println!(
        "| program | model | changes | cost | cost by hand | checks | seconds |\n| --- | --- | --- | --- | --- | --- | --- |"
    );
    let mut failures = 0;
    let half = HALF_REPAIRED.map(|(broken, hand)| (broken, Supported::Ra, Some(hand)));
    let whole =
        BROKEN.into_iter().flat_map(|(broken, tso, ra)| [(broken, Supported::Tso, tso), (broken, Supported::Ra, ra)]);
    for (broken, model, hand) in whole.chain(half) {
        let file = ours(broken)?;
        let by_hand = hand.map(ours).transpose()?.map(|file| static_cost(&file, Dialect::Steadfast, Target::X86));
        let shown = by_hand.map_or("–".to_owned(), |cost| cost.to_string());
        let started = Instant::now();
        let answer = repair(&file, model, Allowed::ALL, settings.limit);
        let seconds = started.elapsed().as_secs_f64();
        let Fixed::Repaired { changes, checks, result, .. } = answer else {
            println!("| {broken} | {} | NOT REPAIRED | | {shown} | | {seconds:.2} |", model.name());
            failures += 1;
            continue;
        };
        let cost = static_cost(&result.file, Dialect::Steadfast, Target::X86);
        let more = by_hand.is_some_and(|hand| cost > hand);
        failures += usize::from(more);
        let mark = if more { " MORE" } else { "" };
        println!(
            "| {broken} | {} | {} | {cost}{mark} | {shown} | {checks} | {seconds:.2} |",
            model.name(),
            changes.len()
        );
    }
    println!();
    Ok(failures)
}

/// Repairs Trencher's programs with fences.
fn trenchers(settings: &Settings) -> Result<usize> {
    if !settings.trencher.is_dir() {
        println!("Trencher's programs are not in {}; left out\n", settings.trencher.display());
        return Ok(0);
    }
    println!("| Trencher's | fences added | by hand | checks | seconds |\n| --- | --- | --- | --- | --- |");
    let mut failures = 0;
    for directory in [settings.trencher.clone(), settings.trencher.join("memorax")] {
        let mut paths: Vec<_> = std::fs::read_dir(&directory)?
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| path.is_file())
            .collect();
        paths.sort();
        for path in paths {
            let file = read(&path)?;
            let started = Instant::now();
            let answer = repair(&file, Supported::Tso, Allowed::FENCES, settings.limit);
            let seconds = started.elapsed().as_secs_f64();
            let name = path.file_stem().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
            let by_hand = by_hand(&directory, &name, &file)?;
            let shown = by_hand.map_or("–".to_owned(), |count| count.to_string());
            match answer {
                Fixed::Repaired { changes, checks, .. } => {
                    let more = by_hand.is_some_and(|hand| changes.len() > hand);
                    failures += usize::from(more);
                    println!("| {name} | {} | {shown} | {checks} | {seconds:.2} |", changes.len());
                }
                Fixed::Already(_) => println!("| {name} | robust | – | 1 | {seconds:.2} |"),
                Fixed::Stopped(_) => println!("| {name} | inconclusive | {shown} | | {seconds:.2} |"),
                Fixed::FailsUnderSc(_) | Fixed::Impossible { .. } => {
                    failures += 1;
                    println!("| {name} | NOT REPAIRED | {shown} | | {seconds:.2} |");
                }
            }
        }
    }
    println!();
    Ok(failures)
}

/// How many more fences the version repaired by hand has, if there is one with fences.
fn by_hand(directory: &Path, name: &str, broken: &SourceFile) -> Result<Option<usize>> {
    let path = directory.join(format!("{name}-correct.txt"));
    if !path.is_file() {
        return Ok(None);
    }
    let fences = |file: &SourceFile| {
        let found = sites(file, Dialect::Automata).into_iter();
        found.filter(|site| matches!(site.now, Form::Fence(_))).count()
    };
    Ok(Some(fences(&read(&path)?).saturating_sub(fences(broken))))
}

/// Relaxes the programs of the POPL 2021 table: those that are checked against RC20.
fn relaxations(settings: &Settings) -> Result<()> {
    println!("| program | notion | weakened | checks | seconds |\n| --- | --- | --- | --- | --- |");
    for row in ROWS.iter().filter(|row| row.model == Supported::Rc20) {
        // The large programs also exist in a small size.
        let name = row.own.rsplit('/').next().unwrap_or(row.own).trim_end_matches("-4");
        let file = ours(name)?;
        let started = Instant::now();
        let options = question(Supported::Rc20, row.notion, settings.limit);
        let (target, allowed) = (Target::Armv8, Allowed { rmw: false, ..Allowed::ALL });
        let task = Task { file: &file, dialect: Dialect::Steadfast, options: &options, target, allowed, watcher: None };
        let (text, checks) = match relax(&task) {
            Relaxed::Weakened { changes, checks, .. } => {
                (changes.iter().map(|change| in_words(&file, change)).collect::<Vec<_>>().join("; "), checks)
            }
            // There is nothing to relax.
            Relaxed::NotRobust(_) => continue,
            Relaxed::Stopped(stop) => (format!("no answer: {stop:?}"), 0),
        };
        let text = if text.is_empty() { "nothing".to_owned() } else { text };
        let seconds = started.elapsed().as_secs_f64();
        println!("| {name} | {} | {text} | {checks} | {seconds:.2} |", row.notion.name());
    }
    Ok(())
}

fn in_words(file: &SourceFile, change: &Change) -> String {
    let line = file.line_column(change.span.start).line;
    let code = file.snippet(change.span);
    match change.to {
        Form::Nothing => format!("line {line}: without `{code}`"),
        Form::Fence(order) => format!("line {line}: `{code}` {order}"),
        Form::Load(order) => format!("line {line}: `{code}` {order}"),
        Form::Store(order) => format!("line {line}: `{code}` {order}"),
        Form::Exchange(order) | Form::Rmw(order) => format!("line {line}: `{code}` {order}"),
        Form::Cas(success, failure) => format!("line {line}: `{code}` {success}, {failure}"),
    }
}

fn repair(file: &SourceFile, model: Supported, allowed: Allowed, limit: Duration) -> Fixed {
    let options = question(model, Notion::Graph, limit);
    let dialect = Dialect::detect(file.name(), file.text());
    fix(&Task { file, dialect, options: &options, target: Target::X86, allowed, watcher: None })
}

fn question(model: Supported, notion: Notion, limit: Duration) -> Options<'static> {
    let mut options = Options::new(model, notion);
    options.limits = Limits { time: Some(limit), ..Limits::default() };
    options
}
