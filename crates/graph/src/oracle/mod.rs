//! The oracle: answers by enumerating every graph that a program generates.
//!
//! It is slow and obvious on purpose: it exists so that fast algorithms can be tested against it. Programs must be free of
//! unbounded loops; whatever does not fit the bounds is reported as [`OracleVerdict::TooLarge`], never guessed.

mod explore;
pub mod flat;
mod interpret;
mod state;
pub mod store_buffer;

use crate::axioms::sc;
use crate::{Axioms, Execution, GhostEdges};
use explore::{Next, explore};
pub use interpret::Failure;
use interpret::Status;
use state::State;
use steadfast_ir::Program;
use steadfast_model::Model;

/// Which graphs are extended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Strategy {
    /// Every generated graph, consistent or not: the definition by the letter.
    Free,
    /// Every consistent graph, relying on consistency being closed under prefixes.
    Consistent,
    /// Every SC-consistent graph, up to the first consistent extension that is not: relies on the borderline theorem.
    #[default]
    Borderline,
}

/// Bounds and choices of an enumeration.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Whether the edges of encoded SC fences count in SC-consistency.
    pub ghosts: GhostEdges,
    /// Which graphs are extended when robustness is decided.
    pub strategy: Strategy,
    /// How many events a graph may have, initial writes included.
    pub max_events: usize,
    /// How many graphs may be visited.
    pub max_graphs: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { ghosts: GhostEdges::default(), strategy: Strategy::default(), max_events: 96, max_graphs: 200_000 }
    }
}

/// Why an enumeration was given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// A graph had too many events: probably a loop.
    Events,
    /// There were too many graphs.
    Graphs,
    /// A thread took too many steps without a visible one.
    LocalLoop,
    /// A run left the bounds of the program's representation, or a thread wants to run alone.
    Representation,
}

impl std::fmt::Display for Limit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Events => "an execution has too many events",
            Self::Graphs => "there are too many executions",
            Self::LocalLoop => "a thread loops without a visible step",
            Self::Representation => "the program has parts that an execution graph cannot tell",
        })
    }
}

impl std::error::Error for Limit {}

/// The answer to a question of the form "does every consistent graph …?".
#[derive(Clone, Debug)]
pub enum OracleVerdict {
    /// Yes, for all of that many graphs.
    Holds {
        /// How many graphs were visited, inconsistent ones included.
        graphs: usize,
    },
    /// No: this one does not.
    Violated(Box<Execution>),
    /// The bounds were too small to tell.
    TooLarge(Limit),
}

impl OracleVerdict {
    /// Whether a counterexample was found.
    pub fn is_violated(&self) -> bool {
        matches!(self, Self::Violated(_))
    }

    /// The answer, unless the bounds were too small.
    pub fn holds(&self) -> Option<bool> {
        match self {
            Self::Holds { .. } => Some(true),
            Self::Violated(_) => Some(false),
            Self::TooLarge(_) => None,
        }
    }

    /// The counterexample.
    pub fn counterexample(&self) -> Option<&Execution> {
        match self {
            Self::Violated(graph) => Some(graph),
            _ => None,
        }
    }

    fn from_search(found: Option<Execution>, searched: Result<usize, Limit>) -> Self {
        // A counterexample is one, whatever else did not fit the bounds.
        match (found, searched) {
            (Some(graph), _) => Self::Violated(Box::new(graph)),
            (None, Ok(graphs)) => Self::Holds { graphs },
            (None, Err(limit)) => Self::TooLarge(limit),
        }
    }
}

/// Whether every consistent graph that the program generates is SC-consistent.
pub fn robust(program: &Program, model: Model, options: &Options) -> OracleVerdict {
    let mut smallest: Option<Execution> = None;
    let searched = explore(program, model, options, &mut |state| {
        let graph = &state.graph;
        if !model.consistent(graph) {
            return if options.strategy == Strategy::Free { Next::Extend } else { Next::Prune };
        }
        if sc::consistent_with(graph, options.ghosts) {
            return Next::Extend;
        }
        if smallest.as_ref().is_none_or(|found| graph.len() < found.len()) {
            smallest = Some(graph.clone());
        }
        if options.strategy == Strategy::Borderline { Next::Stop } else { Next::Extend }
    });
    OracleVerdict::from_search(smallest, searched)
}

/// Whether hbSC, without the fr edges of reads that nothing depends on, is irreflexive in every consistent graph that the program
/// generates (POPL'21, Definition 4.9). All consistent graphs are enumerated, whatever the strategy.
pub fn observationally_robust(program: &Program, model: Model, options: &Options) -> OracleVerdict {
    all_consistent(program, model, options, |state| sc::observationally_consistent(&state.graph, options.ghosts))
}

/// Whether no consistent graph has a race on a plain location.
pub fn race_free(program: &Program, model: Model, options: &Options) -> OracleVerdict {
    all_consistent(program, model, options, |state| state.graph.race(model).is_none())
}

/// Whether no graph that is consistent under SC has a race on a plain location, by the happens-before of a weaker model.
pub fn race_free_under_sc(program: &Program, model: Model, options: &Options) -> OracleVerdict {
    all_consistent(program, Model::Sc, options, |state| state.graph.race(model).is_none())
}

fn all_consistent(program: &Program, model: Model, options: &Options, good: impl Fn(&State) -> bool) -> OracleVerdict {
    let mut found = None;
    let searched = explore(program, model, options, &mut |state| {
        if !model.consistent(&state.graph) {
            Next::Prune
        } else if good(state) {
            Next::Extend
        } else {
            found = Some(state.graph.clone());
            Next::Stop
        }
    });
    OracleVerdict::from_search(found, searched)
}

/// The failures of the program in consistent graphs: failed assertions and expressions without a value, sorted by thread and
/// position. With [`Model::Sc`] these are the failures under sequential consistency.
pub fn failures(program: &Program, model: Model, options: &Options) -> Result<Vec<Failure>, Limit> {
    let mut found: Vec<Failure> = Vec::new();
    explore(program, model, options, &mut |state| {
        if !model.consistent(&state.graph) {
            return Next::Prune;
        }
        for thread in &state.threads {
            if let Status::Failed(failure) = thread.status
                && !found.contains(&failure)
            {
                found.push(failure);
            }
        }
        Next::Extend
    })?;
    found.sort_by_key(|failure| (failure.thread, failure.pc, failure.error.is_some()));
    Ok(found)
}

/// How many consistent graphs there are in which every thread has ended or failed. Threads that are blocked do not count as ended.
pub fn count_complete(program: &Program, model: Model, options: &Options) -> Result<usize, Limit> {
    let mut count = 0;
    explore(program, model, options, &mut |state| {
        if !model.consistent(&state.graph) {
            return Next::Prune;
        }
        count += usize::from(state.is_complete());
        Next::Extend
    })?;
    Ok(count)
}
