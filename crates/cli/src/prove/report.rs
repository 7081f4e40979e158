//! What came of a proof, for people.

use super::args::Goal;
use super::instance::{Asserted, Instances, guessed};
use crate::codes;
use crate::numbers::counted;
use crate::output::Output;
use crate::show::problems;
use crate::status::Status;
use std::fmt::Write;
use std::path::PathBuf;
use steadfast_diag::Diagnostic;
use steadfast_prove::{
    Claim, Failure, Guess, Proof, ProofResult, Property, Reason, SolverError, UnprovedInvariant, WriteProof,
};
use steadfast_span::{SourceFile, Span};

/// Everything about one file.
pub(crate) struct Report {
    /// The file.
    pub(crate) file: SourceFile,
    /// What is wrong with it.
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// What came of it, if it could be read.
    pub(crate) outcome: Option<ProofResult>,
    /// What small instances showed, if there is no proof.
    pub(crate) instances: Option<Instances>,
    /// What they showed about assertions, if there is no proof of those.
    pub(crate) asserted: Option<Asserted>,
    /// What the exit code is about.
    pub(crate) goal: Goal,
    /// Whether to show what was found out about each place.
    pub(crate) invariants: bool,
    /// Where the certificate is, and with how many questions.
    pub(crate) certificate: Option<(PathBuf, usize)>,
    /// How long it took.
    pub(crate) seconds: f64,
}

/// A claim in a word.
pub(crate) fn claimed(claim: Claim) -> &'static str {
    match claim {
        Claim::TraceRobust => "trace-robust",
        Claim::ValueTraceRobust => "value-trace-robust",
        Claim::StateRobust => "state-robust",
        Claim::SafeByAbstraction => "safe by abstraction",
    }
}

fn meaning(claim: Claim) -> &'static str {
    match claim {
        Claim::TraceRobust => "every run under TSO has the same trace as a run in which threads simply take turns",
        Claim::ValueTraceRobust => {
            "every run under TSO is, as far as values tell, the same as one in which threads simply take turns"
        }
        Claim::StateRobust => {
            "every state that TSO reaches with empty buffers is reached when threads simply take turns"
        }
        Claim::SafeByAbstraction => {
            "whatever holds of the program with the reads below abstracted, when threads simply take turns, holds of it under TSO"
        }
    }
}

/// What an abstracted read may yield.
pub(crate) fn yielded(guess: Guess, read: &str) -> String {
    match guess {
        Guess::AtMost => format!("any value <= {read}"),
        Guess::AtLeast => format!("any value >= {read}"),
        Guess::Or(number) => format!("{read}, or {number}"),
    }
}

impl Report {
    /// Nothing yet.
    pub(crate) fn new(file: SourceFile) -> Self {
        Self {
            file,
            diagnostics: Vec::new(),
            outcome: None,
            instances: None,
            asserted: None,
            goal: Goal::Robust,
            invariants: false,
            certificate: None,
            seconds: 0.0,
        }
    }

    /// What the exit code says.
    pub(crate) fn status(&self) -> Status {
        let broken = self.instances.as_ref().is_some_and(|instances| instances.broken.is_some());
        let fails = self.asserted.as_ref().is_some_and(|asserted| asserted.failing.is_some());
        match &self.outcome {
            None | Some(ProofResult::Unsupported(_)) => Status::Input,
            Some(_) if fails || (broken && self.goal == Goal::Robust) => Status::Violation,
            Some(ProofResult::Proved(proof)) => match proof.property {
                Property::Unknown(_) => Status::Inconclusive,
                _ => Status::Holds,
            },
            Some(ProofResult::Inconclusive(SolverError::Interrupted)) => Status::Interrupted,
            Some(ProofResult::NotProved(_) | ProofResult::Inconclusive(_)) => Status::Inconclusive,
        }
    }

    /// The whole report.
    pub(crate) fn full(&self, output: &Output) -> String {
        let name = self.file.name();
        match &self.outcome {
            None => super::rejected(self, output),
            Some(ProofResult::Unsupported(problem)) => {
                let problem = Diagnostic::error(codes::NOT_PROVABLE, problem.message.clone()).at(problem.span, "here");
                problems(&self.file, &[problem], output)
            }
            Some(ProofResult::Inconclusive(error)) => {
                let hint = match error {
                    SolverError::Missing { .. } => {
                        "\n  help: install z3 (Debian: `apt install z3`), or name another solver with `--solver`"
                    }
                    SolverError::Unknown(_) => "\n  help: a larger `--solver-timeout` may help, or `--solver cvc5`",
                    _ => "",
                };
                format!("{name}: inconclusive: {error}; nothing is claimed{hint}\n")
            }
            Some(ProofResult::Proved(proof)) => {
                self.broken(output).unwrap_or_default() + &self.failing(output) + &self.proved(proof)
            }
            Some(ProofResult::NotProved(failure)) => self.failed(failure, output),
        }
    }

    fn proved(&self, proof: &Proof) -> String {
        let mut text = format!("{}: {} (tso), for any number of threads\n", self.file.name(), claimed(proof.claim));
        let _ = writeln!(text, "  {}", meaning(proof.claim));
        for (span, guess) in &proof.guesses {
            let read = self.text(*span);
            let (place, yields, instead) = (self.place(*span), yielded(*guess, read), guessed(*guess, read));
            let _ = if instead == read {
                writeln!(text, "  read abstracted in the text: {place}")
            } else {
                writeln!(text, "  read abstracted: {place} yields {yields}: `{instead}`")
            };
        }
        for write in &proof.writes {
            let _ = writeln!(text, "  {}: {}", self.place(write.span), self.why(write));
        }
        if self.invariants {
            for (thread, span, facts) in &proof.invariants {
                let before = self.place(*span);
                let _ = writeln!(text, "  {thread}, before {before}: `invariant({});`", facts.join(" && "));
            }
        }
        for unproved in proof.unproved() {
            let _ = writeln!(text, "  note: {}", self.not_kept(unproved));
        }
        match &proof.property {
            Property::Nothing => {}
            Property::Invariants => text.push_str("  its assertions hold under TSO\n"),
            Property::HornClauses => text.push_str("  its assertions hold under TSO, by a solution of Horn clauses\n"),
            Property::Unknown(spans) => {
                let spans: Vec<String> = spans.iter().map(|span| self.place(*span)).collect();
                let _ = writeln!(text, "  not shown to hold: {}", crate::numbers::listed(&spans));
                if let Some(asserted) = &self.asserted {
                    let _ = writeln!(text, "  {}", asserted.described());
                }
            }
        }
        let moves = counted(proof.movers, "move");
        let questions = counted(proof.questions, "question");
        let _ = writeln!(text, "  {moves} shown, {questions} to the solver, {:.2} s", self.seconds);
        if let Some((folder, questions)) = &self.certificate {
            let questions = counted(*questions, "question");
            let _ = writeln!(text, "  certificate with {questions} in {}", folder.display());
        }
        text
    }

    fn why(&self, write: &WriteProof) -> String {
        match write.reason {
            Reason::Nothing => "no load can overtake it".to_owned(),
            Reason::Moves => format!("could have happened earlier ({})", claimed(write.claim)),
            Reason::Reads => {
                let reads: Vec<String> = write.reads.iter().map(|span| self.place(*span)).collect();
                let reads = crate::numbers::listed(&reads);
                format!("what overtakes it could have happened later: {reads} ({})", claimed(write.claim))
            }
        }
    }

    /// An invariant of the text that could not be shown.
    fn not_kept(&self, unproved: &UnprovedInvariant) -> String {
        let by = unproved.by.map_or("at the start".to_owned(), |step| format!("after {}", self.place(step)));
        format!("{} could not be shown to hold {by}, and was not used", self.place(unproved.invariant))
    }

    /// A place in the text.
    fn place(&self, span: Span) -> String {
        format!("line {} `{}`", self.file.line_column(span.start).line, self.text(span))
    }

    /// The text at a place, on one line.
    pub(crate) fn text(&self, span: Span) -> &str {
        self.file.snippet(span).lines().next().unwrap_or_default()
    }

    fn failed(&self, failure: &Failure, output: &Output) -> String {
        let mut problem = diagnostic(failure);
        for unproved in &failure.unproved {
            problem = problem.note(self.not_kept(unproved));
        }
        let mut text = problems(&self.file, &[problem], output);
        if let Some(broken) = self.broken(output) {
            return text + &broken;
        }
        let _ = writeln!(text, "{}: inconclusive: no proof was found, {:.2} s", self.file.name(), self.seconds);
        if let Some(instances) = &self.instances {
            let note = match instances.robust.last() {
                Some(instance) => {
                    format!("with {} it is robust: the proof may be at fault", instances.described(*instance))
                }
                None => "not even its smallest finite instance could be decided".to_owned(),
            };
            let _ = writeln!(text, "  note: {note}");
        }
        text
    }

    /// An assertion that fails in a small instance, if there is one.
    fn failing(&self, output: &Output) -> String {
        let failing = self.asserted.as_ref().and_then(|asserted| asserted.failing.as_ref());
        failing.map_or_else(String::new, |(_, shown)| problems(&self.file, shown, output))
    }

    /// A small instance that is not robust, if there is one.
    fn broken(&self, output: &Output) -> Option<String> {
        let instances = self.instances.as_ref()?;
        let (instance, shown) = instances.broken.as_ref()?;
        let mut text = problems(&self.file, shown, output);
        let instance = instances.described(*instance);
        let _ = writeln!(text, "{}: not robust (tso): already with {instance}", self.file.name());
        Some(text)
    }
}

/// Why there is no proof, as a diagnostic.
fn diagnostic(failure: &Failure) -> Diagnostic {
    let mut problem = Diagnostic::warning(codes::NOT_PROVED, "no proof that this store is harmless")
        .at(failure.write, "may still be in its buffer");
    if let Some(over) = failure.write_over {
        problem = problem.context(over, "another thread may notice here that it comes late");
    }
    if let Some(read) = failure.read {
        problem = problem.context(read, "while this load goes to memory");
    }
    if let Some(over) = failure.read_over {
        problem = problem.context(over, "and another thread may change what it reads");
    }
    if !failure.values.is_empty() {
        let values: Vec<String> = failure.values.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        problem = problem.note(format!("for instance with {}", values.join(", ")));
    }
    problem
}
