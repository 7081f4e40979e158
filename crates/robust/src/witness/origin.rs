//! How a breadth-first search reached each node.

/// How a node was reached.
#[derive(Clone, Copy)]
pub(super) struct Origin {
    pub(super) parent: u32,
    pub(super) label: u32,
    /// Whether the monitor was started at this step.
    pub(super) begins: bool,
}

/// In place of a parent: an initial node.
pub(super) const ROOT: u32 = u32::MAX;

/// The steps to a node, in order.
pub(super) fn way_to(origins: &[Origin], at: u32) -> Vec<Origin> {
    let mut steps = Vec::new();
    let mut origin = origins[at as usize];
    while origin.parent != ROOT {
        steps.push(origin);
        origin = origins[origin.parent as usize];
    }
    steps.reverse();
    steps
}
