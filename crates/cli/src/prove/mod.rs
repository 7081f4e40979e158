//! `steadfast prove` and `steadfast verify-certificate`: robustness against TSO for any number of threads.

pub(crate) mod args;
mod instance;
mod page;
mod record;
mod report;

use crate::input;
use crate::interrupt;
use crate::output::{self, Output};
use crate::progress::Progress;
use crate::show::problems;
use crate::status::Status;
use args::{ProveArgs, ProveFormat, VerifyArgs};
use instance::{Asserted, Instances};
use report::Report;
use std::io;
use std::path::Path;
use std::time::Instant;
use steadfast_diag::Diagnostic;
use steadfast_ir::Program;
use steadfast_lang::{Dialect, Template, parse_template};
use steadfast_prove::certificate::{self, Refused};
use steadfast_prove::{Claim, Options, ProofResult, Property, SolverError, SolverOptions, prove};
use steadfast_span::SourceFile;

/// Runs `steadfast prove`.
pub(crate) fn run(arguments: &ProveArgs, output: &mut Output) -> io::Result<Status> {
    let mut worst = Status::Holds;
    let mut records = Vec::new();
    let mut pages = arguments.report.as_deref().map(crate::report::Files::new);
    for path in &arguments.files {
        let (report, problem) = one(arguments, path);
        worst = worst.max(report.status());
        if let Some(pages) = &mut pages {
            worst = worst.max(pages.write(&page::page(&report)));
        }
        match arguments.format {
            ProveFormat::Full => output.write(&report.full(output))?,
            ProveFormat::Json => records.push(record::record(&report)),
        }
        if let Some(problem) = problem {
            output::complain(&problem);
            worst = worst.max(Status::Input);
        }
        if interrupt::requested() {
            break;
        }
    }
    if arguments.format == ProveFormat::Json {
        output.write(&record::json(&records))?;
    }
    Ok(worst)
}

/// Proves one file. What could not be written comes with it.
fn one(arguments: &ProveArgs, path: &Path) -> (Report, Option<String>) {
    let start = Instant::now();
    let (file, read) = read(path);
    let mut report = Report::new(file);
    (report.goal, report.invariants) = (arguments.goal, arguments.invariants);
    let (program, template) = match read {
        Ok(read) => read,
        Err(diagnostics) => {
            report.diagnostics = diagnostics;
            return (report, None);
        }
    };
    let progress = Progress::start(format!("proving {}", report.file.name()), false);
    interrupt::listen();
    let options = Options { solver: solver(arguments), stop: &interrupt::requested };
    let outcome = prove(&program, &template, &options);
    drop(progress);
    let mut problem = None;
    if let (ProofResult::Proved(proof), Some(folder)) = (&outcome, &arguments.certificate) {
        let folder = if arguments.files.len() > 1 { folder.join(&program.name) } else { folder.clone() };
        match certificate::write(&folder, report.file.text(), &program, &template, proof) {
            Ok(questions) => report.certificate = Some((folder, questions)),
            Err(error) => problem = Some(format!("cannot write {}: {error}", folder.display())),
        }
    }
    let is_robust = matches!(&outcome, ProofResult::Proved(proof) if proof.claim != Claim::SafeByAbstraction);
    if !is_robust && matches!(&outcome, ProofResult::Proved(_) | ProofResult::NotProved(_)) {
        report.instances = Some(Instances::check(&report.file, &template));
    }
    if let ProofResult::Proved(proof) = &outcome
        && matches!(proof.property, Property::Unknown(_))
    {
        report.asserted = Some(Asserted::check(&report.file, &template, &proof.guesses));
    }
    report.outcome = Some(outcome);
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
                .help("`steadfast check --model tso` decides programs in TPL and automata");
        return (file, Err(vec![problem]));
    }
    let (parsed, template) = parse_template(&file);
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
    match certificate::verify(&arguments.folder, &solver, &interrupt::requested) {
        Ok(accepted) => {
            let questions = crate::numbers::counted(accepted.questions, "question");
            let solver = arguments.solver.display();
            let (name, claim) = (&accepted.name, report::claimed(accepted.claim));
            let asserted = if accepted.asserted { ", and its assertions hold" } else { "" };
            output.write(&format!(
                "{folder}: accepted: `{name}` is {claim}{asserted}; {questions} answered by {solver}\n"
            ))?;
            Ok(Status::Holds)
        }
        Err(refused) => {
            output.write(&format!("{folder}: refused: {refused}\n"))?;
            Ok(match refused {
                Refused::Solver(_, SolverError::Interrupted) => Status::Interrupted,
                Refused::Solver(..) => Status::Inconclusive,
                Refused::Unreadable(..) => Status::Input,
                _ => Status::Violation,
            })
        }
    }
}

/// What is wrong with an input, for people.
fn rejected(report: &Report, output: &Output) -> String {
    problems(&report.file, &report.diagnostics, output)
}
