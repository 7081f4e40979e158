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
    /// Who decides.
    pub schedule: Schedule,
    /// A run that takes longer is ended.
    pub time_limit: Option<Duration>,
    /// More options for the runtime.
    pub options: Vec<String>,
    /// A library to load before all others, for programs that were not linked with the runtime.
    pub preload: Option<PathBuf>,
    /// Whether standard output is for the results alone. What the program writes there then goes to standard error.
    pub output_is_ours: bool,
    /// Becomes true when somebody wants to stop.
    pub interrupt: &'static AtomicBool,
}

/// What the choices of one run come from.
#[derive(Clone, Debug, Default)]
pub struct Choices {
    /// Where chance begins.
    pub seed: u64,
    /// How many steps are expected, if that is known.
    pub length: Option<u64>,
    /// PCT's depth, if it is not the usual one.
    pub depth: Option<u64>,
    /// A log that is to be repeated.
    pub replay: Option<PathBuf>,
}

impl Choices {
    /// Those that a seed means.
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
    /// Somebody wanted to stop.
    Interrupted,
}

/// How a run ended.
#[derive(Clone, Debug)]
pub struct RunResult {
    /// How the program ended.
    pub end: End,
    /// What it reported.
    pub records: Vec<Record>,
    /// Whether the runtime was there to report anything.
    pub watched: bool,
    /// The choices that it made, if it made any.
    pub choices: Option<RecordedChoices>,
    /// Why they could not be recorded. The run is the same without that.
    pub unrecorded: Option<String>,
}

/// Runs the program once.
pub fn once(settings: &Settings, choices: &Choices, scratch: &Path) -> std::io::Result<RunResult> {
    // The program may begin in another folder.
    let scratch = std::path::absolute(scratch)?;
    let file = scratch.join("reports");
    let _ = std::fs::remove_file(&file);
    let mut command = Command::new(&settings.program);
    command.args(&settings.arguments).env("STEADFAST_OPTIONS", options(settings, choices));
    // Not among the options: a path can have anything in it.
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
    /// Whether the user has said how long runs are.
    pub(crate) fn gives_length(&self) -> bool {
        let options = std::env::var("STEADFAST_OPTIONS").unwrap_or_default();
        let mut all = options.split([':', ',', ' ', '\n']).chain(self.options.iter().map(String::as_str));
        all.any(|option| option.starts_with("length="))
    }
}

fn options(settings: &Settings, choices: &Choices) -> String {
    // What the user wants comes first, so that what this run needs wins.
    let mut options = std::env::var("STEADFAST_OPTIONS").unwrap_or_default();
    for option in &settings.options {
        let _ = write!(options, ":{option}");
    }
    // The exit code is the program's own: whether something was reported is said by the reports.
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
        // Never late by more than a small part of the time that it took.
        std::thread::sleep((elapsed / 16).clamp(Duration::from_micros(100), Duration::from_millis(20)));
    }
}

/// Ends the program and those that it has started, which would go on otherwise. (Not by a process group of its own: then it could not read from a terminal.)
fn end_all(child: &mut Child) -> std::io::Result<()> {
    let family = descendants(child.id());
    // It may have ended just now.
    let _ = child.kill();
    if !family.is_empty() {
        let family = family.iter().map(u32::to_string);
        let _ = Command::new("sh").args(["-c", "kill -KILL \"$@\" 2>/dev/null", "sh"]).args(family).status();
    }
    child.wait().map(|_| ())
}

/// The processes that this one has started, and those that they have started.
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
    // The name comes before it, in parentheses, and can have anything in it.
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    stat.rsplit_once(')')?.1.split_ascii_whitespace().nth(1)?.parse().ok()
}
