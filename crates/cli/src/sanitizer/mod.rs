//! The commands that compile and run instrumented programs.

mod cargo;
mod drawing;
mod findings;
mod page;
mod record;
mod repetition;
mod run;
mod witness;

pub(crate) use cargo::cargo;
pub(crate) use run::run;

use crate::args::{Cli, CompileArgs};
use crate::output::{self, Output};
use crate::status::Status;
use clap::CommandFactory;
use std::io::{self, Read};
use std::os::unix::process::CommandExt;
use std::process::Command;
use steadfast_sanitize::compiler::{self, Language, ToolPaths};
use steadfast_sanitize::finding::Finding;
use steadfast_sanitize::suppressions::Suppressions;
use steadfast_sanitize::symbols::Symbols;
use steadfast_sanitize::{record as raw, text};

/// Replaces this process by the compiler. Returns only if that fails.
pub(crate) fn compile(language: Language, arguments: &CompileArgs, output: &mut Output) -> io::Result<Status> {
    // `--help` may be meant for Steadfast or for the compiler, so both print their help.
    if arguments.arguments == ["--help"] {
        output.write(&help(language))?;
    }
    let command = match compiler::command(language, &arguments.arguments, &ToolPaths::here(language)) {
        Ok(command) => command,
        Err(error) => {
            output::complain(&error.to_string());
            return Ok(Status::Input);
        }
    };
    let error = Command::new(&command.program).args(&command.arguments).exec();
    output::complain(&format!("cannot run {}: {error}", command.program.to_string_lossy()));
    Ok(Status::Input)
}

fn help(language: Language) -> String {
    let name = match language {
        Language::C => "cc",
        Language::Cxx => "c++",
    };
    let mut steadfast = Cli::command();
    steadfast.build();
    let help = steadfast.find_subcommand_mut(name).map(|command| command.render_long_help().to_string());
    help.unwrap_or_default() + "\n\nWhat follows is the help of the compiler.\n\n"
}

/// Shows the reports on standard input.
pub(crate) fn symbolize(output: &mut Output) -> io::Result<Status> {
    let mut bytes = Vec::new();
    io::stdin().lock().read_to_end(&mut bytes)?;
    let mut symbols = Symbols::new();
    let mut status = Status::Holds;
    for record in raw::parse(&String::from_utf8_lossy(&bytes)) {
        let finding = Finding::resolve(&record, &mut symbols);
        if finding.is_inside_library() || suppressed(&record, &finding) {
            // Then the runtime does not count the report.
            status = Status::Inconclusive;
        } else {
            output.write(&text::full(&finding))?;
        }
    }
    Ok(status)
}

/// Whether the program's suppressions match a finding.
fn suppressed(record: &raw::Record, finding: &Finding) -> bool {
    let (suppressions, complaints) = Suppressions::of(record);
    for complaint in complaints {
        output::complain(&complaint);
    }
    suppressions.apply_to(finding)
}
