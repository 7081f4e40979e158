//! One run of a program, with its reports.

use crate::record::{self, Record};
use std::ffi::OsString;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::time::{Duration, Instant};

/// Who decides which thread goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Schedule {
    /// The operating system.
    Os,
    /// Chance, at every step.
    Random,
    /// Random priorities that change at a few random steps.
    Pct,
}

impl Schedule {
    /// The name in options.
    pub fn name(self) -> &'static str {
        match self {
            Self::Os => "os",
            Self::Random => "random",
            Self::Pct => "pct",
        }
    }
}

/// How to run it.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The program.
    pub program: OsString,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// Who decides.
    pub schedule: Schedule,
    /// A run that takes longer is ended.
    pub time_limit: Option<Duration>,
    /// More options for the runtime.
    pub options: Vec<String>,
    /// A library to load before all others, for programs that were not linked with the runtime.
    pub preload: Option<PathBuf>,
}

/// How a run ended.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// How the program ended; nothing if it took too long.
    pub status: Option<ExitStatus>,
    /// What it reported.
    pub records: Vec<Record>,
    /// Whether the runtime was there to report anything.
    pub watched: bool,
}

/// Runs the program once.
pub fn once(settings: &Settings, seed: u64, scratch: &Path) -> std::io::Result<Outcome> {
    let file = scratch.join("reports");
    let _ = std::fs::remove_file(&file);
    let mut command = Command::new(&settings.program);
    command.args(&settings.arguments).env("STEADFAST_OPTIONS", options(settings, seed, &file));
    if let Some(library) = &settings.preload {
        command.env("LD_PRELOAD", library);
    }
    let status = wait(command.spawn()?, settings.time_limit)?;
    let watched = file.exists();
    let text = std::fs::read(&file).unwrap_or_default();
    Ok(Outcome { status, records: record::parse(&String::from_utf8_lossy(&text)), watched })
}

fn options(settings: &Settings, seed: u64, file: &Path) -> String {
    // What the user wants comes first, so that what this run needs wins.
    let mut options = std::env::var("STEADFAST_OPTIONS").unwrap_or_default();
    for option in &settings.options {
        let _ = write!(options, ":{option}");
    }
    let _ = write!(options, ":report_file={}:schedule={}:seed={seed}", file.display(), settings.schedule.name());
    options
}

fn wait(mut child: std::process::Child, limit: Option<Duration>) -> std::io::Result<Option<ExitStatus>> {
    let Some(limit) = limit else { return child.wait().map(Some) };
    let start = Instant::now();
    let mut pause = Duration::from_micros(200);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if start.elapsed() > limit {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    }
}
