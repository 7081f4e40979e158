//! `steadfast explain`: the longer texts behind the codes.

use crate::args::ExplainArgs;
use crate::output::{self, Output};
use crate::shapes::{SHAPES, Shape};
use crate::status::Status;
use crate::{codes, numbers};
use std::io;
use steadfast_diag::Registry;

/// The width to which one-paragraph explanations are wrapped.
const WIDTH: usize = 80;

/// Runs the command.
pub(crate) fn run(arguments: &ExplainArgs, output: &mut Output) -> io::Result<Status> {
    let registry = codes::registry();
    let Some(code) = &arguments.code else {
        output.write(&list(&registry))?;
        return Ok(Status::Holds);
    };
    if let Some(shape) = Shape::find(code) {
        output.write(&format!("{}\n\n{}\n", shape.title(), shape.text().trim_end()))?;
        return Ok(Status::Holds);
    }
    let Some(info) = registry.find(code) else {
        output::complain(&unknown(&registry, code));
        return Ok(Status::Input);
    };
    output.write(&format!("{}: {}\n\n{}\n", info.code.0, info.title, wrapped(info.explanation).trim_end()))?;
    Ok(Status::Holds)
}

fn list(registry: &Registry) -> String {
    let codes = registry.iter().map(|info| format!("{}  {}", info.code.0, info.title));
    let lines: Vec<_> =
        codes.chain(SHAPES.iter().map(|shape| format!("{:<11}  {}", shape.name, shape.title()))).collect();
    lines.join("\n") + "\n"
}

/// Says that there is no such code, and which ones come close.
fn unknown(registry: &Registry, code: &str) -> String {
    let wanted = code.trim().to_ascii_uppercase();
    let close: Vec<_> = registry.iter().map(|info| info.code.0).filter(|name| resembles(name, &wanted)).collect();
    let hint = if close.is_empty() { String::new() } else { format!("; did you mean {}?", numbers::listed(&close)) };
    format!("there is no code `{}`{hint}\n`steadfast explain --list` shows all", code.escape_debug())
}

/// Whether two codes differ in one character.
fn resembles(name: &str, wanted: &str) -> bool {
    name.len() == wanted.len() && name.bytes().zip(wanted.bytes()).filter(|(one, other)| one != other).count() == 1
}

/// Breaks lines that are longer than the width. Texts that come in lines stay as they are.
fn wrapped(text: &str) -> String {
    let mut wrapped = String::new();
    for line in text.lines() {
        let mut column = 0;
        for word in line.split_inclusive(' ') {
            if column > 0 && line.chars().count() > WIDTH && column + word.trim_end().chars().count() > WIDTH {
                wrapped.push('\n');
                column = 0;
            }
            wrapped.push_str(word);
            column += word.chars().count();
        }
        wrapped.push('\n');
    }
    wrapped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_wrapped_and_short_ones_kept() {
        let text = format!("    let x = 1;\n{}", "word ".repeat(40));
        assert!(wrapped(&text).lines().all(|line| line.trim_end().len() <= WIDTH));
        assert!(wrapped(&text).starts_with("    let x = 1;\n"));
    }

    #[test]
    fn typing_errors_are_guessed() {
        assert!(unknown(&codes::registry(), "v0009").contains("V0001"));
        assert!(!unknown(&codes::registry(), "quux").contains("mean"));
    }
}
