//! Measures the time of checks, and compares it with SPIN on the exported programs and with the times of Rocker.

mod against;
mod allocators;
mod alternating;
mod ours;
mod page;
mod processor_distance;
mod report;
pub(crate) mod rows;
mod sanitizer;
mod transactions;
mod trencher;

use crate::arguments::{Arguments, unexpected};
use crate::corpus::{self, source::Source};
use crate::spin::verifier::{self, Effort, Spin};
use crate::{dist, process};
use alternating::Plan;
use anyhow::{Result, ensure};
use processor_distance::ProcessorDistance;
use report::Measured;
use rows::Row;
use std::path::{Path, PathBuf};
use std::time::Duration;

pub(crate) const USAGE: &str = "\
bench [--rows TEXT] [--limit SECONDS] [--spin-limit SECONDS] [--rocker DIRECTORY]
      [--binary FILE] [--write] [--against FILE [--repetitions N]]
    Measures the programs of the papers' tables with the binary that `dist` builds, with one job and with two, and SPIN on
    the exported programs. --rows selects rows whose name contains the text. The limits are for each check, by
    default 120 seconds, and for each run of SPIN's verifier, by default 60; 0 leaves SPIN out.
    --binary measures that program instead of building one. --write puts the table into docs/benchmarks.md.
    --against measures only our binary and another one, alternately, the fastest of N runs, by default 10. Fails if a row
    of half a second or more takes more than 1.05 times as long as with the other one.

bench allocators [--rows TEXT] [--repetitions N] [--limit SECONDS] [--built]
    Measures the same programs with our own allocator, with mimalloc, with jemalloc and with the one of the system,
    alternately, the fastest of N runs, by default 10. Needs a C compiler for musl (Debian: musl-tools). --built takes
    the binaries that the last measurement has built.

bench trencher BINARY [--binary FILE]
    Measures the checks of Trencher's own programs under TSO with one job, from the start of the process to its
    end, and in turn the Trencher that BINARY is.

bench transactions [--binary FILE]
    Measures the verdict for every application in corpus/transactions and every model that fits, and how long a
    history of a million operations takes.

bench sanitizer [--accesses N] [--compiler CLANG] [--binary PROGRAM]
    Measures a generated family of programs under the sanitizer and under clang's ThreadSanitizer: processor time for
    each atomic access, the best of three, and how it grows with the number of locations.";

#[derive(Debug, PartialEq, Eq)]
struct Options {
    rows: String,
    limit: Duration,
    spin_limit: Duration,
    rocker: Option<PathBuf>,
    binary: Option<PathBuf>,
    write: bool,
    against: Option<PathBuf>,
    repetitions: usize,
}

/// Runs the command.
pub(crate) fn run(mut arguments: Arguments) -> Result<()> {
    if arguments.take_if("trencher") {
        return trencher::run(arguments);
    }
    if arguments.take_if("transactions") {
        return transactions::run(arguments);
    }
    if arguments.take_if("sanitizer") {
        return sanitizer::run(arguments);
    }
    if arguments.take_if("allocators") {
        return allocators::run(arguments);
    }
    let options = parse(arguments)?;
    let rows = rows::matching(&options.rows)?;
    let rocker = corpus::rocker_directory(options.rocker.as_deref())?;
    if rocker.is_none() {
        println!("Rocker's programs are not here, so our own versions of them are measured.\n");
    }
    if let Some(before) = options.against {
        let plan = Plan { repetitions: options.repetitions, limit: options.limit };
        return against::run(before, options.binary.map_or_else(dist::build, Ok)?, rows, rocker.as_deref(), plan);
    }
    let with_spin = !options.spin_limit.is_zero() && verifier::is_available();
    if !with_spin {
        println!("SPIN is left out.\n");
    }
    let binary = options.binary.clone().map_or_else(dist::build, Ok)?;
    println!("{}", report::HEAD);
    let (mut measured, mut distance) = (Vec::new(), ProcessorDistance::new());
    for row in rows {
        let result = measure(row, &binary, rocker.as_deref(), (&options, with_spin), &mut distance)?;
        println!("{}", report::line(&result));
        measured.push(result);
    }
    println!("\n{}", report::summary(&measured));
    println!("A word goes to the other processor and back in {} ns.", distance.least().as_nanos());
    if options.write {
        page::write(&measured)?;
    }
    let contradictions = measured.iter().filter(|result| result.contradicts()).count();
    ensure!(contradictions == 0, "SPIN contradicts {contradictions} verdicts");
    Ok(())
}

fn measure(
    row: Row,
    binary: &Path,
    rocker: Option<&Path>,
    (options, with_spin): (&Options, bool),
    distance: &mut ProcessorDistance,
) -> Result<Measured> {
    let path = row.path(&process::root(), rocker);
    let source = Source::read(&path, path.to_string_lossy().into_owned())?;
    let [one, two] = ours::measure(binary, &path, &row, options.limit, distance)?;
    let spin = with_spin.then(|| ask_spin(&source, &row, options.spin_limit)).transpose()?;
    Ok(Measured { row, one, two, spin })
}

fn ask_spin(source: &Source, row: &Row, limit: Duration) -> Result<Spin> {
    match verifier::export(&source.program, row.model, row.notion) {
        Some(exported) => verifier::decide(&exported, Effort::Optimised, limit),
        None => Ok(Spin::GaveUp("cannot be exported")),
    }
}

fn parse(mut arguments: Arguments) -> Result<Options> {
    let mut options = Options {
        rows: String::new(),
        limit: Duration::from_secs(120),
        spin_limit: Duration::from_secs(60),
        rocker: None,
        binary: None,
        write: false,
        against: None,
        repetitions: 10,
    };
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--rows" => options.rows = arguments.value("--rows")?,
            "--limit" => options.limit = Duration::from_secs(arguments.value("--limit")?),
            "--spin-limit" => options.spin_limit = Duration::from_secs(arguments.value("--spin-limit")?),
            "--rocker" => options.rocker = Some(arguments.value("--rocker")?),
            "--binary" => options.binary = Some(arguments.value("--binary")?),
            "--write" => options.write = true,
            "--against" => options.against = Some(arguments.value("--against")?),
            "--repetitions" => options.repetitions = arguments.value("--repetitions")?,
            _ => return Err(unexpected(&argument)),
        }
    }
    ensure!(!options.write || options.against.is_none(), "a comparison is not written");
    ensure!(options.repetitions > 0, "nothing is measured without a repetition");
    ensure!(!options.write || options.rows.is_empty(), "only a table with all rows is written");
    Ok(options)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::of;

    #[test]
    fn options() {
        let options = parse(of(&["--rows", "arc", "--spin-limit", "5"])).unwrap();
        assert_eq!((options.rows.as_str(), options.spin_limit), ("arc", Duration::from_secs(5)));
        assert!(parse(of(&["--rows", "arc", "--write"])).is_err());
        assert!(parse(of(&["--against", "old", "--write"])).is_err());
        assert!(parse(of(&["--faster"])).is_err());
    }
}
