//! Many runs of a program: the setup of each run, its results, and how it can be repeated.

use crate::choice_log::RecordedChoices;
use crate::collection::Collection;
use crate::finding::Finding;
use crate::length::Lengths;
use crate::record::Kind;
use crate::run::{Choices, End, RunResult, Settings, once};
use crate::suppressions::Suppressions;
use crate::symbols::Symbols;
use crate::text;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use steadfast_schedule::{Choice, Header, Kind as Scheduler, Log, Schedule};

/// Which runs to make.
#[derive(Clone, Debug)]
pub struct Plan {
    /// How many runs.
    pub runs: u64,
    /// The seed of the first; each later one has the next.
    pub seed: u64,
    /// The expected number of steps of a run. `None`: learnt from earlier runs.
    pub length: Option<u64>,
    /// Whether the first run that reports something or fails is the last.
    pub stop_at_first: bool,
    /// A folder for the logs of runs that report something new or fail, or of a single run.
    pub logs: Option<PathBuf>,
    /// A log that every run repeats.
    pub replay: Option<Log>,
}

/// A run, with what is needed to repeat it.
#[derive(Clone, Debug, Default)]
pub struct Origin {
    /// Its number, from 0.
    pub run: u64,
    /// Its seed.
    pub seed: u64,
    /// How many steps its scheduler expected, if that matters to it.
    pub length: Option<u64>,
    /// How many steps it made under control.
    pub steps: Option<u64>,
    /// Its log, if that was kept.
    pub log: Option<PathBuf>,
}

/// A run that ended with an error of the program, or was ended.
#[derive(Clone, Debug)]
pub struct Failure {
    /// Which run.
    pub origin: Origin,
    /// How it ended.
    pub end: End,
}

/// A run that should have repeated a log, and did not.
#[derive(Clone, Debug)]
pub struct Divergence {
    /// Which run.
    pub origin: Origin,
    /// The first step that was not repeated, from 0.
    pub step: usize,
    /// How many steps there are in the log.
    pub steps: usize,
    /// This step in the log.
    pub recorded: Option<Choice>,
    /// The step that came instead. `None` if the program ended.
    pub instead: Option<Choice>,
    /// Whether one of the runs waited for something outside of the schedule.
    pub waits_outside: bool,
}

/// The results of all runs.
#[derive(Debug, Default)]
pub struct Session {
    /// The findings.
    pub collection: Collection,
    /// How many runs there were.
    pub runs: u64,
    /// How many ended with an error of the program, or took too long.
    pub failed: u64,
    /// The first failures.
    pub failures: Vec<Failure>,
    /// In how many runs the runtime was active.
    pub watched: u64,
    /// Whether the user interrupted the runs.
    pub interrupted: bool,
    /// The head of the log that they should have repeated.
    pub replayed: Option<Header>,
    /// How many runs did not repeat it.
    pub diverged: u64,
    /// The first divergence.
    pub divergence: Option<Divergence>,
    /// How many runs had processes with schedules of their own, which are in no log.
    pub with_other_processes: u64,
    /// In how many runs the log was full.
    pub full: u64,
    /// From which step on, in the first of them.
    pub full_from: Option<u64>,
}

/// How many failures are remembered, with their logs.
const MOST_FAILURES: usize = 100;

/// News for the user, given as soon as it is known.
#[derive(Debug)]
pub enum News {
    /// The text of a new finding.
    Finding(String),
    /// An input of the user cannot be used. The runs go on without it.
    Complaint(String),
    /// A log that the user wanted cannot be written.
    NotWritten(String),
}

/// Why the runs stopped.
#[derive(Debug)]
pub enum SessionError {
    /// The program cannot be run.
    CannotRun(io::Error),
    /// A file of the session cannot be written.
    Files(PathBuf, io::Error),
    /// The news cannot be delivered any more.
    Told(io::Error),
}

/// Makes the runs. `tell` gets the news after each of them.
pub fn repeat(
    settings: &Settings,
    plan: &Plan,
    scratch: &Path,
    mut tell: impl FnMut(&Session, Vec<News>) -> io::Result<()>,
) -> Result<Session, SessionError> {
    let replay = prepare(plan, scratch)?;
    let mut settings = settings.clone();
    if let Some(log) = &plan.replay {
        settings.schedule = Schedule::By(log.header.scheduler);
    }
    let replayed = plan.replay.as_ref().map(|log| log.header.clone());
    let mut session = Session { replayed, ..Session::default() };
    let (mut symbols, mut lengths) = (Symbols::new(), Lengths::default());
    for run in 0..plan.runs {
        let choices = plan.choices(run, &settings, &lengths, replay.clone());
        let outcome = once(&settings, &choices, scratch).map_err(SessionError::CannotRun)?;
        if let (End::Own(_), Some(recorded)) = (outcome.end, &outcome.choices) {
            lengths.add(recorded.header.all_steps());
        }
        let news = session.add(plan, run, choices.seed, &outcome, &mut symbols);
        tell(&session, news).map_err(SessionError::Told)?;
        if session.interrupted || plan.stop_at_first && session.has_something() {
            break;
        }
    }
    Ok(session)
}

/// Makes the files and folders that the runs need.
fn prepare(plan: &Plan, scratch: &Path) -> Result<Option<PathBuf>, SessionError> {
    if let Some(folder) = &plan.logs {
        fs::create_dir_all(folder).map_err(|error| SessionError::Files(folder.clone(), error))?;
    }
    let Some(log) = &plan.replay else { return Ok(None) };
    // A copy that does not change while programs read it.
    let path = scratch.join("replay");
    fs::write(&path, log.to_bytes()).map_err(|error| SessionError::Files(path.clone(), error))?;
    Ok(Some(path))
}

impl Plan {
    fn choices(&self, run: u64, settings: &Settings, lengths: &Lengths, replay: Option<PathBuf>) -> Choices {
        if let Some(log) = &self.replay {
            let header = &log.header;
            return Choices { seed: header.seed, length: Some(header.length), depth: Some(header.depth), replay };
        }
        let learns = settings.schedule.kind().is_some_and(Scheduler::uses_length) && !settings.gives_length();
        let length = self.length.or_else(|| lengths.expected().filter(|_| learns));
        Choices { seed: self.seed.wrapping_add(run), length, depth: None, replay }
    }

    /// Where the log of a run is kept.
    fn log_of(&self, run: u64, seed: u64) -> Option<PathBuf> {
        let name = if self.replay.is_some() { format!("replay-{}.log", run + 1) } else { format!("seed-{seed}.log") };
        self.logs.as_ref().map(|folder| folder.join(name))
    }
}

impl Session {
    /// Whether a run has reported something or failed.
    pub fn has_something(&self) -> bool {
        self.failed > 0 || self.collection.runs_with_findings() > 0
    }

    /// Adds a run. Returns the news.
    fn add(&mut self, plan: &Plan, run: u64, seed: u64, outcome: &RunResult, symbols: &mut Symbols) -> Vec<News> {
        let mut news = Vec::new();
        self.runs += 1;
        self.watched += u64::from(outcome.watched);
        let findings = findings(outcome, symbols, &mut news);
        let failed = match outcome.end {
            End::Own(status) if status.success() => false,
            // With a deadlock, the runtime has ended the program and reported it.
            End::Own(_) => findings.iter().all(|finding| finding.kind != Kind::Deadlock),
            End::TimedOut => true,
            End::Interrupted => {
                self.interrupted = true;
                false
            }
        };
        if let (Some(reason), true) = (&outcome.unrecorded, run == 0 && (plan.logs.is_some() || plan.replay.is_some()))
        {
            news.push(News::NotWritten(format!("cannot record the choices of a run: {reason}")));
        }
        let mut origin = origin(run, seed, outcome);
        self.look_at(outcome.choices.as_ref(), plan, &origin, outcome.end);
        let kept = failed && self.failures.len() < MOST_FAILURES || !findings.is_empty() || plan.runs == 1;
        if let (true, Some(path), Some(recorded)) = (kept, plan.log_of(run, seed), &outcome.choices) {
            match recorded.keep(&path) {
                Ok(()) => origin.log = Some(path),
                Err(error) => news.push(News::NotWritten(format!("cannot write {}: {error}", path.display()))),
            }
        }
        if failed {
            self.failed += 1;
            if self.failures.len() < MOST_FAILURES {
                self.failures.push(Failure { origin: origin.clone(), end: outcome.end });
            }
        }
        let new = self.collection.add(&origin, findings);
        news.extend(new.iter().map(|new| News::Finding(text::full(&new.finding))));
        if let Some(path) = origin.log.filter(|_| !failed && plan.runs > 1 && !self.collection.is_origin(run)) {
            // Earlier runs had all of its findings.
            let _ = fs::remove_file(path);
        }
        news
    }

    /// Checks the log of a run: whether it is complete, and whether it repeats the log that it should.
    fn look_at(&mut self, recorded: Option<&RecordedChoices>, plan: &Plan, origin: &Origin, end: End) {
        if let Some(header) = recorded.map(|recorded| &recorded.header) {
            self.with_other_processes += u64::from(header.others > 0);
            if header.steps > header.records {
                self.full += 1;
                self.full_from.get_or_insert(header.records);
            }
        }
        let Some(log) = &plan.replay else { return };
        let repeated = recorded.and_then(|recorded| recorded.read().ok());
        let made = repeated.as_ref().map_or(0, |repeated| repeated.choices.len());
        let first = repeated.as_ref().map_or(Some(0), |repeated| log.first_difference(repeated));
        // A run that was ended in the middle may have been about to make the right step.
        let Some(step) = first.filter(|&step| step < made || matches!(end, End::Own(_))) else { return };
        self.diverged += 1;
        self.divergence.get_or_insert_with(|| Divergence {
            origin: origin.clone(),
            step,
            steps: log.choices.len(),
            recorded: log.choices.get(step).copied(),
            waits_outside: log.waits_outside() || repeated.as_ref().is_some_and(Log::waits_outside),
            instead: repeated.and_then(|repeated| repeated.choices.get(step).copied()),
        });
    }
}

/// The findings of a run that count.
fn findings(outcome: &RunResult, symbols: &mut Symbols, news: &mut Vec<News>) -> Vec<Finding> {
    let mut findings: Vec<_> = outcome.records.iter().map(|record| Finding::resolve(record, symbols)).collect();
    findings.retain(|finding| !finding.is_inside_library());
    if let Some(first) = outcome.records.iter().find(|record| record.suppressions.is_some()) {
        let (suppressions, complaints) = Suppressions::of(first);
        news.extend(complaints.into_iter().map(News::Complaint));
        findings.retain(|finding| !suppressions.apply_to(finding));
    }
    findings
}

fn origin(run: u64, seed: u64, outcome: &RunResult) -> Origin {
    let header = outcome.choices.as_ref().map(|recorded| &recorded.header);
    Origin {
        run,
        seed,
        length: header.filter(|header| header.scheduler.uses_length()).map(|header| header.length),
        steps: header.map(Header::all_steps),
        log: None,
    }
}
