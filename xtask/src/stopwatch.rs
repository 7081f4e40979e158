//! Runs a program with a time limit, and measures its time and memory.

use anyhow::{Context, Result, anyhow};
use std::io::{Read, Seek};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

/// A program that has ended, or was ended.
#[derive(Debug)]
pub(crate) struct Ended {
    /// From its start to its end.
    pub(crate) seconds: f64,
    /// Its time on all processors, including the programs that it started, in user mode and in the system.
    pub(crate) processor_seconds: f64,
    /// `None` if it took too long.
    pub(crate) status: Option<ExitStatus>,
    /// Its standard output and standard error.
    pub(crate) output: String,
    /// The highest measured memory use, if the system tells it.
    pub(crate) peak_bytes: Option<u64>,
}

/// Runs a program until it ends, or until the limit.
pub(crate) fn run(command: &mut Command, limit: Duration) -> Result<Ended> {
    // A file, not a pipe: it need not be read while the program runs.
    let mut output = tempfile::tempfile().context("cannot make a temporary file")?;
    command.stdin(Stdio::null()).stdout(output.try_clone()?).stderr(output.try_clone()?);
    let shown = command.get_program().display().to_string();
    let (processor_before, started) = (processor_seconds(), Instant::now());
    let mut child = command.spawn().with_context(|| format!("cannot run {shown}"))?;
    let (id, (running, ended)) = (child.id(), mpsc::channel());
    let watcher = std::thread::spawn(move || watch(id, limit, &ended));
    let status = child.wait()?;
    let seconds = started.elapsed().as_secs_f64();
    let processor_seconds = processor_seconds() - processor_before;
    drop(running);
    let watched = watcher.join().map_err(|_| anyhow!("the watcher panicked"))?;
    let mut bytes = Vec::new();
    output.rewind()?;
    output.read_to_end(&mut bytes)?;
    Ok(Ended {
        seconds,
        processor_seconds,
        status: (!watched.took_too_long).then_some(status),
        output: String::from_utf8_lossy(&bytes).into_owned(),
        peak_bytes: watched.peak_bytes,
    })
}

/// The processor time of all programs that this one has started and waited for. Only one of them runs at a time.
fn processor_seconds() -> f64 {
    // SAFETY: zeroes are a valid value for these numbers.
    #[allow(unsafe_code, reason = "the standard library does not say what programs took")]
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the pointer is valid for the call, which writes only there.
    #[allow(unsafe_code, reason = "the standard library does not say what programs took")]
    unsafe {
        libc::getrusage(libc::RUSAGE_CHILDREN, &raw mut usage);
    }
    let times = [usage.ru_utime, usage.ru_stime].map(|time| {
        let (seconds, micros) = (time.tv_sec.unsigned_abs(), time.tv_usec.unsigned_abs());
        Duration::from_secs(seconds) + Duration::from_micros(micros)
    });
    times.iter().map(Duration::as_secs_f64).sum()
}

/// The observations of a running program.
#[derive(Default)]
struct Watched {
    peak_bytes: Option<u64>,
    took_too_long: bool,
}

/// Reads a program's memory use from time to time, until it ends or reaches the limit. Not often, because reading takes time from a program that uses all processors.
fn watch(id: u32, limit: Duration, ended: &mpsc::Receiver<()>) -> Watched {
    let (started, mut watched, mut pause) = (Instant::now(), Watched::default(), Duration::from_micros(200));
    while let Err(RecvTimeoutError::Timeout) = ended.recv_timeout(pause) {
        watched.peak_bytes = watched.peak_bytes.max(high_water_mark(id));
        if started.elapsed() > limit && !watched.took_too_long {
            // It may have ended just now; then `kill` fails.
            watched.took_too_long = Command::new("kill").args(["-KILL", &id.to_string()]).status().is_ok();
        }
        pause = (pause * 2).min(Duration::from_millis(10));
    }
    watched
}

/// The peak of the resident memory so far, from `/proc` on Linux.
fn high_water_mark(id: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{id}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes << 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_and_status_are_kept() {
        let ended =
            run(Command::new("sh").args(["-c", "echo out; echo err >&2; exit 3"]), Duration::from_secs(60)).unwrap();
        assert_eq!(ended.output, "out\nerr\n");
        assert_eq!(ended.status.unwrap().code(), Some(3));
    }

    #[test]
    fn what_takes_too_long_is_ended() {
        let ended = run(Command::new("sleep").arg("600"), Duration::from_millis(20)).unwrap();
        assert!(ended.status.is_none());
    }
}
