//! The enumeration itself: depth first over all generated graphs, each visited once.

use crate::oracle::state::{Generator, State};
use crate::oracle::{Limit, Options};
use rustc_hash::FxHashSet;
use steadfast_ir::Program;
use steadfast_model::Model;

/// What to do with a graph.
pub(crate) enum Next {
    /// Go on with its extensions.
    Extend,
    /// Forget about its extensions.
    Prune,
    /// End the whole enumeration.
    Stop,
}

/// Shows every generated graph to `visit`, as long as it wants to see extensions. Returns how many were shown.
pub(crate) fn explore(
    program: &Program,
    model: Model,
    options: &Options,
    visit: &mut dyn FnMut(&State) -> Next,
) -> Result<usize, Limit> {
    let generator = Generator::new(program, model);
    let mut seen = FxHashSet::default();
    let mut pending = generator.initial()?;
    while let Some(state) = pending.pop() {
        if !seen.insert(state.canonical()) {
            continue;
        }
        if seen.len() > options.max_graphs {
            return Err(Limit::Graphs);
        }
        if state.graph.len() > options.max_events {
            return Err(Limit::Events);
        }
        match visit(&state) {
            Next::Extend => pending.extend(generator.successors(&state)?),
            Next::Prune => {}
            Next::Stop => break,
        }
    }
    Ok(seen.len())
}
