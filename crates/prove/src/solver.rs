//! A solver as a process that speaks SMT-LIB.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum SolverError {
    /// It cannot be started.
    #[error("the solver `{program}` cannot be started: {why}")]
    Missing {
        /// The program that was to run.
        program: String,
        /// The error of the operating system.
        why: std::io::Error,
    },
    /// It ended, or its answer could not be read.
    #[error("the solver stopped answering: {0}")]
    Crashed(String),
    /// It answered "unknown", or did not answer in time.
    #[error("the solver does not know ({0})")]
    Unknown(String),
    /// The user interrupted it.
    #[error("interrupted")]
    Interrupted,
}

impl SolverError {
    /// The error, or [`Self::Interrupted`] if `stop` says so: an interrupt from the terminal ends the solver, too.
    pub(crate) fn or_interrupted(self, stop: &dyn Fn() -> bool) -> Self {
        if stop() { Self::Interrupted } else { self }
    }
}

/// A solver's answer to a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// There is such a state.
    Sat,
    /// There is no such state.
    Unsat,
}

/// Which solver to run, and its time limit.
#[derive(Clone, Debug)]
pub struct SolverOptions {
    /// The program. z3 and cvc5 are recognised by their names.
    pub program: PathBuf,
    /// The time limit for one question.
    pub timeout: Duration,
}

impl Default for SolverOptions {
    fn default() -> Self {
        Self { program: "z3".into(), timeout: Duration::from_secs(10) }
    }
}

impl SolverOptions {
    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        let name = self.program.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
        let milliseconds = self.timeout.as_millis();
        if name.starts_with("cvc5") {
            command.args(["--lang=smt2", "--incremental", "--produce-models", &format!("--tlimit-per={milliseconds}")]);
        } else {
            command.args(["-in", "-smt2", &format!("-t:{milliseconds}")]);
        }
        command
    }
}

/// A running solver.
#[derive(Debug)]
pub(crate) struct Solver {
    child: Child,
    /// Its input. Separate threads write and read, so that a solver that does neither cannot block us.
    input: Sender<String>,
    /// Its output, line by line.
    output: Receiver<String>,
    time_limit: Duration,
    /// How many questions were asked.
    pub(crate) questions: usize,
}

impl Solver {
    /// Starts the solver with declarations that hold for all questions.
    pub(crate) fn start(options: &SolverOptions, prelude: &str) -> Result<Self, SolverError> {
        let program = options.program.display().to_string();
        let missing = |why| SolverError::Missing { program: program.clone(), why };
        let mut child = options
            .command()
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(missing)?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(SolverError::Crashed("it has no input or output".into()));
        };
        // The solver should give up by itself. If it does not, it is stopped after twice the time, plus a second for its start.
        let time_limit = options.timeout * 2 + Duration::from_secs(1);
        let mut solver =
            Self { child, input: start_writer(input), output: start_reader(output), time_limit, questions: 0 };
        solver.say(prelude)?;
        Ok(solver)
    }

    /// Whether the formula has a model. `values` are terms whose values in that model are wanted.
    pub(crate) fn ask(
        &mut self,
        declarations: &str,
        formula: &str,
        values: &[String],
    ) -> Result<(Answer, Vec<String>), SolverError> {
        self.questions += 1;
        self.say(&format!("(push 1)\n{declarations}(assert {formula})\n(check-sat)\n"))?;
        let answer = self.answer()?;
        let mut found = Vec::new();
        if answer == Answer::Sat && !values.is_empty() {
            self.say(&format!("(get-value ({}))\n", values.join(" ")))?;
            found = self.values(values.len())?;
        }
        self.say("(pop 1)\n")?;
        Ok((answer, found))
    }

    /// The answer to the question that was just asked.
    pub(crate) fn answer(&mut self) -> Result<Answer, SolverError> {
        match self.line()?.as_str() {
            "sat" => Ok(Answer::Sat),
            "unsat" => Ok(Answer::Unsat),
            other => Err(SolverError::Unknown(other.to_owned())),
        }
    }

    fn say(&mut self, text: &str) -> Result<(), SolverError> {
        self.input.send(text.to_owned()).map_err(|_| SolverError::Crashed("it does not listen".into()))
    }

    fn line(&mut self) -> Result<String, SolverError> {
        self.output.recv_timeout(self.time_limit).map_err(|why| match why {
            RecvTimeoutError::Timeout => {
                SolverError::Unknown(format!("no answer within {} s", self.time_limit.as_secs_f64()))
            }
            RecvTimeoutError::Disconnected => SolverError::Crashed("it has ended".into()),
        })
    }

    /// The second part of each pair in `((term value) …)`.
    fn values(&mut self, count: usize) -> Result<Vec<String>, SolverError> {
        let mut text = String::new();
        loop {
            text.push_str(&self.line()?);
            text.push(' ');
            let depth = text.chars().fold(0_i32, |depth, letter| match letter {
                '(' => depth + 1,
                ')' => depth - 1,
                _ => depth,
            });
            if depth <= 0 {
                break;
            }
        }
        let tree = parse(&text).ok_or_else(|| SolverError::Crashed(format!("it says {text}")))?;
        let Sexp::List(pairs) = tree else { return Err(SolverError::Crashed(format!("it says {text}"))) };
        let second = |pair: &Sexp| match pair {
            Sexp::List(parts) if parts.len() == 2 => Some(parts[1].text()),
            _ => None,
        };
        let found: Option<Vec<String>> = pairs.iter().map(second).collect();
        found.filter(|found| found.len() == count).ok_or_else(|| SolverError::Crashed(format!("it says {text}")))
    }
}

/// Writes what is sent, until the process ends or the sender is dropped.
fn start_writer(mut input: ChildStdin) -> Sender<String> {
    let (sender, receiver) = channel::<String>();
    std::thread::spawn(move || {
        for text in receiver {
            if input.write_all(text.as_bytes()).and_then(|()| input.flush()).is_err() {
                return;
            }
        }
    });
    sender
}

/// The lines of an output, as they come. It ends with the output, or when the receiver is dropped.
fn start_reader(output: ChildStdout) -> Receiver<String> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(output).lines() {
            let Ok(line) = line else { return };
            if sender.send(line.trim().to_owned()).is_err() {
                return;
            }
        }
    });
    receiver
}

impl Drop for Solver {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

enum Sexp {
    Word(String),
    List(Vec<Sexp>),
}

impl Sexp {
    fn text(&self) -> String {
        match self {
            Self::Word(word) => word.clone(),
            Self::List(parts) => {
                let parts: Vec<String> = parts.iter().map(Self::text).collect();
                if let [minus, number] = parts.as_slice()
                    && minus == "-"
                {
                    return format!("-{number}");
                }
                format!("({})", parts.join(" "))
            }
        }
    }
}

fn parse(text: &str) -> Option<Sexp> {
    let mut stack: Vec<Vec<Sexp>> = vec![Vec::new()];
    let mut word = String::new();
    for letter in text.chars() {
        if !matches!(letter, '(' | ')') && !letter.is_whitespace() {
            word.push(letter);
            continue;
        }
        if !word.is_empty() {
            stack.last_mut()?.push(Sexp::Word(std::mem::take(&mut word)));
        }
        match letter {
            '(' => stack.push(Vec::new()),
            ')' => {
                let list = stack.pop()?;
                stack.last_mut()?.push(Sexp::List(list));
            }
            _ => {}
        }
    }
    stack.pop()?.into_iter().next()
}

/// The path of a solver: the given program if it has a path, otherwise the one in `PATH`.
pub fn find(program: &Path) -> Option<PathBuf> {
    if program.components().count() > 1 {
        return program.exists().then(|| program.to_owned());
    }
    std::env::split_paths(&std::env::var_os("PATH")?).map(|folder| folder.join(program)).find(|path| path.is_file())
}
