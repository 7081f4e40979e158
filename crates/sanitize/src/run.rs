//! One run of a program, with its reports.

use crate::choice_log::{self, RecordedChoices};
use crate::record::{self, Record};
use std::ffi::OsString;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
pub use steadfast_schedule::{Kind as Scheduler, Schedule};
use steadfast_schedule::{LOG_VARIABLE, REPLAY_VARIABLE};

/// How to run it.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The program.
    pub program: OsString,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// The schedule.
    pub schedule: Schedule,
    /// The time limit of a run. A longer run is ended.
    pub time_limit: Option<Duration>,
    /// More options for the runtime.
    pub options: Vec<String>,
    /// A library to load before all others, for programs that were not linked with the runtime.
    pub preload: Option<PathBuf>,
    /// Whether standard output is reserved for results. Then the program's standard output goes to standard error.
    pub output_is_ours: bool,
    /// Becomes true when the user interrupts the runs.
    pub interrupt: &'static AtomicBool,
}

/// The setup of the choices of one run.
#[derive(Clone, Debug, Default)]
pub struct Choices {
    /// The seed of the random numbers.
    pub seed: u64,
    /// How many steps are expected, if that is known.
    pub length: Option<u64>,
    /// PCT's depth, if it is not the default.
    pub depth: Option<u64>,
    /// A log to repeat.
    pub replay: Option<PathBuf>,
}

impl Choices {
    /// The setup with this seed.
    pub fn of_seed(seed: u64) -> Self {
        Self { seed, ..Self::default() }
    }
}

/// How a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// By itself.
    Own(ExitStatus),
    /// It took too long.
    TimedOut,
    /// The user interrupted it.
    Interrupted,
}

/// How a run ended.
#[derive(Clone, Debug)]
pub struct RunResult {
    /// How the program ended.
    pub end: End,
    /// Its reports.
    pub records: Vec<Record>,
    /// Whether the runtime was active in the program.
    pub watched: bool,
    /// Its choices, if it made any.
    pub choices: Option<RecordedChoices>,
    /// Why the choices could not be recorded. The run itself does not depend on that.
    pub unrecorded: Option<String>,
}

/// Runs the program once.
pub fn once(settings: &Settings, choices: &Choices, scratch: &Path) -> std::io::Result<RunResult> {
    // The program may start in another folder.
    let scratch = std::path::absolute(scratch)?;
    let file = scratch.join("reports");
    let _ = std::fs::remove_file(&file);
    let mut command = Command::new(&settings.program);
    command.args(&settings.arguments).env("STEADFAST_OPTIONS", options(settings, choices));
    // In a variable of its own, because a path can contain the separators of options.
    command.env("STEADFAST_REPORT_FILE", &file);
    let (mut log, mut unrecorded) = (None, None);
    if let Some(scheduler) = settings.schedule.kind() {
        let path = scratch.join("choices");
        match choice_log::prepare(&path, scheduler) {
            Ok(()) => log = Some(path),
            Err(error) => unrecorded = Some(error.to_string()),
        }
    }
    for (variable, path) in [(LOG_VARIABLE, &log), (REPLAY_VARIABLE, &choices.replay)] {
        match path {
            Some(path) => command.env(variable, path),
            None => command.env_remove(variable),
        };
    }
    if let Some(library) = &settings.preload {
        command.env("LD_PRELOAD", library);
    }
    if settings.output_is_ours {
        command.stdout(std::io::stderr());
    }
    let end = wait(command.spawn()?, settings)?;
    let watched = file.exists();
    let text = std::fs::read(&file).unwrap_or_default();
    let choices = log.as_deref().and_then(RecordedChoices::find);
    Ok(RunResult { end, records: record::parse(&String::from_utf8_lossy(&text)), watched, choices, unrecorded })
}

impl Settings {
    /// Whether the user's options set the length of runs.
    pub(crate) fn gives_length(&self) -> bool {
        let options = std::env::var("STEADFAST_OPTIONS").unwrap_or_default();
        let mut all = options.split([':', ',', ' ', '\n']).chain(self.options.iter().map(String::as_str));
        all.any(|option| option.starts_with("length="))
    }
}

fn options(settings: &Settings, choices: &Choices) -> String {
    // The user's options come first, so that those that this run needs win.
    let mut options = std::env::var("STEADFAST_OPTIONS").unwrap_or_default();
    for option in &settings.options {
        let _ = write!(options, ":{option}");
    }
    // The exit code stays the program's own; the reports show whether there were any.
    let _ = write!(options, ":schedule={}:seed={}:exitcode=0", settings.schedule.name(), choices.seed);
    for (name, value) in [("length", choices.length), ("depth", choices.depth)] {
        if let Some(value) = value {
            let _ = write!(options, ":{name}={value}");
        }
    }
    options
}

fn wait(mut child: Child, settings: &Settings) -> std::io::Result<End> {
    let start = Instant::now();
    loop {
        let ended = child.try_wait()?;
        if settings.interrupt.load(Ordering::Relaxed) {
            end_all(&mut child)?;
            return Ok(End::Interrupted);
        }
        if let Some(status) = ended {
            return Ok(End::Own(status));
        }
        let elapsed = start.elapsed();
        if settings.time_limit.is_some_and(|limit| elapsed > limit) {
            end_all(&mut child)?;
            return Ok(End::TimedOut);
        }
        // The end is noticed late by at most a small part of the run's time.
        std::thread::sleep((elapsed / 16).clamp(Duration::from_micros(100), Duration::from_millis(20)));
    }
}

/// Ends the program and the processes that it has started. (Not with a process group of its own: then the program could not read from a terminal.)
fn end_all(child: &mut Child) -> std::io::Result<()> {
    let family = descendants(child.id());
    // It may just have ended.
    let _ = child.kill();
    if !family.is_empty() {
        let family = family.iter().map(u32::to_string);
        let _ = Command::new("sh").args(["-c", "kill -KILL \"$@\" 2>/dev/null", "sh"]).args(family).status();
    }
    child.wait().map(|_| ())
}

/// The child processes of a process, and their children.
fn descendants(ancestor: u32) -> Vec<u32> {
    let numbers = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbers = numbers.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let pairs: Vec<(u32, u32)> = numbers.filter_map(|process| Some((process, parent(process)?))).collect();
    let mut family = vec![ancestor];
    let mut next = 0;
    while let Some(&member) = family.get(next) {
        family.extend(pairs.iter().filter(|&&(_, parent)| parent == member).map(|&(process, _)| process));
        next += 1;
    }
    family.split_off(1)
}

fn parent(process: u32) -> Option<u32> {
    // The name comes before, in parentheses, and can contain anything.
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    stat.rsplit_once(')')?.1.split_ascii_whitespace().nth(1)?.parse().ok()
}
