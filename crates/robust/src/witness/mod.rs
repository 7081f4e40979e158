//! The execution that shows a violation.

mod locals;
mod observed;
mod origin;
mod replay;
mod search;
pub(crate) mod triangular;

pub(crate) use observed::observed;
pub(crate) use search::{Found, Goal, search};

use crate::options::Place;

/// One step of the run.
pub type RunStep = steadfast_graph::RunStep<Place>;

/// A run under SC, and the step that leaves SC.
pub type Witness = steadfast_graph::Witness<Place>;
