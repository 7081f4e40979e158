//! The program's state graph as the monitors see it, for any number of words per state.

use crate::machine::Machine;
use steadfast_explore::{Edge, StateGraph, StateId};

/// A finished exploration.
pub(crate) trait Explored: Sync {
    /// The local state of a thread.
    fn local(&self, id: StateId, thread: usize) -> u32;
    /// The local states of all threads.
    fn locals(&self, id: StateId, into: &mut [u32]);
    /// The steps that leave a state.
    fn edges(&self, id: StateId) -> &[Edge];
    /// All states.
    fn ids(&self) -> Box<dyn Iterator<Item = StateId> + '_>;
    /// The initial states.
    fn initial(&self) -> &[StateId];
    /// One more than the largest state number.
    fn id_bound(&self) -> usize;
    /// How many edges there are.
    fn edge_count(&self) -> usize;
    /// All states, breadth first.
    fn order(&self) -> &[StateId];
    /// The place in that order where each layer begins.
    fn layers(&self) -> &[usize];
    /// Bytes in use.
    fn bytes(&self) -> usize;
}

/// A machine and its state graph.
#[derive(Debug)]
pub(crate) struct MachineGraph<'a, 'p, const W: usize> {
    /// The machine.
    pub machine: &'a Machine<'p>,
    /// Its graph.
    pub graph: StateGraph<W>,
}

impl<const W: usize> Explored for MachineGraph<'_, '_, W> {
    fn local(&self, id: StateId, thread: usize) -> u32 {
        self.machine.local(self.graph.state(id), thread)
    }
    fn locals(&self, id: StateId, into: &mut [u32]) {
        let state = self.graph.state(id);
        into.iter_mut().enumerate().for_each(|(thread, local)| *local = self.machine.local(state, thread));
    }
    fn edges(&self, id: StateId) -> &[Edge] {
        self.graph.edges(id)
    }
    fn ids(&self) -> Box<dyn Iterator<Item = StateId> + '_> {
        Box::new(self.graph.ids())
    }
    fn initial(&self) -> &[StateId] {
        self.graph.initial()
    }
    fn id_bound(&self) -> usize {
        self.graph.id_bound()
    }
    fn edge_count(&self) -> usize {
        self.graph.edge_count()
    }
    fn order(&self) -> &[StateId] {
        self.graph.order()
    }
    fn layers(&self) -> &[usize] {
        self.graph.layers()
    }
    fn bytes(&self) -> usize {
        self.graph.bytes()
    }
}
