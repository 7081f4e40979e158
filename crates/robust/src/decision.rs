//! The order of the searches over a program's graph: the cheap ones, which only over-approximate, come first.

use crate::automaton::NextAccess;
use crate::explored::Explored;
use crate::flow::Flow;
use crate::joint::{JointSearch, MOST_LANES, Trace};
use crate::machine::Machine;
use crate::models::MemoryModel;
use crate::monitor_layout::WIDEST;
use crate::ops::Ops;
use crate::options::Options;
use crate::remaining::Sites;
use crate::single::SingleSearch;
use crate::stale_writes::{self, Grain};
use crate::sweep::SweepResult;
use crate::tracker::{StaleWrite, Tracker};
use steadfast_explore::{Bound, Budget};
use steadfast_ir::values::ValueSet;
use steadfast_model::{Notion, Orderings};

/// The result of the searches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Finding {
    /// There is no violation.
    Nothing,
    /// Some access can take a stale write.
    Stale,
    /// Some access can take a stale write, and the program can notice.
    Observed,
    /// There is a race.
    Race,
    /// There are too many lanes to follow together.
    TooWide,
}

/// What all searches share.
pub(crate) struct Decision<'a, M> {
    /// The machine.
    pub machine: &'a Machine<'a>,
    /// Its graph, if all writes are followed together. For one write at a time, the flow is enough.
    pub graph: Option<Box<dyn Explored + 'a>>,
    /// What the threads can still do, by state.
    pub sites: &'a Sites,
    /// The rules for one stale write.
    pub tracker: Tracker<'a, M>,
    /// What each edge does to a monitor.
    pub ops: Ops,
    /// The graph, laid out for searches.
    pub flow: Flow,
    /// The next accesses, by class of threads and local state.
    pub accesses: Vec<Vec<NextAccess>>,
    /// Permutations of threads, by thread and place.
    pub permutations: Vec<Vec<Vec<usize>>>,
    /// Whether values must not be told apart, because they are relative.
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

    /// The grains to use, from the coarsest one to an exact one.
    fn grains(&self) -> &'static [Grain] {
        if self.coarse {
            return &[Grain::Location];
        }
        if self.options.reductions.classes { &[Grain::Location, Grain::Value] } else { &[Grain::Value] }
    }

    fn stale_writes(&self, grain: Grain) -> Vec<StaleWrite> {
        stale_writes::overwritten(&self.flow, &self.ops, grain)
    }

    /// With relaxed accesses, plain accesses race if happens-before does not order them, so there is a search for them. For the other models, two threads that can both access a plain
    /// location next say the same (PLDI'19, theorem 6.2), and `check` has looked for such states already.
    fn searches_for_races(&self) -> bool {
        self.options.model.orderings() == Orderings::AsWritten
    }

    /// Whether plain accesses race in a run under SC.
    fn races(&self, total: &mut SweepResult) -> Result<bool, Bound> {
        if !self.searches_for_races() {
            return Ok(false);
        }
        let stale_writes = stale_writes::plain_accesses(&self.flow, &self.ops);
        Ok(!self.search_each(&stale_writes, |_| true, total)?.is_empty())
    }

    fn one_at_a_time(&self, total: &mut SweepResult) -> Result<Finding, Bound> {
        let mut suspects: Option<Vec<u16>> = None;
        for &grain in self.grains() {
            let mut stale_writes = self.stale_writes(grain);
            if let Some(locations) = &suspects {
                stale_writes.retain(|stale_write| locations.contains(&stale_write.loc));
            }
            let violating = self.search_each(&stale_writes, |stale_write| self.is_exact(stale_write), total)?;
            if violating.is_empty() {
                return Ok(Finding::Nothing);
            }
            if violating.iter().any(|&stale_write| self.is_exact(stale_write)) {
                return Ok(Finding::Stale);
            }
            suspects = Some(violating.into_iter().map(|stale_write| stale_write.loc).collect());
        }
        Ok(Finding::Stale)
    }

    /// Asks about graph robustness first: it implies observational robustness and is cheaper to decide.
    fn observational(&self, total: &mut SweepResult, joint: bool) -> Result<Finding, Bound> {
        for &grain in self.grains().iter().filter(|_| !joint) {
            let mut stale_writes = self.stale_writes(grain);
            stale_writes.reverse();
            let violating = self.search_each(&stale_writes, |_| true, total)?;
            if violating.is_empty() {
                return Ok(Finding::Nothing);
            }
            if violating.iter().any(|&stale_write| self.is_exact(stale_write)) {
                break;
            }
        }
        self.all_together(total, Finding::Observed)
    }

    /// Whether what was found for this stale write is certainly a violation: either values were told apart, or no access of the location can tell them apart.
    fn is_exact(&self, stale_write: StaleWrite) -> bool {
        let values = self.machine.domain(stale_write.loc);
        let indifferent = |set: &ValueSet| set.is_empty() || values.iter().all(|value| set.contains(value));
        let mut here = self.accesses.iter().flatten().filter(|access| access.loc == Some(stale_write.loc));
        stale_write.value.is_some()
            || here.all(|access| indifferent(&access.read_values) && indifferent(&access.update_values))
    }

    fn all_together(&self, total: &mut SweepResult, bad: Finding) -> Result<Finding, Bound> {
        for &grain in self.grains() {
            let stale_writes = self.stale_writes_and_races(grain);
            let joint = self.joint();
            if joint.lanes(&stale_writes) > MOST_LANES {
                return Ok(Finding::TooWide);
            }
            let found = joint.run(&stale_writes)?;
            total.add(found);
            if !found.violation {
                return Ok(Finding::Nothing);
            }
        }
        Ok(bad)
    }

    /// Everything to follow together. A wrong read that is not noticed does not synchronise, so there may be races that the [search for races](Self::races) has not found.
    fn stale_writes_and_races(&self, grain: Grain) -> Vec<StaleWrite> {
        let mut stale_writes = self.stale_writes(grain);
        if self.options.notion == Notion::Observational && self.searches_for_races() {
            stale_writes.extend(stale_writes::plain_accesses(&self.flow, &self.ops));
        }
        stale_writes
    }

    /// A shortest run to a violation of the observational notion, if it is known that there is one.
    pub(crate) fn trace(&self) -> Option<Trace> {
        // The witness must not depend on the reductions.
        let (joint, stale_writes) =
            (JointSearch { relevance: true, ..self.joint() }, self.stale_writes_and_races(Grain::Value));
        if joint.lanes(&stale_writes) > MOST_LANES { None } else { joint.trace(&stale_writes).ok()? }
    }

    fn search_each(
        &self,
        stale_writes: &[StaleWrite],
        enough: impl Fn(StaleWrite) -> bool,
        total: &mut SweepResult,
    ) -> Result<Vec<StaleWrite>, Bound> {
        let search = SingleSearch {
            machine: self.machine,
            flow: &self.flow,
            tracker: &self.tracker,
            ops: &self.ops,
            sites: self.sites,
            accesses: &self.accesses,
            covering: self.options.reductions.covering,
            permutations: &self.permutations,
            budget: self.budget,
        };
        let (found, violating) = match self.tracker.layout.words {
            1 => search.run::<1>(stale_writes, enough),
            2 => search.run::<2>(stale_writes, enough),
            3 | 4 => search.run::<4>(stale_writes, enough),
            _ => search.run::<WIDEST>(stale_writes, enough),
        }?;
        total.add(found);
        Ok(violating)
    }

    fn joint(&self) -> JointSearch<'_, M> {
        JointSearch {
            machine: self.machine,
            graph: self.graph.as_deref().expect("the graph is kept where writes are followed together"),
            flow: &self.flow,
            model: self.tracker.model,
            notion: self.options.notion,
            shape: self.tracker.layout.shape,
            ops: &self.ops,
            sites: self.sites,
            accesses: &self.accesses,
            unobserved_ghost: self.tracker.unobserved_ghost,
            covering: self.options.reductions.covering,
            relevance: self.options.reductions.relevance,
            permutations: &self.permutations,
            budget: self.budget,
        }
    }
}
