//! The content of a page.

use crate::run_view::RunView;
use steadfast_diag::Diagnostic;
use steadfast_span::SourceFile;

/// The class of a verdict, for its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VerdictClass {
    /// The property holds.
    Good,
    /// There is a violation.
    Bad,
    /// There is no verdict.
    Unsure,
}

/// A page about one result.
#[derive(Clone, Debug)]
pub struct Page<'a> {
    /// A file or a program.
    pub subject: String,
    /// The verdict in a few words.
    pub verdict: String,
    /// The class of the verdict.
    pub verdict_class: VerdictClass,
    /// Facts about the question and the search, as names and values.
    pub facts: Vec<(String, String)>,
    /// The source texts.
    pub sources: Vec<&'a SourceFile>,
    /// The diagnostics, each with the number of its source text. The first one is the headline.
    pub diagnostics: Vec<(usize, &'a Diagnostic)>,
    /// The run and its picture.
    pub run: Option<RunView>,
    /// Names of the two endings of the run: under SC, and under the weak model.
    pub endings: [String; 2],
    /// A repair.
    pub repair: Option<Repair>,
    /// Lists that belong to the result, such as stacks.
    pub lists: Vec<Listing>,
    /// Further remarks.
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

/// A change that repairs the program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Repair {
    /// A summary with the cost.
    pub summary: String,
    /// Each change in words.
    pub changes: Vec<String>,
    /// All changes as a unified diff.
    pub patch: String,
}
