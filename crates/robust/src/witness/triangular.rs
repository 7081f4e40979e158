//! The search for a triangular race: breadth first, for a shortest run, over a machine whose threads keep their names.

use super::Witness;
use super::origin::{Origin, ROOT, way_to};
use super::replay::Replay;
use crate::event::{EventKind, Fences, Transition};
use crate::machine::Machine;
use crate::options::{Options, Statistics};
use rustc_hash::FxHashSet;
use steadfast_explore::{Bound, Budget, System};

/// A store that may still be in the buffer: its thread and location.
type Buffered = (usize, u16);

/// A state, and the store that was chosen, if one was.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Node<const W: usize> {
    state: [u64; W],
    buffered: Option<Buffered>,
}

/// The racing steps with their threads: the load, and the write.
type Race = [(usize, Transition); 2];

/// The search.
pub(crate) struct TriangularSearch<'a, 'p, const W: usize> {
    machine: &'a Machine<'p>,
    options: &'a Options<'a>,
    budget: &'a Budget<'a>,
    seen: FxHashSet<Node<W>>,
    found: Vec<Node<W>>,
    origins: Vec<Origin>,
}

impl<'a, 'p, const W: usize> TriangularSearch<'a, 'p, W> {
    /// A search over all states of a machine.
    pub(crate) fn new(machine: &'a Machine<'p>, options: &'a Options<'a>, budget: &'a Budget<'a>) -> Self {
        Self { machine, options, budget, seen: FxHashSet::default(), found: Vec::new(), origins: Vec::new() }
    }

    /// Runs the search. If the machine overflows, the result has no meaning.
    pub(crate) fn run(mut self, statistics: &mut Statistics) -> Result<Option<Witness>, Bound> {
        let mut worker = System::<W>::worker(self.machine);
        for state in System::<W>::initial(self.machine) {
            self.add(Node { state, buffered: None }, Origin { parent: ROOT, label: 0, begins: false });
        }
        let mut successors = Vec::new();
        let (mut at, mut booked, mut outcome) = (0, 0, Ok(None));
        while at < self.found.len() && !self.machine.overflowed() {
            let node = self.found[at].clone();
            successors.clear();
            self.machine.expand(&mut worker, &node.state, &mut successors);
            statistics.program_transitions += successors.len() as u64;
            if let Some(race) = self.race(&node, &successors) {
                outcome = Ok(Some(self.witness(at as u32, &race)));
                break;
            }
            for &(label, state) in &successors {
                self.follow(at as u32, node.buffered, label, state);
            }
            at += 1;
            let new = (self.found.len() - booked) as u64;
            booked = self.found.len();
            self.budget.add(new, new * (2 * size_of::<Node<W>>() + size_of::<Origin>()) as u64);
            if let Err(bound) = self.budget.check() {
                outcome = Err(bound);
                break;
            }
        }
        statistics.program_states = self.found.len() as u64;
        outcome
    }

    fn add(&mut self, node: Node<W>, origin: Origin) {
        if self.seen.insert(node.clone()) {
            self.found.push(node);
            self.origins.push(origin);
        }
    }

    /// Adds the nodes that a step leads to: one with the chosen store, if it is still in the buffer; and if no store was chosen, one that chooses the store of this step.
    fn follow(&mut self, parent: u32, buffered: Option<Buffered>, label: u32, state: [u64; W]) {
        let step = self.machine.label(label);
        let transition = self.machine.transition(step.transition);
        let drained = transition.fences == Fences::SeqCst;
        let origin = Origin { parent, label, begins: false };
        match buffered {
            Some((thread, _)) if thread == step.thread && (drained || transition.event.locked) => {}
            _ => self.add(Node { state, buffered }, origin),
        }
        let stores = matches!(transition.event.kind, EventKind::Write | EventKind::PlainWrite);
        if buffered.is_none() && stores && !drained {
            let buffered = Some((step.thread, transition.event.loc));
            self.add(Node { state, buffered }, Origin { begins: true, ..origin });
        }
    }

    /// The load and the write that race in a node with these successors.
    fn race(&self, node: &Node<W>, successors: &[(u32, [u64; W])]) -> Option<Race> {
        let (owner, stored) = node.buffered?;
        let steps: Vec<(usize, Transition)> = successors
            .iter()
            .map(|(label, _)| self.machine.label(*label))
            .map(|label| (label.thread, self.machine.transition(label.transition)))
            .collect();
        let loads = steps.iter().filter(|(thread, step)| {
            let event = step.event;
            let reads = matches!(event.kind, EventKind::Read | EventKind::ObservingRead | EventKind::PlainRead);
            *thread == owner && reads && !event.locked && event.loc != stored
        });
        let writes = |kind| matches!(kind, EventKind::Write | EventKind::Update | EventKind::PlainWrite);
        loads.into_iter().find_map(|load| {
            let races = |(thread, step): &&(usize, Transition)| {
                *thread != owner && writes(step.event.kind) && step.event.loc == load.1.event.loc
            };
            steps.iter().find(races).map(|write| [load.clone(), write.clone()])
        })
    }

    /// The witness: the run, then the write, then the load, which still reads the value from before the write.
    fn witness(&self, at: u32, [(owner, load), (other, write)]: &Race) -> Witness {
        let mut replay = Replay::new(self.machine, self.options);
        let mut buffered = None;
        for origin in way_to(&self.origins, at) {
            let label = self.machine.label(origin.label);
            let event = replay.step(label.thread, &self.machine.transition(label.transition), None);
            if origin.begins {
                buffered = event;
            }
        }
        let before = replay.newest(load.event.loc);
        let overwriting = replay.access(*other, write, None);
        replay.access(*owner, load, before);
        replay.finish_triangular(buffered, overwriting)
    }
}
