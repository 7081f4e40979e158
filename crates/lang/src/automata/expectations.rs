//! Expected verdicts in comments: `#![expect(robust, model = tso)]`, and Trencher's `# IS robust.`

use super::codes;
use super::parser::shorten;
use crate::expectation::{Expectation, ExpectedVerdict};
use steadfast_diag::{Diagnostic, Diagnostics};
use steadfast_model::{Model, Notion};
use steadfast_span::Span;

/// All expectations of a text.
pub(super) fn expectations(text: &str, diagnostics: &mut Diagnostics) -> Vec<Expectation> {
    let mut found = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let comment = line.trim_start_matches('\u{FEFF}').trim();
        let at = start + line.find(comment).unwrap_or(0);
        let span = Span::new(at as u32, (at + comment.len()) as u32);
        start += line.len();
        if let Some(rest) = comment.strip_prefix("#![expect(") {
            match attribute(rest, span) {
                Ok(expectation) => found.push(expectation),
                Err(message) => {
                    let problem = Diagnostic::warning(codes::BAD_EXPECTATION, message).at(span, "ignored");
                    diagnostics.push(problem.help("write it like `#![expect(robust, model = tso)]`"));
                }
            }
        } else if let Some(verdict) = remark(comment)
            && found.is_empty()
        {
            found.push(Expectation { verdict, model: Model::Tso, notion: Notion::Graph, span });
        }
    }
    found
}

/// The verdict in a comment of Trencher.
fn remark(comment: &str) -> Option<ExpectedVerdict> {
    let words = comment.strip_prefix('#')?.trim();
    let words = words.strip_prefix("The program ").unwrap_or(words);
    match words.split(['.', ',']).next()?.to_lowercase().as_str() {
        "is robust" => Some(ExpectedVerdict::Robust),
        "is not robust" => Some(ExpectedVerdict::NotRobust),
        _ => None,
    }
}

/// The expectation behind `#![expect(`.
fn attribute(rest: &str, span: Span) -> Result<Expectation, String> {
    let inner = rest.strip_suffix(")]").ok_or("this expectation does not end with `)]`")?;
    let (mut verdict, mut model, mut notion) = (None, None, Notion::Graph);
    for part in inner.split(',') {
        match part.split_once('=').map(|(key, value)| (key.trim(), value.trim())) {
            Some(("model", name)) => model = Some(known(name, Model::named, "model")?),
            Some(("notion", name)) => notion = known(name, Notion::named, "notion")?,
            Some((key, _)) => return Err(format!("an expectation has no `{}`", shorten(key))),
            None => {
                verdict = Some(match part.trim() {
                    "robust" => ExpectedVerdict::Robust,
                    "not_robust" => ExpectedVerdict::NotRobust,
                    other => return Err(format!("there is no verdict `{}` here", shorten(other))),
                });
            }
        }
    }
    let verdict = verdict.ok_or("this expectation has no verdict")?;
    let model = model.ok_or("this expectation has no model")?;
    Ok(Expectation { verdict, model, notion, span })
}

fn known<T>(name: &str, named: fn(&str) -> Option<T>, what: &str) -> Result<T, String> {
    named(name).ok_or_else(|| format!("there is no {what} `{}`", shorten(name)))
}
