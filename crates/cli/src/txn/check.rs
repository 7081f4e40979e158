//! `steadfast txn check`.

use super::args::CheckArgs;
use super::findings;
use super::record;
use crate::input;
use crate::output::Output;
use crate::settings;
use crate::status::Status;
use crate::{interrupt, numbers};
use std::io;
use std::path::Path;
use std::time::Instant;
use steadfast_diag::{Diagnostic, Format, render};
use steadfast_explore::{Bound, Budget};
use steadfast_span::SourceFile;
use steadfast_txn::decide::{Statistics, Verdict};
use steadfast_txn::template::{Level, Split, Template, TooMany, split};
use steadfast_txn::{Model, Parsed, Program, Subject, Witness, decide, find_race};

/// One file under one model.
pub(super) struct Checked<'a> {
    pub(super) file: &'a SourceFile,
    pub(super) outcome: Outcome<'a>,
    pub(super) diagnostics: Vec<Diagnostic>,
}

/// What came out.
pub(super) enum Outcome<'a> {
    /// The file cannot be used.
    Rejected,
    /// A verdict about a program.
    Decided(Box<Decided<'a>>),
    /// A verdict about templates.
    Templates(TemplateResult),
}

/// A verdict about templates, all at one level.
pub(super) struct TemplateResult {
    pub(super) model: Model,
    /// A counterexample, if there is one; an error if there are too many instances.
    pub(super) found: Result<Option<Split>, TooMany>,
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
    for path in &arguments.files {
        let (file, parsed) = read(path);
        for checked in check_file(arguments, &file, &parsed) {
            let status = checked.status();
            worst = worst.max(status);
            output.note(status);
            match arguments.format {
                Format::Full | Format::Concise => {
                    let items: Vec<_> = checked.diagnostics.iter().map(|diagnostic| (&file, diagnostic)).collect();
                    let mut text = render(arguments.format, &items, output.style());
                    text.push_str(&checked.summary());
                    output.write(&text)?;
                }
                Format::Jsonl => output.write(&(record::line(&checked) + "\n"))?,
                Format::Json => records.push(record::value(&checked)),
                Format::Sarif | Format::Github => {
                    shown.extend(checked.diagnostics.into_iter().map(|diagnostic| (file.clone(), diagnostic)));
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
        Format::Github => {
            let items: Vec<_> = shown.iter().map(|(file, diagnostic)| (file, diagnostic)).collect();
            output.write(&render(Format::Github, &items, output.style()))?;
        }
        Format::Full | Format::Concise | Format::Jsonl => {}
    }
    Ok(worst)
}

/// A file, with what it means.
pub(super) fn read(path: &Path) -> (SourceFile, Parsed) {
    let (name, text) = input::text(path);
    let file = SourceFile::new(name, text.as_deref().unwrap_or_default());
    let parsed = match text {
        Ok(_) => steadfast_txn::parse(&file),
        Err(problem) => Parsed { subject: None, expectations: Vec::new(), diagnostics: vec![problem] },
    };
    (file, parsed)
}

fn check_file<'a>(arguments: &CheckArgs, file: &'a SourceFile, parsed: &'a Parsed) -> Vec<Checked<'a>> {
    let rejected = |diagnostics| vec![Checked { file, outcome: Outcome::Rejected, diagnostics }];
    let program = match &parsed.subject {
        Some(Subject::Program(program)) => program,
        Some(Subject::Templates(templates)) => return check_templates(arguments, file, parsed, templates),
        None => return rejected(parsed.diagnostics.clone()),
    };
    let models = match models(arguments, parsed, &Model::OF_PROGRAMS) {
        Ok(models) => models,
        Err(unfit) => return rejected(vec![findings::unfit(unfit, "programs", "cc, ccv, cm and si")]),
    };
    models.into_iter().map(|model| decided(arguments, file, program, model)).collect()
}

/// The models that were asked for, or else those that the file has expectations about, or else all. An error names one that does not fit.
fn models(arguments: &CheckArgs, parsed: &Parsed, fitting: &[Model]) -> Result<Vec<Model>, Model> {
    let mut wanted = arguments.model.clone();
    if wanted.is_empty() {
        wanted = parsed.expectations.iter().map(|expectation| expectation.model).collect();
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

fn check_templates<'a>(
    arguments: &CheckArgs,
    file: &'a SourceFile,
    parsed: &Parsed,
    templates: &[Template],
) -> Vec<Checked<'a>> {
    let models = match models(arguments, parsed, &Model::OF_TEMPLATES) {
        Ok(models) => models,
        Err(unfit) => {
            let diagnostics = vec![findings::unfit(unfit, "templates", "rc, si and ssi")];
            return vec![Checked { file, outcome: Outcome::Rejected, diagnostics }];
        }
    };
    let checked = models.into_iter().map(|model| {
        let started = Instant::now();
        let found = split(templates, &vec![level(model); templates.len()]);
        let diagnostics = findings::of_templates(file, templates, model, &found);
        let result = TemplateResult { model, found, seconds: started.elapsed().as_secs_f64() };
        Checked { file, outcome: Outcome::Templates(result), diagnostics }
    });
    checked.collect()
}

fn level(model: Model) -> Level {
    match model {
        Model::Rc => Level::Rc,
        Model::Ssi => Level::Ssi,
        _ => Level::Si,
    }
}

fn decided<'a>(arguments: &CheckArgs, file: &'a SourceFile, program: &'a Program, model: Model) -> Checked<'a> {
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
    let diagnostics = findings::of(&decided);
    Checked { file, outcome: Outcome::Decided(Box::new(decided)), diagnostics }
}

impl Checked<'_> {
    fn status(&self) -> Status {
        let decided = match &self.outcome {
            Outcome::Rejected => return Status::Input,
            Outcome::Templates(TemplateResult { found: Ok(None), .. }) => return Status::Holds,
            Outcome::Templates(TemplateResult { found: Ok(Some(_)), .. }) => return Status::Violation,
            Outcome::Templates(TemplateResult { found: Err(TooMany), .. }) => return Status::Inconclusive,
            Outcome::Decided(decided) => decided,
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
            Outcome::Rejected => return String::new(),
            Outcome::Templates(result) => return self.template_summary(result),
            Outcome::Decided(decided) => decided,
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
            self.file.name(),
            decided.model,
            decided.seconds
        )
    }
    fn template_summary(&self, result: &TemplateResult) -> String {
        let verdict = match result.found {
            Ok(None) => "robust",
            Ok(Some(_)) => "not robust",
            Err(TooMany) => "inconclusive: too many parameters",
        };
        format!("{}: {verdict} ({}, any number of instances)\n", self.file.name(), result.model)
    }
}
