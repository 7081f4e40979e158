//! `steadfast models`: what each memory model is.

use crate::output::Output;
use crate::status::Status;
use std::fmt::Write;
use std::io;
use steadfast_robust::Supported;

/// How verdicts for different models are related.
const RELATIONS: &str = "\
Without `seq_cst` accesses, robust against rc20 implies robust against ra. Robust against ra
implies robust against sra, and that implies robust against tso.
";

/// Runs the command.
pub(crate) fn run(output: &mut Output) -> io::Result<Status> {
    output.write(&text())?;
    Ok(Status::Holds)
}

/// A paragraph for each model, with its name on the left.
fn text() -> String {
    let mut text = String::new();
    let width = Supported::ALL.iter().map(|model| model.name().len()).max().unwrap_or(0) + 2;
    for model in Supported::ALL {
        for (at, line) in model.description().lines().enumerate() {
            let name = if at == 0 { model.name() } else { "" };
            // Writing to a string does not fail.
            let _ = writeln!(text, "{name:<width$}{line}");
        }
        text.push('\n');
    }
    text + RELATIONS
}
