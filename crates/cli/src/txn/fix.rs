//! `steadfast txn fix`: the level that each template needs, and the reads to lock.

use super::args::FixArgs;
use super::{check, findings};
use crate::output::Output;
use crate::show;
use crate::status::Status;
use std::fmt::Write;
use std::io;
use steadfast_span::SourceFile;
use steadfast_txn::Subject;
use steadfast_txn::template::{Level, Template, TooMany, allocate, promotions};

/// More reads than this are not tried together.
const MOST_LOCKS: usize = 4;

/// Runs the command.
pub(super) fn run(arguments: &FixArgs, output: &mut Output) -> io::Result<Status> {
    let (file, parsed) = check::read(&arguments.file);
    let templates = match &parsed.subject {
        Some(Subject::Templates(templates)) => templates,
        Some(Subject::Program(_)) => {
            output.write(&show::problems(&file, &[findings::only_templates()], output))?;
            return Ok(Status::Input);
        }
        None => {
            output.write(&show::problems(&file, &parsed.diagnostics, output))?;
            return Ok(Status::Input);
        }
    };
    let Ok(text) = answer(&file, templates) else {
        output.write(&format!("{}: inconclusive: some template has too many parameters\n", file.name()))?;
        return Ok(Status::Inconclusive);
    };
    output.write(&text)?;
    Ok(Status::Holds)
}

fn answer(file: &SourceFile, templates: &[Template]) -> Result<String, TooMany> {
    let levels = allocate(templates)?;
    let width = templates.iter().map(|template| template.name.len()).max().unwrap_or(0);
    let mut text = format!("{}: the cheapest levels with which it is serializable\n", file.name());
    for (template, level) in templates.iter().zip(&levels) {
        let _ = writeln!(text, "  {:<width$}  {}", template.name, postgres(*level));
    }
    for level in [Level::Si, Level::Rc] {
        let _ = writeln!(text, "{}", locks(file, templates, level)?);
    }
    Ok(text)
}

/// Which reads to lock so that one level suffices.
fn locks(file: &SourceFile, templates: &[Template], level: Level) -> Result<String, TooMany> {
    let name = postgres(level);
    let Some(reads) = promotions(templates, level, MOST_LOCKS)? else {
        return Ok(format!("for {name} everywhere, locking {MOST_LOCKS} reads does not suffice"));
    };
    let place = |&(template, at): &(usize, usize)| {
        let span = templates[template].operations[at].span;
        format!("{} in {} (line {})", file.snippet(span), templates[template].name, file.line_column(span.start).line)
    };
    Ok(match &reads[..] {
        [] => format!("{name} suffices everywhere"),
        _ => format!(
            "{name} suffices everywhere with FOR UPDATE on: {}",
            reads.iter().map(place).collect::<Vec<_>>().join(", ")
        ),
    })
}

fn postgres(level: Level) -> &'static str {
    match level {
        Level::Rc => "READ COMMITTED",
        Level::Si => "REPEATABLE READ",
        Level::Ssi => "SERIALIZABLE",
    }
}
