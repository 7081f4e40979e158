//! A solver as a process that is talked to in SMT-LIB.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum SolverError {
    /// It cannot be started.
    #[error("the solver `{program}` cannot be started: {why}")]
    Missing {
        /// What was to be run.
        program: String,
        /// What the system says.
        why: std::io::Error,
    },
    /// It ended, or its answer could not be read.
    #[error("the solver stopped answering: {0}")]
    Crashed(String),
    /// It does not know.
    #[error("the solver does not know ({0})")]
    Unknown(String),
    /// The user does not want to wait any longer.
    #[error("interrupted")]
    Interrupted,
}

/// What a solver says about a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// There is such a state.
    Sat,
    /// There is none.
    Unsat,
}

/// Which solver to run, and how long it may think about one question.
#[derive(Clone, Debug)]
pub struct SolverOptions {
    /// The program; z3 and cvc5 are known by their names.
    pub program: PathBuf,
    /// For one question.
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
    input: ChildStdin,
    output: BufReader<ChildStdout>,
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
        let mut solver = Self { child, input, output: BufReader::new(output), questions: 0 };
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
        let answer = match self.line()?.as_str() {
            "sat" => Answer::Sat,
            "unsat" => Answer::Unsat,
            other => {
                let other = other.to_owned();
                return Err(SolverError::Unknown(other));
            }
        };
        let mut found = Vec::new();
        if answer == Answer::Sat && !values.is_empty() {
            self.say(&format!("(get-value ({}))\n", values.join(" ")))?;
            found = self.values(values.len())?;
        }
        self.say("(pop 1)\n")?;
        Ok((answer, found))
    }

    fn say(&mut self, text: &str) -> Result<(), SolverError> {
        let crashed = |why: std::io::Error| SolverError::Crashed(why.to_string());
        self.input.write_all(text.as_bytes()).map_err(crashed)?;
        self.input.flush().map_err(crashed)
    }

    fn line(&mut self) -> Result<String, SolverError> {
        let mut line = String::new();
        match self.output.read_line(&mut line) {
            Ok(0) => Err(SolverError::Crashed("it has ended".into())),
            Ok(_) => Ok(line.trim().to_owned()),
            Err(why) => Err(SolverError::Crashed(why.to_string())),
        }
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

/// Where a solver is: the given program if it has a path, else the one in `PATH`.
pub fn find(program: &Path) -> Option<PathBuf> {
    if program.components().count() > 1 {
        return program.exists().then(|| program.to_owned());
    }
    std::env::split_paths(&std::env::var_os("PATH")?).map(|folder| folder.join(program)).find(|path| path.is_file())
}
