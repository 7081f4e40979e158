//! Checks changed texts.

use crate::slots::{Context, Slot};
use rustc_hash::FxHashMap;
use std::time::{Duration, Instant};
use steadfast_ir::Program;
use steadfast_lang::{Edit, apply, parse};
use steadfast_robust::{Bound, Options, Outcome, Verdict, check};
use steadfast_span::SourceFile;

/// One choice per slot.
pub(crate) type Assignment = Vec<usize>;

/// Why there is no answer.
#[derive(Clone, Debug)]
pub enum Stop {
    /// A check hit a bound.
    Bound(Bound),
    /// A changed program is too large for the checker; the text says which size.
    Unsupported(String),
    /// A changed text is no longer a program. This is an error of the tool.
    Unreadable(String),
}

/// A changed text with its verdict.
#[derive(Clone, Debug)]
pub struct CheckedText {
    /// The text.
    pub file: SourceFile,
    /// The program in it.
    pub program: Program,
    /// The result of the check.
    pub outcome: Outcome,
}

/// Called before each check, with the number of checks so far and the number of changes in the candidate.
pub type Watcher<'a> = &'a dyn Fn(u64, usize);

pub(crate) struct Checker<'a> {
    pub(crate) context: Context<'a>,
    pub(crate) options: &'a Options<'a>,
    pub(crate) slots: Vec<Slot>,
    pub(crate) checks: u64,
    watcher: Option<Watcher<'a>>,
    started: Instant,
    known: FxHashMap<Assignment, bool>,
}

impl<'a> Checker<'a> {
    pub(crate) fn new(context: Context<'a>, options: &'a Options<'a>, watcher: Option<Watcher<'a>>) -> Self {
        let known = FxHashMap::default();
        Self { context, options, slots: Vec::new(), checks: 0, watcher, started: Instant::now(), known }
    }

    /// The edits of an assignment.
    pub(crate) fn edits(&self, assignment: &[usize]) -> Vec<Edit> {
        let chosen = self.slots.iter().zip(assignment);
        chosen.flat_map(|(slot, &choice)| slot.choices[choice].edits.iter().cloned()).collect()
    }

    /// Whether the program is robust with these changes.
    pub(crate) fn is_robust(&mut self, assignment: &[usize]) -> Result<bool, Stop> {
        if let Some(&known) = self.known.get(assignment) {
            return Ok(known);
        }
        let robust = matches!(self.check_assignment(assignment)?.outcome.verdict, Verdict::Robust);
        self.known.insert(assignment.to_vec(), robust);
        Ok(robust)
    }

    /// Checks the program with these changes.
    pub(crate) fn check_assignment(&mut self, assignment: &[usize]) -> Result<CheckedText, Stop> {
        let text = apply(self.context.file.text(), &self.edits(assignment));
        let file = SourceFile::new(self.context.file.name(), text);
        let parsed = parse(&file, self.context.dialect);
        let Some(program) = parsed.program else {
            let message = parsed.diagnostics.first().map_or(String::new(), |first| first.message.clone());
            return Err(Stop::Unreadable(message));
        };
        if let Some(watcher) = self.watcher {
            watcher(self.checks, assignment.iter().filter(|&&choice| choice != 0).count());
        }
        self.checks += 1;
        let mut options = self.options.clone();
        options.limits.time = self.time_left()?;
        let outcome = check(&program, &options);
        match outcome.verdict {
            Verdict::Inconclusive(bound) => Err(Stop::Bound(self.of_all(bound))),
            Verdict::Unsupported(size) => Err(Stop::Unsupported(size)),
            _ => Ok(CheckedText { file, program, outcome }),
        }
    }

    /// The time left for this check: the time limit is for all checks together.
    fn time_left(&self) -> Result<Option<Duration>, Stop> {
        let Some(limit) = self.options.limits.time else { return Ok(None) };
        match limit.checked_sub(self.started.elapsed()) {
            Some(left) if !left.is_zero() => Ok(Some(left)),
            _ => Err(Stop::Bound(Bound::Time(limit))),
        }
    }

    fn of_all(&self, bound: Bound) -> Bound {
        match (bound, self.options.limits.time) {
            (Bound::Time(_), Some(limit)) => Bound::Time(limit),
            _ => bound,
        }
    }
}
