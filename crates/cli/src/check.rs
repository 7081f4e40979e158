//! `steadfast check`: one result per file and model.

use crate::args::CheckArgs;
use crate::ask::{ask, ask_triangular};
use crate::codes;
use crate::findings;
use crate::input::Input;
use crate::output::{self, Output};
use crate::progress::Progress;
use crate::render::{Detail, Reporter};
use crate::report::{self, Files};
use crate::result::{Answer, CheckResult};
use crate::settings::{Question, Settings};
use crate::status::Status;
use crate::{interrupt, numbers};
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use steadfast_diag::{Diagnostic, Format};
use steadfast_ir::Program;
use steadfast_robust::{Model, Options, Verdict};
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
    let mut reporter = Reporter::new(arguments.format, output.style(), detail(arguments));
    let mut pictures = Pictures::of(arguments);
    let in_terminal = arguments.graph.as_deref() == Some(Path::new("-")) && is_for_people(arguments.format);
    let mut status = Status::Holds;
    for (at, path) in arguments.files.iter().enumerate() {
        if interrupt::requested() {
            output::complain(&format!(
                "interrupted; {} left out",
                numbers::counted(arguments.files.len() - at, "file")
            ));
            status = status.max(Status::Interrupted);
            break;
        }
        session.check(path, &mut |result| {
            status = status.max(result.status()).max(pictures.draw(&result));
            output.note(status);
            let drawing = if in_terminal { terminal_picture(&result) } else { String::new() };
            output.write(&(reporter.take(result) + &drawing))
        })?;
    }
    output.write(&reporter.finish())?;
    Ok(status)
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
    models: Vec<Model>,
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

    fn broken(&self, file: &Arc<SourceFile>, model: Model) -> CheckResult {
        let problem =
            Diagnostic::error(codes::INTERNAL, format!("internal error while checking against {}", model.name()));
        CheckResult {
            file: file.clone(),
            question: self.question.clone(),
            answer: Answer::Broken { model },
            diagnostics: vec![problem.help("please report this, with the program and the command line")],
            remarks: Vec::new(),
        }
    }

    fn answered(
        &self,
        file: &Arc<SourceFile>,
        program: &Arc<Program>,
        model: Model,
        mut diagnostics: Vec<Diagnostic>,
    ) -> CheckResult {
        let question = &self.question;
        let what = format!("checking {} ({}, {})", file.name(), model.name(), question.notion_name());
        let progress = Progress::start(what, self.quiet);
        let observer = |used| progress.update(used);
        let options = Options { observer: Some(&observer), ..question.options(model, self.interrupt) };
        let answer = if question.trf { ask_triangular(program, &options) } else { ask(program, &options) };
        let Ok(outcome) = answer.map(Box::new) else { return self.broken(file, model) };
        let checked = findings::CheckedProgram { file, program, model, outcome: &outcome };
        let advice = if self.quiet { None } else { findings::advice(&checked, &options) };
        drop(progress);
        diagnostics.extend(findings::diagnostics(&checked, advice.as_ref()));
        CheckResult {
            file: file.clone(),
            question: question.clone(),
            diagnostics,
            remarks: findings::remarks(program, model, question, &outcome.translated),
            answer: Answer::Checked { program: program.clone(), model, outcome },
        }
    }
}

/// The pictures and pages about results.
struct Pictures {
    graphs: Vec<Files>,
    pages: Option<Files>,
}

impl Pictures {
    fn of(arguments: &CheckArgs) -> Self {
        let graphs = arguments.dot.iter().chain(&arguments.graph).filter(|path| path.as_os_str() != "-");
        let graphs = graphs.map(|path| Files::new(path)).collect();
        Self { graphs, pages: arguments.report.as_deref().map(Files::new) }
    }

    /// Draws the execution of a violation, if that is wanted and there is one, and writes the page.
    fn draw(&mut self, result: &CheckResult) -> Status {
        let mut status = Status::Holds;
        for files in &mut self.graphs {
            let dot = files.extension() != "svg";
            if let Some(picture) = picture(result, dot) {
                status = status.max(files.write(&picture));
            }
        }
        if let Some(files) = &mut self.pages {
            status = status.max(files.write(&report::check_page(result, repaired(result))));
        }
        status
    }
}

/// The execution of a violation, for Graphviz or as SVG.
fn picture(result: &CheckResult, dot: bool) -> Option<String> {
    let Answer::Checked { program, model, outcome } = &result.answer else { return None };
    let witness = outcome.verdict.witness()?;
    if dot {
        return Some(witness.dot(&**program));
    }
    let run = report::run_view(&findings::CheckedProgram { file: &result.file, program, model: *model, outcome })?;
    Some(steadfast_report::svg(&run.picture))
}

/// Whether a format leaves room for a drawing.
fn is_for_people(format: Format) -> bool {
    matches!(format, Format::Full | Format::Concise)
}

/// The execution of a violation as text.
fn terminal_picture(result: &CheckResult) -> String {
    let Answer::Checked { program, model, outcome } = &result.answer else { return String::new() };
    let run = report::run_view(&findings::CheckedProgram { file: &result.file, program, model: *model, outcome });
    run.map_or_else(String::new, |run| format!("\n{}", steadfast_report::text(&run.picture)))
}

/// A repair of a violation, if there is one that is found quickly.
fn repaired(result: &CheckResult) -> Option<steadfast_report::Repair> {
    let Answer::Checked { model, outcome, .. } = &result.answer else { return None };
    let repairable = matches!(outcome.verdict, Verdict::NotRobust(_) | Verdict::Race(_)) && !result.question.trf;
    if !repairable || interrupt::requested() {
        return None;
    }
    report::repaired(&result.file, &result.question.options(*model, interrupt::listen()))
}
