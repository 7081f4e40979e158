//! `#![expect(…)]`, `#![name = "…"]` and `#![doc = "…"]`.

use super::ast::{Attribute, Name};
use super::codes;
use crate::{Expectation, ExpectedVerdict};
use steadfast_diag::{Diagnostic, Diagnostics, suggest};
use steadfast_model::{Model, Notion};

const VERDICTS: [(&str, ExpectedVerdict); 4] = [
    ("robust", ExpectedVerdict::Robust),
    ("not_robust", ExpectedVerdict::NotRobust),
    ("race", ExpectedVerdict::Race),
    ("assertion_failed", ExpectedVerdict::AssertionFailed),
];

/// The contents of the attributes.
#[derive(Debug, Default)]
pub(super) struct Attributes {
    pub(super) name: Option<String>,
    pub(super) expectations: Vec<Expectation>,
}

impl Attributes {
    /// Reads the attributes of a file.
    pub(super) fn of(attributes: &[Attribute], problems: &mut Diagnostics) -> Self {
        let mut found = Self::default();
        for attribute in attributes {
            match (&*attribute.name.text, &attribute.text) {
                ("expect", None) => found.expectations.extend(expectation(attribute, problems)),
                ("name", Some(text)) => found.name = Some(text.clone()),
                ("doc", Some(_)) => {}
                ("name" | "doc", None) => {
                    let usage = format!("write `#![{} = \"…\"]`", attribute.name.text);
                    problems.push(bad(attribute, "this attribute lacks its text").help(usage));
                }
                ("expect", Some(_)) => {
                    problems.push(bad(attribute, "an expectation stands in parentheses").help(USAGE));
                }
                (other, _) => {
                    let message = format!("there is no attribute `{other}`");
                    let problem =
                        Diagnostic::error(codes::BAD_ATTRIBUTE, message).at(attribute.name.span, "unknown attribute");
                    problems.push(suggest(problem, other, ["expect", "name", "doc"]));
                }
            }
        }
        found
    }
}

const USAGE: &str = "write `#![expect(robust, model = ra)]`";

fn bad(attribute: &Attribute, message: &str) -> Diagnostic {
    Diagnostic::error(codes::BAD_ATTRIBUTE, message).at(attribute.span, "in this attribute")
}

fn expectation(attribute: &Attribute, problems: &mut Diagnostics) -> Option<Expectation> {
    let (mut verdict, mut model, mut notion) = (None, None, None);
    for (key, value) in &attribute.arguments {
        match (&*key.text, value) {
            ("model", Some(value)) => {
                let known = Model::ALL.iter().map(|model| (model.name(), *model));
                set(&mut model, one_of(value, "model", known, problems), key, problems);
            }
            ("notion", Some(value)) => {
                let known = Notion::ALL.iter().map(|notion| (notion.name(), *notion));
                set(&mut notion, one_of(value, "notion", known, problems), key, problems);
            }
            (_, None) => set(&mut verdict, one_of(key, "verdict", VERDICTS, problems), key, problems),
            (other, Some(_)) => {
                let message = format!("an expectation has no `{other}`");
                let problem = Diagnostic::error(codes::BAD_ATTRIBUTE, message).at(key.span, "unknown key");
                problems.push(suggest(problem, other, ["model", "notion"]));
            }
        }
    }
    let Some(verdict) = verdict else {
        problems.push(bad(attribute, "this expectation has no verdict").help(USAGE));
        return None;
    };
    let Some(model) = model else {
        problems.push(bad(attribute, "this expectation has no model").help("add `model = ra`, or another model"));
        return None;
    };
    // Unknown words were reported, and then there is no expectation.
    let notion = notion.unwrap_or(Some(Notion::Graph))?;
    Some(Expectation { verdict: verdict?, model: model?, notion, span: attribute.span })
}

/// Sets a part of an expectation, which may be given only once.
fn set<T>(slot: &mut Option<T>, value: T, key: &Name, problems: &mut Diagnostics) {
    if slot.is_some() {
        let problem = Diagnostic::error(codes::BAD_ATTRIBUTE, "this is given twice").at(key.span, "given again here");
        problems.push(problem.help("write one `#![expect(…)]` for each expectation"));
    }
    *slot = Some(value);
}

/// What the word means, if it is one of the known ones.
fn one_of<T>(
    word: &Name,
    what: &str,
    known: impl IntoIterator<Item = (&'static str, T)>,
    problems: &mut Diagnostics,
) -> Option<T> {
    let (known, mut meanings): (Vec<&str>, Vec<T>) = known.into_iter().unzip();
    let found = known.iter().position(|name| *name == &*word.text).map(|at| meanings.swap_remove(at));
    if found.is_none() {
        let message = format!("there is no {what} `{}`", word.text);
        let problem = Diagnostic::error(codes::BAD_ATTRIBUTE, message).at(word.span, format!("unknown {what}"));
        let names: Vec<String> = known.iter().map(|name| format!("`{name}`")).collect();
        problems
            .push(suggest(problem, &word.text, known.iter().copied()).note(format!("there are {}", names.join(", "))));
    }
    found
}
