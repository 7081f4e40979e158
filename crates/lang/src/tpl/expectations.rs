//! Expected verdicts in comments: `// ROBUSTNESS egr: robust: ra. not: rlx.`
//!
//! `egr` is robustness of execution graphs (PLDI 2019), `wegr` the observational one (POPL 2021); `rlx` is RC20. Implied expectations are
//! added: a program that is robust under RC20 is robust under RA, which allows less, and a program whose graphs are robust is
//! observationally robust. Conversely, a violation under RA is one under RC20, and an observable violation is one of the graphs.

use crate::codes;
use crate::expectation::{Expectation, ExpectedVerdict};
use steadfast_diag::{Diagnostic, Diagnostics};
use steadfast_model::{Model, Notion};
use steadfast_span::Span;

const MARK: &str = "ROBUSTNESS";
/// The demands, weaker ones first.
const MODELS: [Model; 2] = [Model::Ra, Model::Rc20];
const NOTIONS: [Notion; 2] = [Notion::Observational, Notion::Graph];

/// All expectations of a text: first the written ones, in order, then the implied ones.
pub(super) fn expectations(text: &str, diagnostics: &mut Diagnostics) -> Vec<Expectation> {
    let mut found = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        if let Some(comment) = line.trim_start().strip_prefix("//").map(str::trim)
            && let Some(claim) = comment.strip_prefix(MARK)
        {
            let at = start + line.find(MARK).unwrap_or(0);
            let span = Span::new(at as u32, (at + comment.len()) as u32);
            claims(claim, span, &mut found, diagnostics);
        }
        start += line.len();
    }
    add_implied(&mut found);
    found
}

/// Reads the text after the keyword: a notion, and for each verdict the models.
fn claims(claim: &str, span: Span, found: &mut Vec<Expectation>, diagnostics: &mut Diagnostics) {
    let mut bad = |message: String| {
        let problem = Diagnostic::warning(codes::BAD_EXPECTATION, message).at(span, "this comment is ignored");
        diagnostics.push(problem.help("write it like `// ROBUSTNESS egr: robust: ra. not: rlx.`"));
    };
    let (notion, verdicts) = claim.split_once(':').unwrap_or((claim, ""));
    let notion = match notion.trim() {
        "egr" => Notion::Graph,
        "wegr" => Notion::Observational,
        other => return bad(format!("unknown notion of robustness `{}`", shorten(other))),
    };
    let mut stated = Vec::new();
    for part in verdicts.split('.').map(str::trim).filter(|part| !part.is_empty()) {
        let (verdict, models) = part.split_once(':').unwrap_or((part, ""));
        let verdict = match verdict.trim() {
            "robust" => ExpectedVerdict::Robust,
            "not" => ExpectedVerdict::NotRobust,
            other => return bad(format!("unknown verdict `{}`", shorten(other))),
        };
        for model in models.split(',').map(str::trim) {
            let model = match model {
                "ra" => Model::Ra,
                "rlx" | "rc20" => Model::Rc20,
                other => return bad(format!("unknown model `{}`", shorten(other))),
            };
            stated.push(Expectation { verdict, model, notion, span });
        }
    }
    if stated.is_empty() {
        return bad("this expectation says nothing".into());
    }
    for expectation in stated {
        add_stated(expectation, found, diagnostics);
    }
}

fn shorten(text: &str) -> String {
    text.chars().take(30).collect()
}

/// Adds a written expectation, unless there is one about the same question.
fn add_stated(new: Expectation, found: &mut Vec<Expectation>, diagnostics: &mut Diagnostics) {
    let Some(old) = found.iter().find(|old| (&old.model, &old.notion) == (&new.model, &new.notion)) else {
        found.push(new);
        return;
    };
    if old.verdict != new.verdict {
        let message = format!("two comments disagree about {} robustness under {}", new.notion, new.model);
        let problem = Diagnostic::warning(codes::CONTRADICTORY_EXPECTATION, message);
        diagnostics.push(problem.at(new.span, "this one is ignored").context(old.span, "this one counts"));
    }
}

/// Adds the expectations that follow from the written ones and contradict none of them.
fn add_implied(found: &mut Vec<Expectation>) {
    for known in found.clone() {
        for (model, notion) in MODELS.iter().flat_map(|model| NOTIONS.map(|notion| (*model, notion))) {
            let is_new = !found.iter().any(|other| other.model == model && other.notion == notion);
            if is_new && implies(&known, model, notion) {
                found.push(Expectation { model, notion, ..known.clone() });
            }
        }
    }
}

/// Whether a verdict implies one about another question: robustness implies it for weaker demands, a violation for stronger ones.
fn implies(known: &Expectation, model: Model, notion: Notion) -> bool {
    let models = [known.model, model].map(|model| MODELS.iter().position(|&other| other == model));
    let notions = [known.notion, notion].map(|notion| NOTIONS.iter().position(|&other| other == notion));
    match known.verdict {
        ExpectedVerdict::Robust => models[1] <= models[0] && notions[1] <= notions[0],
        ExpectedVerdict::NotRobust => models[1] >= models[0] && notions[1] >= notions[0],
        ExpectedVerdict::Race | ExpectedVerdict::AssertionFailed => false,
    }
}
