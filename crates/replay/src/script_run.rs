//! Runs several sessions, statement by statement.

use crate::connection::{Connection, Reply, SqlError};
use crate::server::Server;
use crate::variables::{filled, quoted};
use crate::{Failure, check_interrupt};
use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// The time limit of a statement that does not wait for another session.
const LIMIT: Duration = Duration::from_secs(60);

/// A script to run.
#[derive(Clone, Debug, Default)]
pub struct Script {
    /// Statements that prepare the database.
    pub setup: Vec<String>,
    /// The sessions.
    pub sessions: Vec<Session>,
    /// The statements of the sessions, in the order of time.
    pub events: Vec<Event>,
}

/// A session.
#[derive(Clone, Debug, Default)]
pub struct Session {
    /// Its name.
    pub name: String,
    /// The initial values of its variables; `None` is NULL.
    pub variables: BTreeMap<String, Option<String>>,
}

/// A statement of a session.
#[derive(Clone, Debug)]
pub struct Event {
    /// The number of the session.
    pub session: usize,
    /// The statement, with variables.
    pub text: String,
    /// Variables that are set before the statement.
    pub given: Vec<(String, String)>,
    /// The variables that receive the values of the first row.
    pub into: Vec<String>,
    /// The expected value in the first column of the first row.
    pub expected: Option<String>,
}

impl Event {
    /// A statement without variables.
    pub fn plain(session: usize, text: impl Into<String>) -> Self {
        Self { session, text: text.into(), given: Vec::new(), into: Vec::new(), expected: None }
    }
}

/// The result of an event.
#[derive(Clone, Debug)]
pub struct Line {
    /// The number of the session.
    pub session: usize,
    /// The statement with the values of its variables.
    pub text: String,
    /// The result of the statement.
    pub outcome: StatementResult,
    /// Whether it had to wait for another session.
    pub waited: bool,
    /// Whether it returned something unexpected.
    pub different: bool,
}

/// The result of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StatementResult {
    /// The server's answer.
    Done(Reply),
    /// The server's error.
    Failed(SqlError),
    /// It was not run, because the transaction had failed before.
    Skipped,
}

/// The results of a script.
#[derive(Clone, Debug)]
pub struct ScriptRun {
    /// The results, in the order in which the statements ended.
    pub lines: Vec<Line>,
}

/// What a run says about a schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Every statement ran in order and returned what was expected, and all transactions committed.
    Observed,
    /// The database rejected a statement or a commit to keep the transactions apart.
    Refused(SqlError),
    /// A statement or a commit failed for another reason.
    Failed(SqlError),
    /// A statement had to wait, so the order changed.
    Prevented,
    /// A statement returned something unexpected.
    Different,
}

impl ScriptRun {
    /// What the run says about the schedule.
    pub fn verdict(&self) -> Verdict {
        let failed = self
            .lines
            .iter()
            .find_map(|line| if let StatementResult::Failed(error) = &line.outcome { Some(error) } else { None });
        if let Some(error) = failed {
            let error = error.clone();
            return if error.is_conflict() { Verdict::Refused(error) } else { Verdict::Failed(error) };
        }
        if self.lines.iter().any(|line| line.waited) {
            return Verdict::Prevented;
        }
        if self.lines.iter().any(|line| line.different) { Verdict::Different } else { Verdict::Observed }
    }
}

/// Runs a script on a server. Its effects on the database stay.
pub fn run_script(server: &Server, script: &Script, interrupt: &AtomicBool) -> Result<ScriptRun, Failure> {
    let mut monitor = server.connect()?;
    for statement in &script.setup {
        monitor.run(statement)?;
    }
    let sessions = script.sessions.iter().map(|session| {
        Ok(LiveSession {
            connection: server.connect()?,
            variables: session.variables.clone(),
            running: None,
            deferred: VecDeque::new(),
            failed: false,
        })
    });
    let mut stage = Stage { monitor, sessions: sessions.collect::<Result<_, Failure>>()?, lines: Vec::new() };
    for event in &script.events {
        check_interrupt(interrupt)?;
        stage.event(event, interrupt)?;
        stage.check_waiting(interrupt)?;
    }
    stage.finish(interrupt)?;
    Ok(ScriptRun { lines: stage.lines })
}

struct LiveSession {
    connection: Connection,
    variables: BTreeMap<String, Option<String>>,
    /// A statement that waits for another session, with its text.
    running: Option<(Event, String)>,
    deferred: VecDeque<Event>,
    failed: bool,
}

struct Stage {
    monitor: Connection,
    sessions: Vec<LiveSession>,
    lines: Vec<Line>,
}

impl Stage {
    /// Runs one event until it ends or waits for another session.
    fn event(&mut self, event: &Event, interrupt: &AtomicBool) -> Result<(), Failure> {
        let session = &mut self.sessions[event.session];
        if session.running.is_some() {
            session.deferred.push_back(event.clone());
            return Ok(());
        }
        for (name, value) in &event.given {
            session.variables.insert(name.clone(), Some(value.clone()));
        }
        let variables = &session.variables;
        let text = filled(&event.text, |name| variables.get(name).map(|value| quoted(value.as_deref())));
        if session.failed {
            self.lines.push(Line {
                session: event.session,
                text,
                outcome: StatementResult::Skipped,
                waited: false,
                different: false,
            });
            return Ok(());
        }
        session.connection.send(&text)?;
        let until = Instant::now() + LIMIT;
        loop {
            check_interrupt(interrupt)?;
            if let Some(result) = self.sessions[event.session].connection.wait(Duration::from_millis(20))? {
                self.ended(event, text, result, false);
                return Ok(());
            }
            if self.is_waiting(event.session)? {
                self.sessions[event.session].running = Some((event.clone(), text));
                return Ok(());
            }
            if Instant::now() > until {
                return Err(Failure::Server(format!("the server does not answer: {text}")));
            }
        }
    }

    fn is_waiting(&mut self, session: usize) -> Result<bool, Failure> {
        let pid = self.sessions[session].connection.pid();
        let reply =
            self.monitor.run(&format!("SELECT wait_event_type = 'Lock' FROM pg_stat_activity WHERE pid = {pid}"))?;
        Ok(reply.rows.first().is_some_and(|row| row.first() == Some(&Some("t".to_owned()))))
    }

    fn ended(&mut self, event: &Event, text: String, result: Result<Reply, SqlError>, waited: bool) {
        let session = &mut self.sessions[event.session];
        let (outcome, different) = match result {
            Ok(reply) => {
                let row = reply.rows.first();
                for (at, name) in event.into.iter().enumerate() {
                    session.variables.insert(name.clone(), row.and_then(|row| row.get(at).cloned().flatten()));
                }
                let first = row.and_then(|row| row.first().cloned().flatten());
                let different = event.expected.is_some() && event.expected != first;
                (StatementResult::Done(reply), different)
            }
            Err(error) => {
                session.failed = true;
                (StatementResult::Failed(error), false)
            }
        };
        self.lines.push(Line { session: event.session, text, outcome, waited, different });
    }

    /// Checks whether statements that waited can continue, and collects their results.
    fn check_waiting(&mut self, interrupt: &AtomicBool) -> Result<(), Failure> {
        for number in 0..self.sessions.len() {
            if self.sessions[number].running.is_none() || self.is_waiting(number)? {
                continue;
            }
            // It no longer waits for a lock, so the answer comes soon.
            if let Some(result) = self.sessions[number].connection.wait(Duration::from_secs(5))? {
                self.resume(number, result, interrupt)?;
            }
        }
        Ok(())
    }

    fn resume(
        &mut self,
        number: usize,
        result: Result<Reply, SqlError>,
        interrupt: &AtomicBool,
    ) -> Result<(), Failure> {
        let Some((event, text)) = self.sessions[number].running.take() else { return Ok(()) };
        self.ended(&event, text, result, true);
        let deferred = std::mem::take(&mut self.sessions[number].deferred);
        deferred.into_iter().try_for_each(|event| self.event(&event, interrupt))
    }

    /// Waits for all statements that still wait. PostgreSQL ends deadlocks by itself.
    fn finish(&mut self, interrupt: &AtomicBool) -> Result<(), Failure> {
        let until = Instant::now() + LIMIT;
        while let Some(number) = self.sessions.iter().position(|session| session.running.is_some()) {
            check_interrupt(interrupt)?;
            if let Some(result) = self.sessions[number].connection.wait(Duration::from_millis(50))? {
                self.resume(number, result, interrupt)?;
            } else if Instant::now() > until {
                return Err(Failure::Server("some session waits for ever".to_owned()));
            }
            self.check_waiting(interrupt)?;
        }
        Ok(())
    }
}
