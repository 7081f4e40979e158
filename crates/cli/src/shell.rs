//! What a shell and a manual know about the commands: completions and pages of the manual.

use crate::args::{Cli, CompletionsArgs, ManArgs};
use crate::output::{self, Output};
use crate::status::Status;
use clap::CommandFactory;
use std::io;

/// Runs `steadfast completions`.
pub(crate) fn completions(arguments: &CompletionsArgs, output: &mut Output) -> io::Result<Status> {
    let mut text = Vec::new();
    clap_complete::generate(arguments.shell, &mut Cli::command(), "steadfast", &mut text);
    output.write(&String::from_utf8_lossy(&text))?;
    Ok(Status::Holds)
}

/// Runs `steadfast man`.
pub(crate) fn manual(arguments: &ManArgs, output: &mut Output) -> io::Result<Status> {
    let folder = &arguments.folder;
    let written = std::fs::create_dir_all(folder).and_then(|()| clap_mangen::generate_to(Cli::command(), folder));
    match written {
        Ok(()) => {
            output.write(&format!("{}: the pages of the manual\n", folder.display()))?;
            Ok(Status::Holds)
        }
        Err(error) => {
            output::complain(&format!("cannot write to {}: {error}", folder.display()));
            Ok(Status::Input)
        }
    }
}
