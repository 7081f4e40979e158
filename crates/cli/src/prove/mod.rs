//! `steadfast prove` and `steadfast verify-certificate`: robustness against TSO for any number of threads.

pub(crate) mod args;
mod page;
mod record;
mod report;
mod words;

use crate::guard::guarded;
use crate::output::Output;
use crate::progress::Progress;
use crate::reporter::{Reporter, about};
use crate::status::Status;
use crate::{input, interrupt, settings};
use args::{ProveArgs, VerifyArgs};
use report::ProofReport;
use std::io;
use std::path::Path;
use std::time::Instant;
use steadfast_diag::{Diagnostic, Format};
use steadfast_ir::Program;
use steadfast_lang::{Dialect, Template, parse_template};
use steadfast_prove::certificate::{self, Refused};
use steadfast_prove::{InstanceOptions, InstanceResults, Options, ProofResult, SolverError, SolverOptions, prove};
use steadfast_span::SourceFile;

/// Runs `steadfast prove`.
pub(crate) fn run(arguments: &ProveArgs, output: &mut Output) -> io::Result<Status> {
    interrupt::listen();
    let mut reporter = Reporter::new(output, arguments.format).with_pages(arguments.report.as_deref());
    reporter.each(&arguments.files, &mut |reporter, path| {
        let (report, problem) = one(arguments, path);
        reporter.take(&report)?;
        if let Some(problem) = problem {
            reporter.fail(&problem);
        }
        Ok(())
    })?;
    reporter.finish()
}

/// Proves one file. What could not be written comes with it.
fn one(arguments: &ProveArgs, path: &Path) -> (ProofReport, Option<String>) {
    let start = Instant::now();
    let (file, read) = read(path);
    let mut report = ProofReport::new(file);
    (report.goal, report.invariants) = (arguments.goal, arguments.invariants);
    let (program, template) = match read {
        Ok(read) => read,
        Err(diagnostics) => {
            report.messages = diagnostics;
            return (report, None);
        }
    };
    let progress = Progress::start(format!("proving {}", report.file.name()), false);
    let options = Options { solver: solver(arguments), stop: &interrupt::requested };
    let outcome = guarded("proving", report.file.name(), || prove(&program, &template, &options));
    drop(progress);
    let outcome = match outcome {
        Ok(outcome) => outcome,
        Err(problem) => {
            report.messages.push(problem);
            return (report, None);
        }
    };
    let mut problem = None;
    if let (ProofResult::Proved(proof), Some(folder)) = (&outcome, &arguments.certificate) {
        let folder = if arguments.files.len() > 1 { folder.join(&program.name) } else { folder.clone() };
        match certificate::write(&folder, report.file.text(), &program, &template, proof) {
            Ok(questions) => report.certificate = Some((folder, questions)),
            Err(error) => problem = Some(format!("cannot write {}: {error}", folder.display())),
        }
    }
    let options = InstanceOptions { jobs: settings::jobs(None), interrupt: interrupt::listen() };
    let small = guarded("checking small instances", report.file.name(), || {
        InstanceResults::of(&report.file, &template, &outcome, options)
    });
    report.many = template.many.contains(&true);
    report.conclude(outcome, small);
    report.seconds = start.elapsed().as_secs_f64();
    (report, problem)
}

fn solver(arguments: &ProveArgs) -> SolverOptions {
    SolverOptions { program: arguments.solver.clone(), timeout: arguments.solver_timeout }
}

/// The template in a file, or what is wrong with it.
fn read(path: &Path) -> (SourceFile, Result<(Program, Template), Vec<Diagnostic>>) {
    let (name, text) = input::text(path);
    let text = match text {
        Ok(text) => text,
        Err(problem) => return (SourceFile::new(name, ""), Err(vec![problem])),
    };
    let dialect = Dialect::detect(&name, &text);
    let file = SourceFile::new(name, text);
    if dialect != Dialect::Steadfast {
        let problem =
            Diagnostic::error(crate::codes::NOT_PROVABLE, "only programs in the Steadfast language can be proved")
                .help("`steadfast check --model tso` decides programs in the other languages");
        return (file, Err(vec![problem]));
    }
    let (parsed, template) = match guarded("reading the program", file.name(), || parse_template(&file)) {
        Ok(read) => read,
        Err(problem) => return (file, Err(vec![problem])),
    };
    match parsed.program.zip(template) {
        Some(read) => (file, Ok(read)),
        None => (file, Err(parsed.diagnostics)),
    }
}

/// Runs `steadfast verify-certificate`.
pub(crate) fn verify(arguments: &VerifyArgs, output: &mut Output) -> io::Result<Status> {
    interrupt::listen();
    let solver = SolverOptions { program: arguments.solver.clone(), timeout: arguments.solver_timeout };
    let folder = arguments.folder.display();
    let mut reporter = Reporter::new(output, Format::Full);
    let name = folder.to_string();
    let verified =
        guarded("verifying", &name, || certificate::verify(&arguments.folder, &solver, &interrupt::requested));
    let verified = match verified {
        Ok(verified) => verified,
        Err(problem) => {
            reporter.reject(about(&SourceFile::new(name, ""), &[problem]))?;
            return reporter.finish();
        }
    };
    match verified {
        Ok(accepted) => {
            let questions = crate::numbers::counted(accepted.questions, "question");
            let solver = arguments.solver.display();
            let (name, claim) = (&accepted.name, words::claimed(accepted.claim));
            let asserted = if accepted.asserted { ", and its assertions hold" } else { "" };
            reporter.say(&format!(
                "{folder}: accepted: `{name}` is {claim}{asserted}; {questions} answered by {solver}\n"
            ))?;
        }
        Err(refused) => {
            reporter.say(&format!("{folder}: refused: {refused}\n"))?;
            reporter.note(match refused {
                Refused::Solver(_, SolverError::Interrupted) => Status::Interrupted,
                Refused::Solver(..) => Status::Inconclusive,
                Refused::Unreadable(..) => Status::Input,
                _ => Status::Violation,
            });
        }
    }
    reporter.finish()
}
