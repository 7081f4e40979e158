//! What came of a proof, in every format.

use super::args::Goal;
use super::words::{self, claimed};
use super::{page, record};
use crate::codes;
use crate::findings::{self, CheckedProgram};
use crate::numbers::counted;
use crate::reporter::{Item, Look, Report, Row, about};
use crate::status::Status;
use serde::Serialize;
use std::fmt::Write;
use std::path::PathBuf;
use steadfast_diag::{Diagnostic, Format};
use steadfast_prove::{
    DecidedInstance, Failure, InstanceResults, Proof, ProofResult, Property, Reason, SolverError, UnprovedInvariant,
    WriteProof, abstracted_load,
};
use steadfast_robust::Supported;
use steadfast_span::{SourceFile, Span};

/// Everything about one file.
pub(crate) struct ProofReport {
    /// The file.
    pub(super) file: SourceFile,
    /// What is wrong with it, or why there is no proof.
    pub(super) messages: Vec<Diagnostic>,
    /// What came of it, if it could be read.
    pub(super) outcome: Option<ProofResult>,
    /// What small instances showed about what is not proved.
    pub(super) small: InstanceResults,
    /// About the small instance that is not robust, and about the one in which an assertion fails.
    broken: Vec<Diagnostic>,
    failing: Vec<Diagnostic>,
    /// Whether there are roles that any number of threads run.
    pub(super) many: bool,
    /// What the exit code is about.
    pub(super) goal: Goal,
    /// Whether to show what was found out about each place.
    pub(super) invariants: bool,
    /// Where the certificate is, and with how many questions.
    pub(super) certificate: Option<(PathBuf, usize)>,
    /// How long it took.
    pub(super) seconds: f64,
}

impl Report for ProofReport {
    fn status(&self) -> Status {
        match &self.outcome {
            None | Some(ProofResult::Unsupported(_)) => Status::Input,
            Some(_) if self.failing().is_some() => Status::Violation,
            Some(_) if self.broken().is_some() && self.goal == Goal::Robust => Status::Violation,
            Some(ProofResult::Proved(proof)) => match proof.property {
                Property::Unknown(_) => Status::Inconclusive,
                _ => Status::Holds,
            },
            Some(ProofResult::Inconclusive(SolverError::Interrupted)) => Status::Interrupted,
            Some(ProofResult::NotProved(_) | ProofResult::Inconclusive(_)) => Status::Inconclusive,
        }
    }

    fn items(&self) -> Vec<Item<'_>> {
        let all = self.messages.iter().chain(&self.broken).chain(&self.failing);
        all.map(|message| (&self.file, message)).collect()
    }

    fn text(&self, look: Look) -> String {
        let shown = |messages: &[Diagnostic]| look.messages(&about(&self.file, messages));
        let mut text = shown(&self.messages) + &shown(&self.broken);
        let name = self.file.name();
        if let (Some(broken), Some(ProofResult::Proved(_) | ProofResult::NotProved(_))) = (self.broken(), &self.outcome)
        {
            let instance = words::instance(broken.instance, self.many);
            let _ = writeln!(text, "{name}: not robust (tso): already with {instance}");
        }
        text.push_str(&shown(&self.failing));
        let conclusion = self.conclusion();
        if look.format == Format::Full {
            text.push_str(&conclusion);
        } else {
            text.extend(conclusion.split_inclusive('\n').take(1));
        }
        text
    }

    fn record(&self) -> impl Serialize {
        record::record(self)
    }

    fn row(&self) -> Option<Row> {
        let conclusion = self.conclusion();
        let first = conclusion.lines().next().and_then(|line| line.split_once(": "));
        let verdict = match (self.broken(), first) {
            (Some(_), _) => "not robust",
            (None, Some((_, verdict))) => verdict,
            (None, None) => "error",
        };
        let (status, program) = (self.status(), self.file.name().to_owned());
        let verdict = verdict.to_owned();
        Some(Row { status, program, model: Supported::Tso.name(), verdict, states: None, seconds: Some(self.seconds) })
    }

    fn pages(&self) -> Vec<String> {
        vec![page::page(self)]
    }
}

impl ProofReport {
    /// Nothing yet.
    pub(super) fn new(file: SourceFile) -> Self {
        Self {
            file,
            messages: Vec::new(),
            outcome: None,
            small: InstanceResults::default(),
            broken: Vec::new(),
            failing: Vec::new(),
            many: false,
            goal: Goal::Robust,
            invariants: false,
            certificate: None,
            seconds: 0.0,
        }
    }

    /// Takes what came of the proof and of small instances.
    pub(super) fn conclude(&mut self, outcome: ProofResult, small: Result<InstanceResults, Diagnostic>) {
        match &outcome {
            ProofResult::Unsupported(problem) => self
                .messages
                .push(Diagnostic::error(codes::NOT_PROVABLE, problem.message.clone()).at(problem.span, "here")),
            ProofResult::NotProved(failure) => {
                let notes = failure.unproved.iter().map(|unproved| self.not_kept(unproved));
                self.messages.push(notes.fold(diagnostic(failure), Diagnostic::note));
            }
            ProofResult::Proved(_) | ProofResult::Inconclusive(_) => {}
        }
        match small {
            Ok(small) => self.small = small,
            Err(problem) => self.messages.push(problem),
        }
        self.broken = self.broken().map(|decided| self.about(decided)).unwrap_or_default();
        self.failing = self.failing().map(|decided| self.about(decided)).unwrap_or_default();
        self.outcome = Some(outcome);
    }

    /// A small instance that is not robust.
    pub(super) fn broken(&self) -> Option<&DecidedInstance> {
        self.small.robustness.as_ref()?.broken.as_ref()
    }

    /// A small instance in which an assertion fails.
    pub(super) fn failing(&self) -> Option<&DecidedInstance> {
        self.small.assertions.as_ref()?.failing.as_ref()
    }

    /// An instance with its verdict.
    pub(super) fn checked<'a>(&'a self, decided: &'a DecidedInstance) -> CheckedProgram<'a> {
        let DecidedInstance { program, outcome, .. } = decided;
        CheckedProgram { file: &self.file, program, model: Supported::Tso, outcome }
    }

    fn about(&self, decided: &DecidedInstance) -> Vec<Diagnostic> {
        findings::diagnostics(&self.checked(decided), None)
    }

    /// The outcome in words, beside messages. The first line is the most important one.
    fn conclusion(&self) -> String {
        let name = self.file.name();
        match &self.outcome {
            None | Some(ProofResult::Unsupported(_)) => String::new(),
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
            Some(ProofResult::Proved(proof)) => self.proved(proof),
            Some(ProofResult::NotProved(_)) if self.broken().is_some() => String::new(),
            Some(ProofResult::NotProved(_)) => self.not_proved(),
        }
    }

    fn proved(&self, proof: &Proof) -> String {
        let mut text = format!("{}: {} (tso), for any number of threads\n", self.file.name(), claimed(proof.claim));
        let _ = writeln!(text, "  {}", words::meaning(proof.claim));
        for (span, guess) in &proof.guesses {
            let read = self.snippet(*span);
            let (place, yields, instead) =
                (self.place(*span), words::yielded(*guess, read), abstracted_load(*guess, read));
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
                if let Some(asserted) = &self.small.assertions {
                    let _ = writeln!(text, "  {}", words::asserted(asserted, self.many));
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

    pub(super) fn why(&self, write: &WriteProof) -> String {
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
    pub(super) fn place(&self, span: Span) -> String {
        format!("line {} `{}`", self.file.line_column(span.start).line, self.snippet(span))
    }

    /// The text at a place, on one line.
    pub(super) fn snippet(&self, span: Span) -> &str {
        self.file.snippet(span).lines().next().unwrap_or_default()
    }

    fn not_proved(&self) -> String {
        let mut text = format!("{}: inconclusive: no proof was found, {:.2} s\n", self.file.name(), self.seconds);
        if let Some(instances) = &self.small.robustness {
            let note = match instances.robust.last() {
                Some(instance) => {
                    let instance = words::instance(*instance, self.many);
                    format!("with {instance} it is robust: the proof may be at fault")
                }
                None => "not even its smallest finite instance could be decided".to_owned(),
            };
            let _ = writeln!(text, "  note: {note}");
        }
        text
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
