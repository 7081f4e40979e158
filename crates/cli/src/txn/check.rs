//! `steadfast txn check`.

use super::args::CheckArgs;
use super::findings;
use super::input::Input;
use super::record;
use crate::output::Output;
use crate::settings;
use crate::status::Status;
use crate::{interrupt, numbers};
use std::io;
use std::time::Instant;
use steadfast_diag::{Diagnostic, Format, render};
use steadfast_explore::{Bound, Budget};
use steadfast_txn::decide::{Statistics, Verdict};
use steadfast_txn::template::{Level, Split, Template, Undecided, certain, consistent, split};
use steadfast_txn::{Model, Program, Subject, Witness, decide, find_race};

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
    /// A verdict about a program.
    Decided(Box<Decided<'a>>),
    /// A verdict about templates.
    Templates(TemplateResult<'a>),
}

/// A verdict about templates, all at one level.
pub(super) struct TemplateResult<'a> {
    pub(super) templates: &'a [Template],
    pub(super) model: Model,
    /// A counterexample, if there is one.
    pub(super) found: Result<Option<Split>, Undecided>,
    /// Whether the counterexample is certainly one: what conditions choose is not known.
    pub(super) certain: bool,
    pub(super) seconds: f64,
}

/// A verdict about a program.
pub(super) struct Decided<'a> {
    pub(super) program: &'a Program,
    pub(super) model: Model,
    pub(super) verdict: Verdict,
    pub(super) statistics: Statistics,
    pub(super) seconds: f64,
    pub(super) peak_bytes: u64,
    /// A write-write race, if one was found.
    pub(super) race: Option<Witness>,
}

/// Runs the command.
pub(super) fn run(arguments: &CheckArgs, output: &mut Output) -> io::Result<Status> {
    let mut records = Vec::new();
    let mut shown = Vec::new();
    let mut worst = Status::Holds;
    let mut pages = arguments.report.as_deref().map(crate::report::Files::new);
    for path in &arguments.files {
        if interrupt::requested() {
            worst = worst.max(Status::Interrupted);
            break;
        }
        let input = Input::read(path);
        for checked in check_input(arguments, &input) {
            let status = checked.status();
            worst = worst.max(status);
            output.note(status);
            if let Some(pages) = &mut pages {
                worst = worst.max(pages.write(&super::page::page(&checked)));
            }
            match arguments.format {
                Format::Full | Format::Concise => {
                    let items: Vec<_> = checked
                        .diagnostics
                        .iter()
                        .map(|(file, diagnostic)| (&input.files[*file], diagnostic))
                        .collect();
                    let mut text = render(arguments.format, &items, output.style());
                    text.push_str(&checked.summary());
                    output.write(&text)?;
                }
                Format::Jsonl => output.write(&(record::line(&checked) + "\n"))?,
                Format::Json => records.push(record::value(&checked)),
                Format::Sarif | Format::Github | Format::Markdown => {
                    shown.extend(
                        checked
                            .diagnostics
                            .into_iter()
                            .map(|(file, diagnostic)| (input.files[file].clone(), diagnostic)),
                    );
                }
            }
        }
    }
    match arguments.format {
        Format::Json => output.write(&(record::array(&records) + "\n"))?,
        Format::Sarif => {
            let items: Vec<_> = shown.iter().map(|(file, diagnostic)| (file, diagnostic)).collect();
            output.write(&steadfast_diag::sarif(&items, &crate::codes::registry()))?;
        }
        Format::Github | Format::Markdown => {
            let items: Vec<_> = shown.iter().map(|(file, diagnostic)| (file, diagnostic)).collect();
            output.write(&render(arguments.format, &items, output.style()))?;
        }
        Format::Full | Format::Concise | Format::Jsonl => {}
    }
    Ok(worst)
}

fn check_input<'a>(arguments: &CheckArgs, input: &'a Input) -> Vec<Checked<'a>> {
    let rejected = |diagnostics| vec![Checked { input, outcome: TxnOutcome::Rejected, diagnostics }];
    let program = match &input.subject {
        Some(Subject::Program(program)) => program,
        Some(Subject::Templates(templates)) => return check_templates(arguments, input, templates),
        None => return rejected(input.problems.clone()),
    };
    let models = match models(arguments, input, &Model::OF_PROGRAMS) {
        Ok(models) => models,
        Err(unfit) => return rejected(vec![(0, findings::unfit(unfit, "programs", "cc, ccv, cm and si"))]),
    };
    // After an interruption the other models would only say the same.
    let wanted = models.into_iter().enumerate().take_while(|(at, _)| *at == 0 || !interrupt::requested());
    wanted.map(|(_, model)| decided(arguments, input, program, model)).collect()
}

/// The models that were asked for, or else those that the file has expectations about, or else all. An error names one that does not fit.
fn models(arguments: &CheckArgs, input: &Input, fitting: &[Model]) -> Result<Vec<Model>, Model> {
    let mut wanted = arguments.model.clone();
    if wanted.is_empty() {
        wanted = input.expectations.iter().map(|expectation| expectation.model).collect();
    }
    if wanted.is_empty() {
        wanted = fitting.to_vec();
    }
    let mut models = Vec::new();
    for model in wanted {
        if !fitting.contains(&model) {
            return Err(model);
        }
        if !models.contains(&model) {
            models.push(model);
        }
    }
    Ok(models)
}

fn check_templates<'a>(arguments: &CheckArgs, input: &'a Input, templates: &'a [Template]) -> Vec<Checked<'a>> {
    let models = match models(arguments, input, &Model::OF_TEMPLATES) {
        Ok(models) => models,
        Err(unfit) => {
            let diagnostics = vec![(0, findings::unfit(unfit, "templates", "rc, si and ssi"))];
            return vec![Checked { input, outcome: TxnOutcome::Rejected, diagnostics }];
        }
    };
    let wanted = models.into_iter().enumerate().take_while(|(at, _)| *at == 0 || !interrupt::requested());
    let levels = wanted.filter_map(|(_, model)| Some((model, model.level()?)));
    let checked = levels.map(|(model, level)| {
        let budget = Budget::new(settings::limits(&arguments.limits), Some(interrupt::listen()), None);
        let started = Instant::now();
        let (found, certain) = split_schedule(templates, level, &budget);
        let result = TemplateResult { templates, model, found, certain, seconds: started.elapsed().as_secs_f64() };
        let diagnostics = findings::of_templates(input, &result);
        Checked { input, outcome: TxnOutcome::Templates(result), diagnostics }
    });
    checked.collect()
}

/// A counterexample at one level, if there is one, and whether it is certainly one.
pub(super) fn split_schedule(
    templates: &[Template],
    level: Level,
    budget: &Budget<'_>,
) -> (Result<Option<Split>, Undecided>, bool) {
    let levels = vec![level; templates.len()];
    let found = split(templates, &levels, budget);
    let Ok(Some(possible)) = found else { return (found, true) };
    match split(&certain(templates), &levels, budget) {
        Ok(Some(real)) if consistent(templates, &real) => (Ok(Some(real)), true),
        Ok(_) => (Ok(Some(possible)), false),
        Err(undecided) => (Err(undecided), false),
    }
}

fn decided<'a>(arguments: &CheckArgs, input: &'a Input, program: &'a Program, model: Model) -> Checked<'a> {
    let started = Instant::now();
    let budget = Budget::new(settings::limits(&arguments.limits), Some(interrupt::listen()), None);
    let answer = decide(program, model, &budget);
    // Races tell why the causal models differ; for the others they mean nothing.
    let race = if model == Model::Ccv { find_race(program, &budget) } else { None };
    let decided = Decided {
        program,
        model,
        verdict: answer.verdict,
        statistics: answer.statistics,
        seconds: started.elapsed().as_secs_f64(),
        peak_bytes: budget.peak_bytes(),
        race,
    };
    let diagnostics = findings::of(&decided).into_iter().map(|diagnostic| (0, diagnostic)).collect();
    Checked { input, outcome: TxnOutcome::Decided(Box::new(decided)), diagnostics }
}

impl Checked<'_> {
    pub(super) fn status(&self) -> Status {
        let decided = match &self.outcome {
            TxnOutcome::Rejected => return Status::Input,
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

    /// One line about the result.
    fn summary(&self) -> String {
        let decided = match &self.outcome {
            TxnOutcome::Rejected => return String::new(),
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
        let verdict = match &result.found {
            Ok(None) => "robust".to_owned(),
            Ok(Some(_)) if result.certain => "not robust".to_owned(),
            Ok(Some(_)) => "inconclusive: perhaps not robust".to_owned(),
            Err(undecided) => format!("inconclusive: {undecided}"),
        };
        format!("{}: {verdict} ({}, any number of instances)\n", self.input.name, result.model)
    }
}

impl TemplateResult<'_> {
    fn status(&self) -> Status {
        match &self.found {
            Ok(None) => Status::Holds,
            Ok(Some(_)) if self.certain => Status::Violation,
            Err(Undecided::Bound(Bound::Interrupted)) => Status::Interrupted,
            Ok(Some(_)) | Err(_) => Status::Inconclusive,
        }
    }
}
