//! `steadfast check`: one result per file and model.

use crate::args::CheckArgs;
use crate::findings;
use crate::guard::guarded;
use crate::input::Input;
use crate::interrupt;
use crate::output::Output;
use crate::progress::Progress;
use crate::render::{CheckReport, Detail, Tally};
use crate::reporter::Reporter;
use crate::result::{Answer, CheckResult};
use crate::settings::{Question, Settings};
use crate::status::Status;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use steadfast_diag::Diagnostic;
use steadfast_ir::Program;
use steadfast_repair::advice;
use steadfast_robust::{Options, Supported, check, triangular_race};
use steadfast_span::SourceFile;

/// Runs the command.
pub(crate) fn run(arguments: &CheckArgs, output: &mut Output) -> io::Result<Status> {
    let settings = Settings::of(arguments);
    let session = Session {
        question: Arc::new(settings.question),
        models: settings.models,
        quiet: arguments.quiet,
        interrupt: interrupt::listen(),
    };
    let detail = detail(arguments);
    let mut tally = Tally::default();
    let mut reporter = Reporter::new(output, arguments.format)
        .with_texts_apart()
        .with_pages(arguments.report.as_deref())
        .with_pictures(arguments.dot.as_deref(), arguments.graph.as_deref());
    reporter.each(&arguments.files, &mut |reporter, path| {
        session.check(path, &mut |result| {
            tally.count(&result);
            reporter.take(&CheckReport { result: &result, detail })
        })
    })?;
    if !arguments.quiet {
        reporter.say(&tally.summary())?;
    }
    reporter.finish()
}

fn detail(arguments: &CheckArgs) -> Detail {
    match (arguments.quiet, arguments.statistics) {
        (true, _) => Detail::Little,
        (false, false) => Detail::Usual,
        (false, true) => Detail::Much,
    }
}

/// What stays the same for all files.
struct Session {
    question: Arc<Question>,
    models: Vec<Supported>,
    quiet: bool,
    interrupt: &'static AtomicBool,
}

impl Session {
    /// Checks one file against all models and hands each result over when it is known.
    fn check(&self, path: &Path, found: &mut dyn FnMut(CheckResult) -> io::Result<()>) -> io::Result<()> {
        let input = Input::read(path);
        let file = Arc::new(input.file);
        let mut diagnostics = input.parsed.diagnostics;
        let Some(program) = input.parsed.program.map(Arc::new) else {
            return found(self.rejected(file, diagnostics));
        };
        for &model in &self.models {
            // What is odd about the text is said once.
            let warnings = std::mem::take(&mut diagnostics);
            found(self.answered(&file, &program, model, warnings))?;
            if interrupt::requested() {
                break;
            }
        }
        Ok(())
    }

    fn rejected(&self, file: Arc<SourceFile>, diagnostics: Vec<Diagnostic>) -> CheckResult {
        let question = self.question.clone();
        CheckResult { file, question, answer: Answer::Rejected, diagnostics, remarks: Vec::new() }
    }

    fn broken(&self, file: &Arc<SourceFile>, model: Supported, diagnostics: Vec<Diagnostic>) -> CheckResult {
        let (file, question) = (file.clone(), self.question.clone());
        CheckResult { file, question, answer: Answer::Broken { model }, diagnostics, remarks: Vec::new() }
    }

    fn answered(
        &self,
        file: &Arc<SourceFile>,
        program: &Arc<Program>,
        model: Supported,
        mut diagnostics: Vec<Diagnostic>,
    ) -> CheckResult {
        let question = &self.question;
        let what = format!("checking {} ({}, {})", file.name(), model.name(), question.notion_name());
        let progress = Progress::start(what, self.quiet);
        let observer = |used| progress.update(used);
        let options = Options { observer: Some(&observer), ..question.options(model, self.interrupt) };
        let ask = if question.trf { triangular_race } else { check };
        let doing = format!("checking against {}", model.name());
        let outcome = match guarded(&doing, file.name(), || Box::new(ask(program, &options))) {
            Ok(outcome) => outcome,
            Err(problem) => {
                diagnostics.push(problem);
                return self.broken(file, model, diagnostics);
            }
        };
        let advise = || if self.quiet { None } else { advice(program, &outcome, &options) };
        let advice = guarded("looking for advice", file.name(), advise);
        drop(progress);
        let checked = findings::CheckedProgram { file, program, model, outcome: &outcome };
        diagnostics.extend(findings::diagnostics(&checked, advice.as_ref().ok().and_then(Option::as_ref)));
        diagnostics.extend(advice.err());
        CheckResult {
            file: file.clone(),
            question: question.clone(),
            diagnostics,
            remarks: findings::remarks(program, model, question, &outcome.translated),
            answer: Answer::Checked { program: program.clone(), model, outcome },
        }
    }
}
