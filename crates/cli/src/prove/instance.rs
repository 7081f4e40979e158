//! Small finite instances of a template, decided exactly: is the program at fault, or only the proof? Does what is asserted hold at least there?

use crate::ask::ask;
use crate::interrupt;
use crate::settings::{self, Question};
use std::time::Duration;
use steadfast_diag::Diagnostic;
use steadfast_ir::Program;
use steadfast_lang::{Instance, LEAVES_INSTANCE, Template, parse_instance};
use steadfast_prove::Guess;
use steadfast_robust::{Limits, Model, Notion, Outcome, Verdict};
use steadfast_span::{SourceFile, Span};

/// An instance may take so many states.
const STATES: u64 = 2_000_000;
/// And so long.
const TIME: Duration = Duration::from_secs(20);

/// What small instances showed.
pub(crate) struct Instances {
    /// Whether there are roles that any number of threads run.
    many: bool,
    /// The first that is not robust, with what shows it.
    pub(crate) broken: Option<(Instance, Vec<Diagnostic>)>,
    /// Those that are robust.
    pub(crate) robust: Vec<Instance>,
}

impl Instances {
    /// Checks instances of growing size.
    pub(crate) fn check(file: &SourceFile, template: &Template) -> Self {
        let many = template.many.contains(&true);
        let mut instances = Self { many, broken: None, robust: Vec::new() };
        for instance in growing(many) {
            let Some((program, outcome)) = decided(file, instance) else { break };
            match &outcome.verdict {
                Verdict::NotRobust(_) => {
                    let shown = crate::repair::diagnostics_of(file, &program, Model::Tso, &outcome);
                    instances.broken = Some((instance, shown));
                    break;
                }
                verdict if holds(verdict) => instances.robust.push(instance),
                _ => break,
            }
        }
        instances
    }

    /// An instance in words.
    pub(crate) fn described(&self, instance: Instance) -> String {
        described(instance, self.many)
    }
}

/// What small instances showed about assertions.
pub(crate) struct Asserted {
    /// Whether there are roles that any number of threads run.
    many: bool,
    /// One in which an assertion fails, with what shows it.
    pub(crate) failing: Option<(Instance, Vec<Diagnostic>)>,
    /// One whose abstraction fails although it does not fail itself.
    pub(crate) coarse: Option<Instance>,
    /// Those in which none fails.
    pub(crate) holding: Vec<Instance>,
}

impl Asserted {
    /// Checks the assertions in instances of growing size of the abstraction, when threads take turns.
    pub(crate) fn check(file: &SourceFile, template: &Template, guesses: &[(Span, Guess)]) -> Self {
        let many = template.many.contains(&true);
        let mut asserted = Self { many, failing: None, coarse: None, holding: Vec::new() };
        let abstraction = SourceFile::new(file.name(), abstracted(file, guesses));
        for instance in growing(many) {
            let Some((_, outcome)) = decided(&abstraction, instance) else { break };
            match &outcome.verdict {
                Verdict::Failed(_) => {
                    let failing = decided(file, instance).filter(|(_, own)| matches!(own.verdict, Verdict::Failed(_)));
                    match failing {
                        Some((program, own)) => {
                            let shown = crate::repair::diagnostics_of(file, &program, Model::Tso, &own);
                            asserted.failing = Some((instance, shown));
                        }
                        None => asserted.coarse = Some(instance),
                    }
                    break;
                }
                verdict if holds(verdict) => asserted.holding.push(instance),
                Verdict::NotRobust(_) => asserted.holding.push(instance),
                _ => break,
            }
        }
        asserted
    }

    /// What it comes to, for people.
    pub(crate) fn described(&self) -> String {
        let words = |instance: &Instance| described(*instance, self.many);
        match (&self.failing, &self.coarse, self.holding.last()) {
            (Some((instance, _)), ..) => format!("an assertion fails, already with {}", words(instance)),
            (_, Some(instance), _) => format!(
                "its assertions could not be shown to hold: with {} the abstraction fails, which the program does not",
                words(instance)
            ),
            (.., Some(instance)) => {
                format!("no assertion fails with {}; that none ever does could not be shown", words(instance))
            }
            _ => "its assertions could not be shown to hold, and no finite instance could be decided".into(),
        }
    }
}

/// Instances of growing size.
fn growing(many: bool) -> impl Iterator<Item = Instance> {
    let copies = if many { &[2, 3][..] } else { &[1] };
    let sizes = copies.iter().flat_map(|&copies| [4, 8].map(|values| (copies, values)));
    sizes
        .map(|(copies, values)| Instance { copies, values, cells: u32::from(values) })
        .take_while(|_| !interrupt::requested())
}

/// Whether nothing was found, at least as far as integers stay within the instance.
fn holds(verdict: &Verdict) -> bool {
    match verdict {
        Verdict::Robust => true,
        Verdict::Unsupported(why) => *why == LEAVES_INSTANCE,
        _ => false,
    }
}

/// What `check --model tso` says of an instance.
fn decided(file: &SourceFile, instance: Instance) -> Option<(Program, Outcome)> {
    let program = parse_instance(file, instance).program?;
    let limits = Limits { states: Some(STATES), memory: None, time: Some(TIME) };
    let mut question = Question::new(Notion::Graph, limits);
    question.jobs = settings::jobs(None);
    // As `prove` does: a failed round of a spin loop is a read like any other.
    question.spin = false;
    let options = question.options(Model::Tso, interrupt::listen());
    let outcome = ask(&program, &options).ok()?;
    Some((program, outcome))
}

/// The text with the loads abstracted.
fn abstracted(file: &SourceFile, guesses: &[(Span, Guess)]) -> String {
    let mut text = file.text().to_owned();
    let mut guesses = guesses.to_vec();
    guesses.sort_by_key(|(span, _)| std::cmp::Reverse(span.start));
    for (span, guess) in guesses {
        text.replace_range(span.start as usize..span.end as usize, &guessed(guess, file.snippet(span)));
    }
    text
}

/// An abstracted load in the syntax of the language.
pub(crate) fn guessed(guess: Guess, read: &str) -> String {
    let Some((place, _)) = read.rsplit_once(".load") else { return read.to_owned() };
    match guess {
        Guess::AtMost => format!("{place}.load_at_most()"),
        Guess::AtLeast => format!("{place}.load_at_least()"),
        Guess::Or(number) => format!("{place}.load_or({number})"),
    }
}

/// An instance in words.
fn described(instance: Instance, many: bool) -> String {
    let values = format!("integers from 0 to {}", instance.values - 1);
    if many { format!("{} threads of each kind and {values}", instance.copies) } else { values }
}
