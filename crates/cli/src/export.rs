//! `steadfast export`: the instrumented program for another tool.

use crate::args::{ExportArgs, ExportLanguage};
use crate::codes;
use crate::input::Input;
use crate::output::{self, Output};
use crate::show::problems;
use crate::status::Status;
use std::io;
use steadfast_diag::Diagnostic;
use steadfast_export::{PromelaOptions, promela};

/// Runs the command.
pub(crate) fn run(arguments: &ExportArgs, output: &mut Output) -> io::Result<Status> {
    let input = Input::read(&arguments.file);
    let Some(program) = &input.parsed.program else {
        output.write(&problems(&input.file, &input.parsed.diagnostics, output))?;
        return Ok(Status::Input);
    };
    let exported = match arguments.to {
        ExportLanguage::Promela => promela(program, &options(arguments)),
    };
    match exported {
        Ok(text) => write(arguments, &text, output),
        Err(error) => {
            let problem = Diagnostic::error(codes::NOT_EXPORTABLE, error.message).at(error.span, "");
            output.write(&problems(&input.file, &[problem], output))?;
            Ok(Status::Input)
        }
    }
}

fn options(arguments: &ExportArgs) -> PromelaOptions {
    let options = PromelaOptions::new(arguments.model, arguments.notion);
    PromelaOptions { fences_by_the_letter: arguments.fences_by_the_letter, ..options }
}

fn write(arguments: &ExportArgs, text: &str, output: &mut Output) -> io::Result<Status> {
    let Some(path) = &arguments.output else {
        output.write(text)?;
        return Ok(Status::Holds);
    };
    match std::fs::write(path, text) {
        Ok(()) => Ok(Status::Holds),
        Err(error) => {
            output::complain(&format!("cannot write {}: {error}", path.display()));
            Ok(Status::Input)
        }
    }
}
