//! Small finite instances of a template, decided exactly: is the program at fault, or only the proof?

use crate::ask::ask;
use crate::interrupt;
use crate::settings::{self, Question};
use std::time::Duration;
use steadfast_diag::Diagnostic;
use steadfast_lang::{Instance, Template, parse_instance};
use steadfast_robust::{Limits, Model, Notion, Verdict};
use steadfast_span::SourceFile;

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
        let copies = if many { &[2, 3][..] } else { &[1] };
        for &copies in copies {
            for values in [4, 8] {
                let instance = Instance { copies, values, cells: u32::from(values) };
                if interrupt::requested() || !instances.one(file, instance) {
                    return instances;
                }
            }
        }
        instances
    }

    /// Whether it is worth going on.
    fn one(&mut self, file: &SourceFile, instance: Instance) -> bool {
        let Some(program) = parse_instance(file, instance).program else { return false };
        let limits = Limits { states: Some(STATES), memory: None, time: Some(TIME) };
        let mut question = Question::new(Notion::Graph, limits);
        question.jobs = settings::jobs(None);
        // As `prove` does: a failed round of a spin loop is a read like any other.
        question.spin = false;
        let options = question.options(Model::Tso, interrupt::listen());
        let Ok(outcome) = ask(&program, &options) else { return false };
        match &outcome.verdict {
            Verdict::NotRobust(_) => {
                let shown = crate::repair::told(file, &program, Model::Tso, &outcome);
                self.broken = Some((instance, shown));
                false
            }
            Verdict::Robust => {
                self.robust.push(instance);
                true
            }
            _ => false,
        }
    }

    /// An instance in words.
    pub(crate) fn described(&self, instance: Instance) -> String {
        let values = format!("integers from 0 to {}", instance.values - 1);
        if self.many { format!("{} threads of each kind and {values}", instance.copies) } else { values }
    }
}
