//! The way of all results: to standard output in one of the formats, to pages and pictures in files, and into the exit code.
//!
//! A command makes a [`Report`] of each result, which says what there is to say: messages about files, a text for people, an object for programs, pages,
//! pictures. The [`Reporter`] knows which of them are wanted, in which form, and when each can be written.

mod files;
mod markdown;

pub(crate) use files::Files;
pub(crate) use markdown::Row;

use crate::output::{self, Output};
use crate::status::Status;
use crate::{codes, interrupt, numbers};
use serde::Serialize;
use std::io;
use std::path::Path;
use steadfast_diag::{Diagnostic, Format, Record, Style, render, sarif};
use steadfast_span::SourceFile;

/// Messages about one file.
pub(crate) fn about<'a>(file: &'a SourceFile, messages: &'a [Diagnostic]) -> Vec<Item<'a>> {
    messages.iter().map(|message| (file, message)).collect()
}

/// A message with the file that it is about.
pub(crate) type Item<'a> = (&'a SourceFile, &'a Diagnostic);

/// How a picture is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Drawing {
    /// In Graphviz's language.
    Dot,
    /// As SVG.
    Svg,
    /// For a terminal.
    Text,
}

/// How a text for people looks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Look {
    /// `full` or `concise`.
    pub(crate) format: Format,
    /// Colours and width.
    pub(crate) style: Style,
}

impl Look {
    /// Messages.
    pub(crate) fn messages(self, items: &[Item<'_>]) -> String {
        render(self.format, items, self.style)
    }
}

/// A result, as all formats need it.
pub(crate) trait Report {
    /// What it means for the exit code.
    fn status(&self) -> Status;

    /// Its messages.
    fn items(&self) -> Vec<Item<'_>>;

    /// Everything about it for people.
    fn text(&self, look: Look) -> String;

    /// Its object in `json` and `jsonl`.
    fn record(&self) -> impl Serialize;

    /// Its row in the table of `markdown`. Without rows there is no table.
    fn row(&self) -> Option<Row> {
        None
    }

    /// Its pages.
    fn pages(&self) -> Vec<String> {
        Vec::new()
    }

    /// Its pictures.
    fn pictures(&self, _drawing: Drawing) -> Vec<String> {
        Vec::new()
    }
}

/// The last text for people that was not empty.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LastText {
    None,
    Line,
    Long,
}

/// Turns results into output. Some formats can be written as results come, others only at the end.
pub(crate) struct Reporter<'a> {
    output: &'a mut Output,
    format: Format,
    status: Status,
    pages: Option<Files>,
    pictures: Vec<Files>,
    draws_in_terminal: bool,
    is_array: bool,
    sets_apart: bool,
    last: LastText,
    /// What waits for the end: objects, messages with the numbers of their files, and rows.
    records: Vec<String>,
    files: Vec<SourceFile>,
    messages: Vec<(usize, Diagnostic)>,
    rows: Vec<Row>,
}

impl<'a> Reporter<'a> {
    /// A reporter that has seen nothing yet.
    pub(crate) fn new(output: &'a mut Output, format: Format) -> Self {
        Self {
            output,
            format,
            status: Status::Holds,
            pages: None,
            pictures: Vec::new(),
            draws_in_terminal: false,
            is_array: true,
            sets_apart: false,
            last: LastText::None,
            records: Vec::new(),
            files: Vec::new(),
            messages: Vec::new(),
            rows: Vec::new(),
        }
    }

    /// Also writes pages: the first one to this file.
    pub(crate) fn with_pages(mut self, path: Option<&Path>) -> Self {
        self.pages = path.map(Files::new);
        self
    }

    /// Also draws, as `--dot` and `--graph` wish: the first picture to these files, or all in the terminal.
    pub(crate) fn with_pictures(mut self, dot: Option<&Path>, graph: Option<&Path>) -> Self {
        let terminal = Path::new("-");
        self.pictures = dot.into_iter().chain(graph).filter(|path| *path != terminal).map(Files::new).collect();
        self.draws_in_terminal = graph == Some(terminal);
        self
    }

    /// Writes one object instead of an array, for a command that has one result.
    pub(crate) fn with_one_object(mut self) -> Self {
        self.is_array = false;
        self
    }

    /// Sets longer texts apart by empty lines.
    pub(crate) fn with_texts_apart(mut self) -> Self {
        self.sets_apart = true;
        self
    }

    /// Works on inputs one after the other. After an interruption the others are left out.
    pub(crate) fn each<T>(
        &mut self,
        inputs: &[T],
        work: &mut dyn FnMut(&mut Self, &T) -> io::Result<()>,
    ) -> io::Result<()> {
        for (at, input) in inputs.iter().enumerate() {
            if interrupt::requested() {
                let left = numbers::counted(inputs.len() - at, "file");
                output::complain(&format!("interrupted; {left} left out"));
                self.note(Status::Interrupted);
                break;
            }
            work(self, input)?;
        }
        Ok(())
    }

    /// Takes a result, and writes what can be written at once.
    pub(crate) fn take(&mut self, report: &impl Report) -> io::Result<()> {
        // Whoever reads our output may have seen enough; the result counts all the same, and files are written.
        self.note(report.status());
        if report.items().iter().any(|(_, message)| message.code == codes::INTERNAL) {
            self.note(Status::Internal);
        }
        self.write_files(report);
        match self.format {
            Format::Full | Format::Concise => {
                let text = report.text(self.look());
                let text = self.apart(text) + &self.drawn(report);
                self.output.write(&text)
            }
            Format::Jsonl => self.output.write(&line(&report.record())),
            Format::Github => self.output.write(&render(Format::Github, &report.items(), self.output.style())),
            Format::Json => {
                self.records.push(pretty(&report.record()));
                Ok(())
            }
            Format::Sarif | Format::Markdown => {
                self.rows.extend(report.row());
                report.items().into_iter().for_each(|item| self.keep(item));
                Ok(())
            }
        }
    }

    /// Writes something beside the results, for people who read `full`.
    pub(crate) fn say(&mut self, text: &str) -> io::Result<()> {
        if self.format == Format::Full { self.output.write(text) } else { Ok(()) }
    }

    /// Says what is wrong with an input that cannot be used.
    pub(crate) fn reject(&mut self, items: Vec<Item<'_>>) -> io::Result<()> {
        self.take(&Rejected { items })
    }

    /// Counts a status that belongs to no result.
    pub(crate) fn note(&mut self, status: Status) {
        self.status = self.status.max(status);
        self.output.note(self.status);
    }

    /// Complains that something could not be read or written.
    pub(crate) fn fail(&mut self, message: &str) {
        output::complain(message);
        self.note(Status::Input);
    }

    /// How texts for people look.
    pub(crate) fn look(&self) -> Look {
        Look { format: self.format, style: self.output.style() }
    }

    /// Writes what remains when there are no more results. The status is that of the worst one.
    pub(crate) fn finish(self) -> io::Result<Status> {
        let items: Vec<Item<'_>> = self.messages.iter().map(|(file, message)| (&self.files[*file], message)).collect();
        let text = match self.format {
            Format::Full | Format::Concise | Format::Jsonl | Format::Github => String::new(),
            Format::Json if self.is_array => array(&self.records),
            Format::Json => self.records.concat() + "\n",
            Format::Sarif => sarif(&items, &codes::registry()),
            Format::Markdown => markdown::summary(&self.rows, &items),
        };
        self.output.write(&text)?;
        Ok(self.status)
    }

    /// Writes the pages and pictures of a result.
    fn write_files(&mut self, report: &impl Report) {
        let mut status = Status::Holds;
        for files in &mut self.pictures {
            let drawing = if files.extension() == "svg" { Drawing::Svg } else { Drawing::Dot };
            for picture in report.pictures(drawing) {
                status = status.max(files.write(&picture));
            }
        }
        if let Some(files) = &mut self.pages {
            for page in report.pages() {
                status = status.max(files.write(&page));
            }
        }
        self.note(status);
    }

    /// The pictures of a result in the terminal.
    fn drawn(&self, report: &impl Report) -> String {
        if !self.draws_in_terminal {
            return String::new();
        }
        report.pictures(Drawing::Text).into_iter().flat_map(|picture| ["\n".to_owned(), picture]).collect()
    }

    /// Sets a text apart that is longer than a line, and what comes after it.
    fn apart(&mut self, text: String) -> String {
        let is_long = self.format == Format::Full && text.lines().count() > 1;
        let apart = self.sets_apart && self.last != LastText::None && (is_long || self.last == LastText::Long);
        if is_long {
            self.last = LastText::Long;
        } else if self.last != LastText::None || !text.is_empty() {
            self.last = LastText::Line;
        }
        if apart { format!("\n{text}") } else { text }
    }

    fn keep(&mut self, (file, message): Item<'_>) {
        let same = |other: &SourceFile| other.name() == file.name() && other.text() == file.text();
        let at = self.files.iter().rposition(same).unwrap_or(self.files.len());
        if at == self.files.len() {
            self.files.push(file.clone());
        }
        self.messages.push((at, message.clone()));
    }
}

/// An input that cannot be used.
struct Rejected<'a> {
    items: Vec<Item<'a>>,
}

impl Report for Rejected<'_> {
    fn status(&self) -> Status {
        Status::Input
    }

    fn items(&self) -> Vec<Item<'_>> {
        self.items.clone()
    }

    fn text(&self, look: Look) -> String {
        look.messages(&self.items)
    }

    fn record(&self) -> impl Serialize {
        let diagnostics: Vec<_> = self.items.iter().map(|(file, problem)| Record::new(file, problem)).collect();
        serde_json::json!({ "verdict": "error", "diagnostics": diagnostics })
    }
}

const PLAIN_DATA: &str = "strings, numbers and lists always serialise";

fn line(record: &impl Serialize) -> String {
    serde_json::to_string(record).expect(PLAIN_DATA) + "\n"
}

fn pretty(record: &impl Serialize) -> String {
    serde_json::to_string_pretty(record).expect(PLAIN_DATA)
}

/// Objects that are text already as an array.
fn array(records: &[String]) -> String {
    if records.is_empty() {
        return "[]\n".to_owned();
    }
    let indented: Vec<String> = records.iter().map(|record| format!("  {}", record.replace('\n', "\n  "))).collect();
    format!("[\n{}\n]\n", indented.join(",\n"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_array_of_texts_is_an_array_of_objects() {
        for records in [vec![], vec![json!({ "a": "x\ny", "b": [], "c": [1, { "d": null }] }), json!(1)]] {
            let texts: Vec<String> = records.iter().map(pretty).collect();
            assert_eq!(array(&texts), pretty(&records) + "\n");
        }
    }
}
