//! The commands for work on this repository: `cargo xtask help` lists them.
//!
//! Each command has a module. It gets the arguments after its name; if a program that it runs fails, it returns that exit code.

// This program prints its results to the terminal.
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod arguments;
mod bench;
mod ci;
mod corpus;
mod dist;
mod dogfood;
mod fuzz;
mod parallel;
mod process;
mod repair;
mod sanitizer;
mod spin;
mod stopwatch;
mod test;
mod tools;

use anyhow::{Result, bail};
use arguments::Arguments;
use std::process::ExitCode;

/// A command with its text for `help`.
struct Command {
    name: &'static str,
    usage: &'static str,
    run: fn(Arguments) -> Result<()>,
}

const COMMANDS: [Command; 10] = [
    Command { name: "test", usage: test::USAGE, run: test::run },
    Command { name: "corpus", usage: corpus::USAGE, run: corpus::run },
    Command { name: "spin", usage: spin::USAGE, run: spin::run },
    Command { name: "bench", usage: bench::USAGE, run: bench::run },
    Command { name: "fuzz", usage: fuzz::USAGE, run: fuzz::run },
    Command { name: "repair", usage: repair::USAGE, run: repair::run },
    Command { name: "sanitizer", usage: sanitizer::USAGE, run: sanitizer::run },
    Command { name: "dogfood", usage: dogfood::USAGE, run: dogfood::run },
    Command { name: "dist", usage: dist::USAGE, run: dist::run },
    Command { name: "ci", usage: ci::USAGE, run: ci::run },
];

fn main() -> ExitCode {
    match dispatch(Arguments::from_environment()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            process::exit_code(&error)
        }
    }
}

fn dispatch(mut arguments: Arguments) -> Result<()> {
    let name = arguments.next().unwrap_or_else(|| "help".to_owned());
    if matches!(name.as_str(), "help" | "--help" | "-h") {
        print_help();
        return Ok(());
    }
    let Some(command) = COMMANDS.iter().find(|command| command.name == name) else {
        bail!("there is no command `{name}`; `cargo xtask help` lists them");
    };
    if arguments.wants_help() {
        println!("{}", command.usage);
        return Ok(());
    }
    (command.run)(arguments)
}

fn print_help() {
    println!("usage: cargo xtask COMMAND [OPTION...]\n");
    for command in &COMMANDS {
        println!("{}\n", command.usage);
    }
}
