//! Runs other programs, and passes on their exit codes.

use anyhow::{Context, Result};
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, ExitStatus};

/// A program that failed.
#[derive(Debug)]
struct Failed {
    command: String,
    status: ExitStatus,
}

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` failed: {}", self.command, self.status)
    }
}

impl std::error::Error for Failed {}

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_owned()
}

/// The cargo that runs this program, in the root of the repository.
pub(crate) fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root());
    command
}

/// Prints the command and runs it. If it fails, the error has its exit code.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let shown = show(command);
    eprintln!("$ {shown}");
    let status = command.status().with_context(|| format!("cannot run `{shown}`"))?;
    if status.success() { Ok(()) } else { Err(Failed { command: shown, status }.into()) }
}

/// Whether the command exists and succeeds. Its output is discarded.
pub(crate) fn succeeds(command: &mut Command) -> bool {
    command.output().is_ok_and(|output| output.status.success())
}

/// The exit code for an error: that of the program that failed, else 1.
pub(crate) fn exit_code(error: &anyhow::Error) -> ExitCode {
    let code = error.downcast_ref::<Failed>().and_then(|failed| failed.status.code());
    code.and_then(|code| u8::try_from(code).ok()).map_or(ExitCode::FAILURE, ExitCode::from)
}

fn show(command: &Command) -> String {
    // Leave out the full path of cargo.
    let program = Path::new(command.get_program()).file_name().unwrap_or(command.get_program());
    let words = std::iter::once(program).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_remembers_its_exit_code() {
        let error = run(Command::new("sh").args(["-c", "exit 7"])).unwrap_err();
        assert_eq!(error.to_string(), "`sh -c exit 7` failed: exit status: 7");
        assert_eq!(exit_code(&error), ExitCode::from(7));
    }

    #[test]
    fn a_missing_program_is_an_error() {
        let error = run(&mut Command::new("no-such-program-anywhere")).unwrap_err();
        assert_eq!(error.to_string(), "cannot run `no-such-program-anywhere`");
        assert_eq!(exit_code(&error), ExitCode::FAILURE);
    }

    #[test]
    fn the_root_has_the_workspace() {
        assert!(root().join("Cargo.lock").exists());
    }
}
