//! Draws the execution of a finding, with the code that draws the witnesses of `steadfast check`.

use crate::args::RunArgs;
use crate::reporter::Files;
use crate::status::Status;
use std::path::Path;
use steadfast_ir::ThreadId;
use steadfast_report::{Places, RunView, Subject, svg, text as in_terminal};
use steadfast_sanitize::collection::Collection;
use steadfast_sanitize::finding::Finding;
use steadfast_sanitize::symbols::Frame;
use steadfast_sanitize::witness::{Spot, witness};
use steadfast_span::SourceFile;

/// The drawing of a finding, with its steps. Line numbers refer to `sources`.
pub(super) fn run_view(finding: &Finding, sources: &[SourceFile]) -> Option<RunView> {
    let (witness, names) = witness(finding)?;
    let places = &Lines { sources };
    Some(RunView::of(&Subject { witness: &witness, names: &names, places, whole: None, numbered: &[] }))
}

/// Writes the drawings that the user asks for. Deadlocks cannot be drawn.
pub(super) fn draw(arguments: &RunArgs, collection: &Collection) -> Status {
    let wanted = arguments.dot.iter().chain(&arguments.graph).filter(|path| path.as_os_str() != "-");
    let mut files: Vec<Files> = wanted.map(|path| Files::new(path)).collect();
    let mut status = Status::Holds;
    for files in &mut files {
        let dot = files.extension() != "svg";
        let pictures = collection.all().filter_map(|collected| picture(&collected.finding, dot));
        status = pictures.map(|picture| files.write(&picture)).fold(status, Status::max);
    }
    status
}

/// The drawings for the terminal, if the user asks for them.
pub(super) fn terminal(arguments: &RunArgs, collection: &Collection) -> String {
    if arguments.graph.as_deref() != Some(Path::new("-")) {
        return String::new();
    }
    let run = collection.all().filter_map(|collected| run_view(&collected.finding, &[]));
    run.flat_map(|run| ["\n".to_owned(), in_terminal(&run.picture)]).collect()
}

fn picture(finding: &Finding, dot: bool) -> Option<String> {
    if dot {
        let (witness, names) = witness(finding)?;
        return Some(witness.dot(&names));
    }
    Some(svg(&run_view(finding, &[])?.picture))
}

/// The source lines of the steps of a run.
struct Lines<'a> {
    sources: &'a [SourceFile],
}

impl Places<Spot> for Lines<'_> {
    fn thread(&self, place: &Spot) -> ThreadId {
        place.thread
    }

    fn line(&self, place: &Spot) -> Option<(usize, u32)> {
        let frame = place.frame.as_ref()?;
        let file = frame.file.as_deref()?;
        Some((self.sources.iter().position(|source| source.name() == file)?, frame.line?))
    }

    fn code(&self, _place: &Spot) -> String {
        // A line of C can have several accesses, and the page shows the line anyway.
        String::new()
    }

    fn details(&self, place: &Spot, ordering: Option<&str>) -> Vec<String> {
        let line = place.frame.as_ref().map(short_place);
        let first = [ordering.map(str::to_owned), line].into_iter().flatten().collect::<Vec<_>>().join(" · ");
        let function = place.frame.as_ref().and_then(|frame| frame.function.as_deref()).map(short_function);
        std::iter::once(first).chain(function).collect()
    }
}

/// `Producer::dequeue` of `bool queue<int>::Producer::dequeue<int>(int&)`.
fn short_function(name: &str) -> String {
    let mut depth = 0_u32;
    let mut plain = String::new();
    for character in name.chars() {
        match character {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            '(' if depth == 0 => break,
            other if depth == 0 => plain.push(other),
            _ => {}
        }
    }
    let plain = plain.rsplit(' ').next().unwrap_or_default();
    let parts: Vec<&str> = plain.rsplit("::").take(2).collect();
    parts.into_iter().rev().collect::<Vec<_>>().join("::")
}

/// `queue.h:120`.
fn short_place(frame: &Frame) -> String {
    let file = frame.file.as_deref().unwrap_or("?");
    let name = file.rsplit('/').next().unwrap_or(file);
    format!("{name}:{}", frame.line.unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use steadfast_sanitize::record::Kind;

    #[test]
    fn functions_are_known_by_their_last_names() {
        assert_eq!(short_function("bool a::queue<int, b<c>>::Producer::dequeue<int>(int&)"), "Producer::dequeue");
        assert_eq!(short_function("main"), "main");
    }

    #[test]
    fn deadlocks_have_no_picture() {
        let finding = Finding {
            kind: Kind::Deadlock,
            process: 1,
            events: Vec::new(),
            memory: None,
            threads: Vec::new(),
            missing: None,
        };
        assert!(run_view(&finding, &[]).is_none());
    }
}
