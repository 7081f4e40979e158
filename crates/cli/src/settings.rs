//! What the arguments of a check mean.

use crate::args::{CheckArgs, LimitArgs, ModelChoice, ReductionChoice};
use std::num::NonZero;
use std::sync::atomic::AtomicBool;
use std::thread::available_parallelism;
use steadfast_model::Notion;
use steadfast_robust::{Limits, Options, Reductions, Supported};

/// A check, ready to be carried out.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// The models, each once, in the order in which they were named.
    pub(crate) models: Vec<Supported>,
    /// Everything that does not depend on the model.
    pub(crate) question: Question,
}

/// What is asked about a program, whatever the model.
#[derive(Clone, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "they are independent switches")]
pub(crate) struct Question {
    pub(crate) notion: Notion,
    pub(crate) spin: bool,
    pub(crate) fences_by_the_letter: bool,
    pub(crate) reductions: Reductions,
    pub(crate) joint: bool,
    /// Whether the question is about triangular races, and not about robustness.
    pub(crate) trf: bool,
    pub(crate) limits: Limits,
    pub(crate) jobs: usize,
}

impl Settings {
    /// Resolves the arguments.
    pub(crate) fn of(arguments: &CheckArgs) -> Self {
        let question = Question {
            notion: arguments.question.notion,
            spin: !arguments.question.no_spin_detection,
            fences_by_the_letter: arguments.question.fences_by_the_letter,
            reductions: reductions(&arguments.no_reduction),
            joint: arguments.joint,
            trf: arguments.trf,
            limits: limits(&arguments.limits),
            jobs: jobs(arguments.jobs),
        };
        let models = if arguments.trf { vec![Supported::Tso] } else { models(&arguments.model) };
        Self { models, question }
    }
}

impl Question {
    /// The default question for a notion, with one worker.
    pub(crate) fn new(notion: Notion, limits: Limits) -> Self {
        let default = Options::new(Supported::Rc20, notion);
        Self {
            notion,
            spin: default.spin,
            fences_by_the_letter: default.fences_by_the_letter,
            reductions: default.reductions,
            joint: default.joint,
            trf: false,
            limits,
            jobs: 1,
        }
    }

    /// What the notion is called.
    pub(crate) fn notion_name(&self) -> &'static str {
        if self.trf { "trf" } else { self.notion.name() }
    }

    /// The question about one model.
    pub(crate) fn options<'a>(&self, model: Supported, interrupt: &'a AtomicBool) -> Options<'a> {
        Options {
            spin: self.spin,
            fences_by_the_letter: self.fences_by_the_letter,
            reductions: self.reductions,
            joint: self.joint,
            limits: self.limits.clone(),
            jobs: self.jobs,
            interrupt: Some(interrupt),
            ..Options::new(model, self.notion)
        }
    }

    /// The names of the reductions in use.
    pub(crate) fn reduction_names(&self) -> Vec<&'static str> {
        let Reductions { symmetry, classes, relevance, covering, translation } = self.reductions;
        let all = [
            ("symmetry", symmetry),
            ("classes", classes),
            ("relevance", relevance),
            ("covering", covering),
            ("translation", translation),
        ];
        all.into_iter().filter(|(_, on)| *on).map(|(name, _)| name).collect()
    }
}

/// The limits of a search.
pub(crate) fn limits(arguments: &LimitArgs) -> Limits {
    Limits { states: arguments.max_states, memory: arguments.max_memory, time: arguments.time_limit }
}

/// The number of workers: as many as there are processors, unless told otherwise.
pub(crate) fn jobs(wanted: Option<u16>) -> usize {
    wanted.map_or_else(|| available_parallelism().map_or(1, NonZero::get), usize::from)
}

fn models(choices: &[ModelChoice]) -> Vec<Supported> {
    let mut models = Vec::new();
    for choice in choices {
        let named = match choice {
            ModelChoice::One(model) => std::slice::from_ref(model),
            ModelChoice::All => Supported::ALL,
        };
        for &model in named {
            if !models.contains(&model) {
                models.push(model);
            }
        }
    }
    models
}

fn reductions(switched_off: &[ReductionChoice]) -> Reductions {
    let on = |choice| !switched_off.contains(&choice) && !switched_off.contains(&ReductionChoice::All);
    Reductions {
        symmetry: on(ReductionChoice::Symmetry),
        classes: on(ReductionChoice::Classes),
        relevance: on(ReductionChoice::Relevance),
        covering: on(ReductionChoice::Covering),
        translation: on(ReductionChoice::Translation),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_model_is_checked_once() {
        let chosen = [ModelChoice::One(Supported::Sra), ModelChoice::All, ModelChoice::One(Supported::Ra)];
        let others = Supported::ALL.iter().copied().filter(|&model| model != Supported::Sra);
        assert_eq!(models(&chosen), [Supported::Sra].into_iter().chain(others).collect::<Vec<_>>());
    }

    #[test]
    fn reductions_are_switched_off_one_by_one_or_all_together() {
        assert_eq!(reductions(&[]), Reductions::ALL);
        assert_eq!(reductions(&[ReductionChoice::All]), Reductions::NONE);
        let without_covering = Reductions { covering: false, ..Reductions::ALL };
        assert_eq!(reductions(&[ReductionChoice::Covering]), without_covering);
    }
}
