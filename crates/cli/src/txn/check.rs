//! `steadfast txn check`.

use super::args::CheckArgs;
use super::input::Input;
use super::{findings, page, record};
use crate::guard::guarded;
use crate::output::Output;
use crate::reporter::{Item, Look, Report, Reporter};
use crate::settings;
use crate::status::Status;
use crate::{interrupt, numbers};
use serde::Serialize;
use std::io;
use std::time::Instant;
use steadfast_diag::Diagnostic;
use steadfast_explore::{Bound, Budget};
use steadfast_txn::decide::{Statistics, Verdict};
use steadfast_txn::template::{Level, Template, TemplateVerdict, Undecided, decide_templates};
use steadfast_txn::{Model, Program, ProgramModel, Subject, Witness, decide, find_race};

/// What is decided: a subject against a model that is decided for it.
#[derive(Clone, Copy)]
pub(super) enum TxnQuestion<'a> {
    Program(&'a Program, ProgramModel),
    Templates(&'a [Template], Model, Level),
}

impl<'a> TxnQuestion<'a> {
    /// Nothing if the model does not fit the subject.
    pub(super) fn of(subject: &'a Subject, model: Model) -> Option<Self> {
        match subject {
            Subject::Program(program) => Some(Self::Program(program, ProgramModel::try_from(model).ok()?)),
            Subject::Templates(templates) => Some(Self::Templates(templates, model, model.level()?)),
        }
    }

    /// The models that fit a subject.
    pub(super) fn models(subject: &Subject) -> Vec<Model> {
        Model::ALL.iter().copied().filter(|&model| TxnQuestion::of(subject, model).is_some()).collect()
    }

    fn model(self) -> Model {
        match self {
            Self::Program(_, model) => model.model(),
            Self::Templates(_, model, _) => model,
        }
    }
}

/// One file under one model.
pub(super) struct Checked<'a> {
    pub(super) input: &'a Input,
    pub(super) outcome: TxnOutcome<'a>,
    /// With the numbers of the files that they are about.
    pub(super) diagnostics: Vec<(usize, Diagnostic)>,
}

/// What came out.
pub(super) enum TxnOutcome<'a> {
    /// The file cannot be used.
    Rejected,
    /// The tool failed.
    Broken(Model),
    /// A verdict about a program.
    Decided(Box<Decided<'a>>),
    /// A verdict about templates.
    Templates(TemplateResult<'a>),
}

/// A verdict about templates, all at one level.
pub(super) struct TemplateResult<'a> {
    pub(super) templates: &'a [Template],
    pub(super) model: Model,
    pub(super) verdict: Result<TemplateVerdict, Undecided>,
    pub(super) seconds: f64,
}

/// A verdict about a program.
pub(super) struct Decided<'a> {
    pub(super) program: &'a Program,
    pub(super) model: ProgramModel,
    pub(super) verdict: Verdict,
    pub(super) statistics: Statistics,
    pub(super) seconds: f64,
    pub(super) peak_bytes: u64,
    /// A write-write race, if one was found.
    pub(super) race: Option<Witness>,
}

/// Runs the command.
pub(super) fn run(arguments: &CheckArgs, output: &mut Output) -> io::Result<Status> {
    let mut reporter = Reporter::new(output, arguments.format).with_pages(arguments.report.as_deref());
    interrupt::listen();
    reporter.each(&arguments.files, &mut |reporter, path| {
        let input = Input::read(path);
        check_input(arguments, &input, &mut |checked| reporter.take(&checked))
    })?;
    reporter.finish()
}

/// Checks an input against the models, and hands each result over when it is known.
fn check_input(
    arguments: &CheckArgs,
    input: &Input,
    found: &mut dyn FnMut(Checked<'_>) -> io::Result<()>,
) -> io::Result<()> {
    let rejected = |diagnostics| Checked { input, outcome: TxnOutcome::Rejected, diagnostics };
    let Some(subject) = &input.subject else { return found(rejected(input.problems.clone())) };
    let questions = match questions(arguments, input, subject) {
        Ok(questions) => questions,
        Err(unfit) => return found(rejected(vec![(0, unfit)])),
    };
    for (at, question) in questions.into_iter().enumerate() {
        // After an interruption the other models would only say the same.
        if at > 0 && interrupt::requested() {
            break;
        }
        found(checked(arguments, input, question))?;
    }
    Ok(())
}

/// The questions about the models that were asked for, or else about those that the file has expectations about, or else about all.
fn questions<'a>(
    arguments: &CheckArgs,
    input: &Input,
    subject: &'a Subject,
) -> Result<Vec<TxnQuestion<'a>>, Diagnostic> {
    let mut wanted = arguments.model.clone();
    if wanted.is_empty() {
        wanted = input.expectations.iter().map(|expectation| expectation.model).collect();
    }
    if wanted.is_empty() {
        wanted = TxnQuestion::models(subject);
    }
    let mut questions: Vec<TxnQuestion<'_>> = Vec::new();
    for model in wanted {
        let Some(question) = TxnQuestion::of(subject, model) else { return Err(findings::unfit(model, subject)) };
        if questions.iter().all(|other| other.model() != model) {
            questions.push(question);
        }
    }
    Ok(questions)
}

/// One question.
fn checked<'a>(arguments: &CheckArgs, input: &'a Input, question: TxnQuestion<'a>) -> Checked<'a> {
    let model = question.model();
    let budget = Budget::new(settings::limits(&arguments.limits), Some(interrupt::listen()), None);
    let answered = guarded(&format!("checking against {model}"), &input.name, || match question {
        TxnQuestion::Program(program, model) => TxnOutcome::Decided(Box::new(decided(program, model, &budget))),
        TxnQuestion::Templates(templates, model, level) => {
            let started = Instant::now();
            let verdict = decide_templates(templates, level, &budget);
            TxnOutcome::Templates(TemplateResult {
                templates,
                model,
                verdict,
                seconds: started.elapsed().as_secs_f64(),
            })
        }
    });
    let mut outcome = match answered {
        Ok(outcome) => outcome,
        Err(problem) => return Checked { input, outcome: TxnOutcome::Broken(model), diagnostics: vec![(0, problem)] },
    };
    let failed = outcome.look_for_race(&input.name, &budget).err();
    let mut diagnostics = findings::of(input, &outcome);
    diagnostics.extend(failed.map(|problem| (0, problem)));
    Checked { input, outcome, diagnostics }
}

fn decided<'a>(program: &'a Program, model: ProgramModel, budget: &Budget<'_>) -> Decided<'a> {
    let started = Instant::now();
    let answer = decide(program, model, budget);
    let (seconds, peak_bytes) = (started.elapsed().as_secs_f64(), budget.peak_bytes());
    Decided { program, model, verdict: answer.verdict, statistics: answer.statistics, seconds, peak_bytes, race: None }
}

impl TxnOutcome<'_> {
    /// Races tell why the causal models differ; for the others they mean nothing.
    fn look_for_race(&mut self, name: &str, budget: &Budget<'_>) -> Result<(), Diagnostic> {
        let Self::Decided(decided) = self else { return Ok(()) };
        if decided.model == ProgramModel::Ccv {
            let started = Instant::now();
            decided.race = guarded("looking for write-write races", name, || find_race(decided.program, budget))?;
            decided.seconds += started.elapsed().as_secs_f64();
            decided.peak_bytes = budget.peak_bytes();
        }
        Ok(())
    }
}

impl Report for Checked<'_> {
    fn status(&self) -> Status {
        let decided = match &self.outcome {
            TxnOutcome::Rejected => return Status::Input,
            TxnOutcome::Broken(_) => return Status::Internal,
            TxnOutcome::Templates(result) => return result.status(),
            TxnOutcome::Decided(decided) => decided,
        };
        match &decided.verdict {
            Verdict::Robust => Status::Holds,
            Verdict::NotRobust(_) | Verdict::Failed(_) => Status::Violation,
            Verdict::Inconclusive(Bound::Interrupted) => Status::Interrupted,
            Verdict::Inconclusive(_) => Status::Inconclusive,
        }
    }

    fn items(&self) -> Vec<Item<'_>> {
        self.diagnostics.iter().map(|(file, diagnostic)| (&self.input.files[*file], diagnostic)).collect()
    }

    fn text(&self, look: Look) -> String {
        look.messages(&self.items()) + &self.summary()
    }

    fn record(&self) -> impl Serialize {
        record::value(self)
    }

    fn pages(&self) -> Vec<String> {
        vec![page::page(self)]
    }
}

impl Checked<'_> {
    /// One line about the result.
    fn summary(&self) -> String {
        let decided = match &self.outcome {
            TxnOutcome::Rejected => return String::new(),
            TxnOutcome::Broken(model) => return format!("{}: internal error ({model})\n", self.input.name),
            TxnOutcome::Templates(result) => return self.template_summary(result),
            TxnOutcome::Decided(decided) => decided,
        };
        let verdict = match &decided.verdict {
            Verdict::Robust => "robust".to_owned(),
            Verdict::NotRobust(_) => "not robust".to_owned(),
            Verdict::Failed(error) => format!("error: {}", error.message),
            Verdict::Inconclusive(bound) => format!("inconclusive: {bound}"),
        };
        let states = numbers::counted(decided.statistics.states as usize, "state");
        format!(
            "{}: {verdict} ({}, {states} of the program, {:.3} s)\n",
            self.input.name, decided.model, decided.seconds
        )
    }

    fn template_summary(&self, result: &TemplateResult<'_>) -> String {
        let verdict = match &result.verdict {
            Ok(TemplateVerdict::Robust) => "robust".to_owned(),
            Ok(TemplateVerdict::NotRobust(_)) => "not robust".to_owned(),
            Ok(TemplateVerdict::Perhaps(_)) => "inconclusive: perhaps not robust".to_owned(),
            Err(undecided) => format!("inconclusive: {undecided}"),
        };
        format!("{}: {verdict} ({}, any number of instances)\n", self.input.name, result.model)
    }
}

impl TemplateResult<'_> {
    fn status(&self) -> Status {
        match &self.verdict {
            Ok(TemplateVerdict::Robust) => Status::Holds,
            Ok(TemplateVerdict::NotRobust(_)) => Status::Violation,
            Err(Undecided::Bound(Bound::Interrupted)) => Status::Interrupted,
            Ok(TemplateVerdict::Perhaps(_)) | Err(_) => Status::Inconclusive,
        }
    }
}
