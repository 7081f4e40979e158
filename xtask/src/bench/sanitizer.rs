//! Compares the sanitizer with clang's `ThreadSanitizer`: processor time per atomic access in a generated family of programs.
//!
//! Most programs of the family pick each location at random among all. With 60,000 locations, the record of a location is not in the nearest caches when it is used again, and the first access to each location, which
//! allocates its record, is a large part of a run. Two measurements show whether an access costs more because there *are* more locations: the second half of a run, when all locations have been used before, and
//! wandering threads: each uses few locations at a time, and all of them during a run.

use super::processor_distance::ProcessorDistance;
use crate::arguments::{Arguments, unexpected};
use crate::{dist, process};
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
    /// Plain accesses per atomic one.
    plain: u32,
    /// How many locations a thread uses at a time; zero for all.
    window: u32,
}

/// Few and many threads, few and many locations, with and without fences and plain accesses.
fn family() -> Vec<Member> {
    let mut family = Vec::new();
    for threads in [2, 8, 32] {
        for locations in [10, 100, 1000, 60_000] {
            for (fences, plain) in [(0, 0), (16, 0), (0, 10)] {
                family.push(Member { threads, locations, fences, plain, window: 0 });
            }
        }
    }
    family
}

/// How many locations a wandering thread uses at a time.
const WINDOW: u32 = 64;
/// How much longer wanderers run, so that the one-time cost of a location does not show.
const LONGER: u64 = 4;

/// Few and many locations for wandering threads.
fn wanderers() -> Vec<Member> {
    let wanderer = |threads, locations| Member { threads, locations, fences: 0, plain: 0, window: WINDOW };
    [2, 8, 32].into_iter().flat_map(|threads| [100, 60_000].map(|locations| wanderer(threads, locations))).collect()
}

/// Runs the command.
pub(super) fn run(mut arguments: Arguments) -> Result<()> {
    let (mut accesses, mut compiler, mut binary) = (4_000_000_u64, "clang".to_owned(), None);
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
        None => dist::build()?,
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

/// The measurements: nanoseconds per access under `ThreadSanitizer` and under Steadfast, in the whole run and in its second half.
struct Measured {
    member: Member,
    times: [f64; 2],
    later: [f64; 2],
}

impl Measured {
    fn ratio(&self) -> f64 {
        self.times[1] / self.times[0]
    }
}

fn table(peer: &Path, ours: &Path, accesses: u64) -> Result<()> {
    println!(
        "| threads | locations | fences | plain | ThreadSanitizer, ns | Steadfast, ns | ratio |\n| ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
    );
    let (mut rows, mut distance) = (Vec::new(), ProcessorDistance::new());
    for member in family() {
        let row = measure(peer, ours, member, accesses, &mut distance)?;
        let Member { threads, locations, fences, plain, .. } = row.member;
        let ([theirs, ours], ratio) = (row.times, row.ratio());
        println!("| {threads} | {locations} | {fences} | {plain} | {theirs:.1} | {ours:.1} | {ratio:.2} |");
        rows.push(row);
    }
    summary(&rows);
    println!("\nThreads that wander, {WINDOW} locations at a time:\n");
    println!(
        "| threads | locations | ThreadSanitizer, ns | Steadfast, ns | ratio |\n| ---: | ---: | ---: | ---: | ---: |"
    );
    let mut rows = Vec::new();
    for member in wanderers() {
        let row = measure(peer, ours, member, LONGER * accesses, &mut distance)?;
        let (Member { threads, locations, .. }, [theirs, ours]) = (&row.member, row.times);
        println!("| {threads} | {locations} | {theirs:.1} | {ours:.1} | {:.2} |", row.ratio());
        rows.push(row);
    }
    println!();
    growth(&rows);
    println!("A word goes to the other processor and back in {} ns.", distance.least().as_nanos());
    Ok(())
}

/// The best of three runs of each, alternately, so that other load on the machine affects both, and while the processors are close to each other.
fn measure(
    peer: &Path,
    ours: &Path,
    member: Member,
    accesses: u64,
    distance: &mut ProcessorDistance,
) -> Result<Measured> {
    let [mut times, mut later] = [[f64::INFINITY; 2]; 2];
    for _ in 0..3 {
        distance.wait_until_close();
        for (which, program) in [peer, ours].into_iter().enumerate() {
            let [whole, half] = nanoseconds(program, &member, accesses)?;
            (times[which], later[which]) = (times[which].min(whole), later[which].min(half));
        }
    }
    Ok(Measured { member, times, later })
}

/// The means of the ratios, by kind, and the [growth].
fn summary(rows: &[Measured]) {
    let mean = |test: &dyn Fn(&Member) -> bool| {
        geometric_mean(rows.iter().filter(|row| test(&row.member)).map(Measured::ratio))
    };
    println!("\nGeometric mean of the ratios: {:.2}", mean(&|_| true));
    let [alone, fences, plain] =
        [mean(&|row| row.fences + row.plain == 0), mean(&|row| row.fences > 0), mean(&|row| row.plain > 0)];
    println!("atomics alone {alone:.2}, with fences {fences:.2}, with plain accesses {plain:.2}");
    let [few, more, many] = [2, 8, 32].map(|threads| mean(&|row| row.threads == threads));
    println!("with 2 threads {few:.2}, with 8 {more:.2}, with 32 {many:.2}");
    growth(rows);
}

/// How the times grow with the number of locations.
fn growth(rows: &[Measured]) {
    for (which, name) in ["ThreadSanitizer", "Steadfast"].into_iter().enumerate() {
        println!(
            "{name}, from 100 to 60,000 locations, in the second half of a run: {}",
            grown(rows, |row| row.later[which])
        );
        println!("{name}, the first access to each included: {}", grown(rows, |row| row.times[which]));
    }
}

/// The ratio of the time with many locations to the time with few.
fn grown(rows: &[Measured], time: impl Fn(&Measured) -> f64) -> String {
    let of = |locations| rows.iter().filter(move |row| row.member.locations == locations);
    let growth: Vec<f64> = of(100).zip(of(60_000)).map(|(few, many)| time(many) / time(few)).collect();
    let [least, most] =
        [growth.iter().copied().fold(f64::INFINITY, f64::min), growth.iter().copied().fold(0.0, f64::max)];
    let mean = geometric_mean(growth.into_iter());
    format!("{least:.2} to {most:.2} times as long, {mean:.2} in the mean")
}

fn geometric_mean(numbers: impl Iterator<Item = f64>) -> f64 {
    let (count, sum) = numbers.fold((0.0, 0.0), |(count, sum), number| (count + 1.0, sum + number.ln()));
    f64::exp(sum / f64::max(count, 1.0))
}

fn nanoseconds(program: &Path, member: &Member, accesses: u64) -> Result<[f64; 2]> {
    let Member { threads, locations, fences, plain, window } = *member;
    let numbers = [threads, locations, fences, plain].map(u64::from).into_iter().chain([accesses, window.into()]);
    let mut command = Command::new(program);
    // The measured work includes finding violations, but not showing them.
    command.args(numbers.map(|number| number.to_string())).env("STEADFAST_OPTIONS", "report_file=/dev/null:exitcode=0");
    let output = command.output().context("cannot run the program")?;
    ensure!(output.status.success(), "{} ended with {}", program.display(), output.status);
    let text = String::from_utf8_lossy(&output.stdout);
    let (whole, later) = text.trim().split_once(' ').context("not two numbers")?;
    Ok([whole.parse().context("not a number")?, later.parse().context("not a number")?])
}
