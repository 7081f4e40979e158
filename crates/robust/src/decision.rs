//! Which searches are made over a program's graph, and in which order: the cheap ones that can only report too much come first.

use crate::automaton::Access;
use crate::column::WIDEST;
use crate::explored::Explored;
use crate::flow::Flow;
use crate::futures::Outlooks;
use crate::hunt::Hunt;
use crate::joint::{Joint, MOST_LANES, Trace};
use crate::machine::Machine;
use crate::models::MemoryModel;
use crate::ops::Ops;
use crate::options::{Notion, Options, Orderings};
use crate::prey::{self, Grain};
use crate::sweep::SweepResult;
use crate::tracker::{Quarry, Tracker};
use steadfast_explore::{Bound, Budget};
use steadfast_ir::values::ValueSet;

/// What the searches say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Finding {
    /// Nothing is wrong.
    Nothing,
    /// Some access can take a stale write.
    Stale,
    /// The same, and the program can notice.
    Observed,
    /// There is a race.
    Race,
    /// There is too much to follow together.
    TooWide,
}

/// Everything that the searches share.
pub(crate) struct Decision<'a, M> {
    /// The machine.
    pub machine: &'a Machine<'a>,
    /// Its graph, if all writes are to be followed together. One at a time, the flow is enough.
    pub graph: Option<Box<dyn Explored + 'a>>,
    /// What threads can still do, by state.
    pub outlooks: &'a Outlooks,
    /// The rules for one hunted write.
    pub tracker: Tracker<'a, M>,
    /// What the edges do to a monitor.
    pub ops: Ops,
    /// The graph, laid out for searches.
    pub flow: Flow,
    /// The accesses of local states, by class.
    pub accesses: Vec<Vec<Access>>,
    /// Thread permutations by (thread, place).
    pub permutations: Vec<Vec<Vec<usize>>>,
    /// Whether values must not be told apart at all.
    pub coarse: bool,
    /// The question.
    pub options: &'a Options<'a>,
    /// The shared budget.
    pub budget: &'a Budget<'a>,
}

impl<M: MemoryModel> Decision<'_, M> {
    /// Decides the question.
    pub(crate) fn decide(&self) -> Result<(Finding, SweepResult), Bound> {
        let mut total = SweepResult::default();
        if self.races(&mut total)? {
            return Ok((Finding::Race, total));
        }
        let finding = match (self.options.notion, self.options.joint) {
            (Notion::Graph, false) => self.one_at_a_time(&mut total)?,
            (Notion::Graph, true) => self.all_together(&mut total, Finding::Stale)?,
            (Notion::Observational, joint) => self.observational(&mut total, joint)?,
        };
        Ok((finding, total))
    }

    /// From the coarsest grain that may be used to an exact one.
    fn grains(&self) -> &'static [Grain] {
        if self.coarse {
            return &[Grain::Location];
        }
        if self.options.reductions.classes { &[Grain::Location, Grain::Value] } else { &[Grain::Value] }
    }

    fn prey(&self, grain: Grain) -> Vec<Quarry> {
        prey::overwritten(&self.flow, &self.ops, grain)
    }

    /// Models with relaxed accesses look for plain accesses that are not ordered by happens-before; for the others, states in which two threads are both about
    /// to access say the same (PLDI'19, theorem 6.2) and have been looked at already.
    fn races_are_hunted(&self) -> bool {
        self.options.model.orderings() == Orderings::AsWritten
    }

    /// Whether plain accesses race in a run under SC.
    fn races(&self, total: &mut SweepResult) -> Result<bool, Bound> {
        if !self.races_are_hunted() {
            return Ok(false);
        }
        let prey = prey::plain_accesses(&self.flow, &self.ops);
        Ok(!self.hunt(&prey, |_| true, total)?.is_empty())
    }

    fn one_at_a_time(&self, total: &mut SweepResult) -> Result<Finding, Bound> {
        let mut suspects: Option<Vec<u16>> = None;
        for &grain in self.grains() {
            let mut prey = self.prey(grain);
            if let Some(locations) = &suspects {
                prey.retain(|quarry| locations.contains(&quarry.loc));
            }
            let caught = self.hunt(&prey, |quarry| self.is_exact(quarry), total)?;
            if caught.is_empty() {
                return Ok(Finding::Nothing);
            }
            if caught.iter().any(|&quarry| self.is_exact(quarry)) {
                return Ok(Finding::Stale);
            }
            suspects = Some(caught.into_iter().map(|quarry| quarry.loc).collect());
        }
        Ok(Finding::Stale)
    }

    /// Graph robustness implies observational robustness and is cheaper to decide, so it is asked first.
    fn observational(&self, total: &mut SweepResult, joint: bool) -> Result<Finding, Bound> {
        for &grain in self.grains().iter().filter(|_| !joint) {
            let mut prey = self.prey(grain);
            prey.reverse();
            let caught = self.hunt(&prey, |_| true, total)?;
            if caught.is_empty() {
                return Ok(Finding::Nothing);
            }
            if caught.iter().any(|&quarry| self.is_exact(quarry)) {
                break;
            }
        }
        self.all_together(total, Finding::Observed)
    }

    /// Whether a catch is a violation for sure: either values were told apart, or no access of the location can tell them apart.
    fn is_exact(&self, quarry: Quarry) -> bool {
        let values = self.machine.domain(quarry.loc);
        let indifferent = |set: &ValueSet| set.is_empty() || values.iter().all(|value| set.contains(value));
        let mut here = self.accesses.iter().flatten().filter(|access| access.loc == Some(quarry.loc));
        quarry.value.is_some()
            || here.all(|access| indifferent(&access.read_values) && indifferent(&access.update_values))
    }

    fn all_together(&self, total: &mut SweepResult, bad: Finding) -> Result<Finding, Bound> {
        for &grain in self.grains() {
            let prey = self.prey_and_races(grain);
            let joint = self.joint();
            if joint.lanes(&prey) > MOST_LANES {
                return Ok(Finding::TooWide);
            }
            let found = joint.run(&prey)?;
            total.add(found);
            if !found.violation {
                return Ok(Finding::Nothing);
            }
        }
        Ok(bad)
    }

    /// All that is followed together. A read that goes wrong unnoticed does not synchronise, so that plain accesses may race that no [hunt](Self::races) has caught.
    fn prey_and_races(&self, grain: Grain) -> Vec<Quarry> {
        let mut prey = self.prey(grain);
        if self.options.notion == Notion::Observational && self.races_are_hunted() {
            prey.extend(prey::plain_accesses(&self.flow, &self.ops));
        }
        prey
    }

    /// The way to a violation of the observational notion, when it is known that there is one.
    pub(crate) fn trace(&self) -> Option<Trace> {
        // The witness is the same whatever the reductions are.
        let (joint, prey) = (Joint { relevance: true, ..self.joint() }, self.prey_and_races(Grain::Value));
        if joint.lanes(&prey) > MOST_LANES { None } else { joint.trace(&prey).ok()? }
    }

    fn hunt(
        &self,
        prey: &[Quarry],
        enough: impl Fn(Quarry) -> bool,
        total: &mut SweepResult,
    ) -> Result<Vec<Quarry>, Bound> {
        let hunt = Hunt {
            machine: self.machine,
            flow: &self.flow,
            tracker: &self.tracker,
            ops: &self.ops,
            outlooks: self.outlooks,
            accesses: &self.accesses,
            covering: self.options.reductions.covering,
            permutations: &self.permutations,
            budget: self.budget,
        };
        let (found, caught) = match self.tracker.layout.words {
            1 => hunt.run::<1>(prey, enough),
            2 => hunt.run::<2>(prey, enough),
            3 | 4 => hunt.run::<4>(prey, enough),
            _ => hunt.run::<WIDEST>(prey, enough),
        }?;
        total.add(found);
        Ok(caught)
    }

    fn joint(&self) -> Joint<'_, M> {
        Joint {
            machine: self.machine,
            graph: self.graph.as_deref().expect("the graph is kept where writes are followed together"),
            flow: &self.flow,
            model: self.tracker.model,
            notion: self.options.notion,
            shape: self.tracker.layout.shape,
            ops: &self.ops,
            outlooks: self.outlooks,
            accesses: &self.accesses,
            blind: self.tracker.blind,
            covering: self.options.reductions.covering,
            relevance: self.options.reductions.relevance,
            permutations: &self.permutations,
            budget: self.budget,
        }
    }
}
