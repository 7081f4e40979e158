//! Runs the binary.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What a run left behind.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// The root of the repository, in which all runs take place.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The binary, ready to be run, in an environment that does not depend on who runs the tests.
pub(crate) fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_steadfast"));
    command.args(arguments).current_dir(root());
    for variable in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "RUST_BACKTRACE"] {
        command.env_remove(variable);
    }
    command
}

/// Runs a command to its end, with some text on standard input.
pub(crate) fn finish(mut command: Command, input: &[u8]) -> Ended {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the binary starts");
    // A run that does not read its input closes the pipe, which is fine.
    let _ = child.stdin.take().expect("piped").write_all(input);
    let output = child.wait_with_output().expect("the binary ends");
    Ended {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8(output.stdout).expect("output is UTF-8"),
        stderr: String::from_utf8(output.stderr).expect("messages are UTF-8"),
    }
}

/// Runs the binary with these arguments.
pub(crate) fn steadfast(arguments: &[&str]) -> Ended {
    finish(command(arguments), b"")
}

/// Runs `steadfast check` on a text given on standard input.
pub(crate) fn check_text(text: &str, options: &[&str]) -> Ended {
    let arguments: Vec<_> = ["check", "-"].iter().chain(options).copied().collect();
    finish(command(&arguments), text.as_bytes())
}
