//! The sanitizer beside clang's `ThreadSanitizer`: processor time per atomic access in a generated family of programs.

use super::ours;
use crate::arguments::{Arguments, unexpected};
use crate::process;
use anyhow::{Context, Result, ensure};
use std::path::{Path, PathBuf};
use std::process::Command;

const PROGRAM: &str = include_str!("sanitizer.c");

/// A member of the family.
struct Member {
    threads: u32,
    locations: u32,
    /// Accesses between two fences; zero for none.
    fences: u32,
    /// Plain accesses for each atomic one.
    plain: u32,
}

/// Few and many threads, few and many locations, with and without fences and plain accesses.
fn family() -> Vec<Member> {
    let mut family = Vec::new();
    for threads in [2, 8, 32] {
        for locations in [10, 100, 1000, 60_000] {
            for (fences, plain) in [(0, 0), (16, 0), (0, 10)] {
                family.push(Member { threads, locations, fences, plain });
            }
        }
    }
    family
}

/// Runs the command.
pub(super) fn run(mut arguments: Arguments) -> Result<()> {
    let (mut accesses, mut compiler, mut binary) = (1_000_000_u64, "clang".to_owned(), None);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--accesses" => accesses = arguments.value("--accesses")?,
            "--compiler" => compiler = arguments.value("--compiler")?,
            "--binary" => binary = Some(arguments.value("--binary")?),
            _ => return Err(unexpected(&argument)),
        }
    }
    let steadfast: PathBuf = match binary {
        Some(binary) => binary,
        None => ours::build()?,
    };
    let scratch = tempfile::tempdir()?;
    let source = scratch.path().join("family.c");
    std::fs::write(&source, PROGRAM)?;
    let [peer, ours] = ["thread-sanitizer", "steadfast"].map(|name| scratch.path().join(name));
    process::run(Command::new(&compiler).args(["-O2", "-g", "-fsanitize=thread"]).arg(&source).arg("-o").arg(&peer))?;
    process::run(
        Command::new(steadfast).env("STEADFAST_CC", &compiler).args(["cc", "-O2"]).arg(&source).arg("-o").arg(&ours),
    )?;
    table(&peer, &ours, accesses)
}

fn table(peer: &Path, ours: &Path, accesses: u64) -> Result<()> {
    println!(
        "| threads | locations | fences | plain | ThreadSanitizer, ns | Steadfast, ns | ratio |\n| ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
    );
    let mut logarithms: Vec<f64> = Vec::new();
    for member in family() {
        // Alternately, so that whatever else the machine does hits both.
        let mut best = [f64::INFINITY; 2];
        for _ in 0..3 {
            for (time, program) in best.iter_mut().zip([peer, ours]) {
                *time = time.min(nanoseconds(program, &member, accesses)?);
            }
        }
        let ratio = best[1] / best[0];
        logarithms.push(ratio.ln());
        let Member { threads, locations, fences, plain } = member;
        println!("| {threads} | {locations} | {fences} | {plain} | {:.1} | {:.1} | {ratio:.2} |", best[0], best[1]);
    }
    let (count, sum) = logarithms.iter().fold((0.0, 0.0), |(count, sum), logarithm| (count + 1.0, sum + logarithm));
    println!("\nGeometric mean of the ratios: {:.2}", (sum / f64::max(count, 1.0)).exp());
    Ok(())
}

fn nanoseconds(program: &Path, member: &Member, accesses: u64) -> Result<f64> {
    let numbers = [member.threads, member.locations, member.fences, member.plain].map(|number| number.to_string());
    let mut command = Command::new(program);
    // Finding is part of the work, showing is not.
    command.args(numbers).arg(accesses.to_string()).env("STEADFAST_OPTIONS", "report_file=/dev/null:exitcode=0");
    let output = command.output().context("cannot run the program")?;
    ensure!(output.status.success(), "{} ended with {}", program.display(), output.status);
    String::from_utf8_lossy(&output.stdout).trim().parse().context("not a number")
}
