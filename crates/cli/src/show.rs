//! `steadfast show`: the program as the analyses see it.

use crate::args::ShowArgs;
use crate::input::Input;
use crate::output::Output;
use crate::reporter::about;
use crate::status::Status;
use std::io;
use steadfast_diag::{Diagnostic, Format, render};
use steadfast_span::SourceFile;

/// Runs the command.
pub(crate) fn run(arguments: &ShowArgs, output: &mut Output) -> io::Result<Status> {
    let input = Input::read(&arguments.file);
    let Some(program) = &input.parsed.program else {
        output.write(&problems(&input.file, &input.parsed.diagnostics, output))?;
        return Ok(Status::Input);
    };
    output.write(&program.to_string())?;
    Ok(Status::Holds)
}

/// What is wrong with an input, for people.
pub(crate) fn problems(file: &SourceFile, diagnostics: &[Diagnostic], output: &Output) -> String {
    render(Format::Full, &about(file, diagnostics), output.style())
}
