//! The binary `steadfast`: decides whether concurrent programs are robust, and shows why if they are not.
//!
//! Everything that decides lives in other crates. This one reads arguments ([`args`]) and makes settings of them ([`settings`]), reads files
//! ([`input`]), asks, and turns answers into diagnostics ([`findings`]) and text ([`render`]).
//!
//! Guarantee: the exit code is that of the worst result ([`status`]); results go to standard output and everything else to standard error;
//! no input makes it panic.

mod allocator;
mod args;
mod check;
mod codes;
mod explain;
mod export;
mod findings;
mod guard;
mod input;
mod interrupt;
mod models;
mod numbers;
mod output;
mod progress;
mod prove;
mod render;
mod repair;
mod report;
mod reporter;
mod result;
mod sanitizer;
mod settings;
mod shapes;
mod shell;
mod show;
mod size;
mod status;
mod test;
mod txn;

use args::{Cli, Command};
use output::Output;
use status::Status;
use std::io;
use std::process::ExitCode;
use steadfast_sanitize::compiler::Language;

fn main() -> ExitCode {
    let cli = Cli::of_process();
    let mut output = Output::stdout(cli.display.color);
    let ended = run(cli.command, &mut output).and_then(|status| output.flush().map(|()| status));
    match ended {
        Ok(status) => ExitCode::from(status.code()),
        // Whoever reads our output has seen enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::from(output.status().code()),
        Err(error) => {
            output::complain(&format!("cannot write the results: {error}"));
            ExitCode::from(Status::Input.code())
        }
    }
}

fn run(command: Command, output: &mut Output) -> io::Result<Status> {
    match command {
        Command::Check(arguments) => check::run(&arguments, output),
        Command::Fix(arguments) => repair::run_fix(&arguments, output),
        Command::Relax(arguments) => repair::run_relax(&arguments, output),
        Command::Test(arguments) => test::run(&arguments, output),
        Command::Explain(arguments) => explain::run(&arguments, output),
        Command::Models => models::run(output),
        Command::Export(arguments) => export::run(&arguments, output),
        Command::Show(arguments) => show::run(&arguments, output),
        Command::Report(arguments) => report::collection::run(&arguments, output),
        Command::Completions(arguments) => shell::completions(&arguments, output),
        Command::Man(arguments) => shell::manual(&arguments, output),
        Command::Txn(arguments) => txn::run(&arguments, output),
        Command::Prove(arguments) => prove::run(&arguments, output),
        Command::VerifyCertificate(arguments) => prove::verify(&arguments, output),
        Command::Cc(arguments) => sanitizer::compile(Language::C, &arguments, output),
        Command::Cxx(arguments) => sanitizer::compile(Language::Cxx, &arguments, output),
        Command::Run(arguments) => sanitizer::run(&arguments, output),
        Command::Cargo(arguments) => Ok(sanitizer::cargo(&arguments)),
        Command::Symbolize => sanitizer::symbolize(output),
    }
}
