//! What a page says.

use crate::run_view::RunView;
use steadfast_diag::Diagnostic;
use steadfast_span::SourceFile;

/// How good the news is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VerdictClass {
    /// It holds.
    Good,
    /// A violation.
    Bad,
    /// Nobody knows.
    Unsure,
}

/// A page about one result.
#[derive(Clone, Debug)]
pub struct Page<'a> {
    /// What it is about: a file, or a program.
    pub subject: String,
    /// The verdict in a few words.
    pub verdict: String,
    /// How good the news is.
    pub verdict_class: VerdictClass,
    /// What was asked and how much was done, as names and values.
    pub facts: Vec<(String, String)>,
    /// The texts that are shown.
    pub sources: Vec<&'a SourceFile>,
    /// What there is to say, each with the number of its text. The first one is the headline.
    pub diagnostics: Vec<(usize, &'a Diagnostic)>,
    /// The run and its picture.
    pub run: Option<RunView>,
    /// What the two endings of the run are called: under the strong model, and under the weak one.
    pub endings: [String; 2],
    /// A repair.
    pub repair: Option<Repair>,
    /// Lists that belong to the result, such as stacks.
    pub lists: Vec<Listing>,
    /// Other things that the reader should know.
    pub remarks: Vec<String>,
}

/// A list with a title.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// Its title.
    pub title: String,
    /// Its entries.
    pub entries: Vec<String>,
}

/// A change that makes the result good.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Repair {
    /// What it is, and what it costs.
    pub summary: String,
    /// The single changes in words.
    pub changes: Vec<String>,
    /// The change as a unified diff.
    pub patch: String,
}
