//! What threads are about to do in their local states, and what they may still do: remembered, because a search asks for it all the time and the machine answers
//! with a lock and a copy.
//!
//! What they may still do lets the search for a witness drop most hunts early. A hunt succeeds when a thread to which the overwritten write is still open accesses its
//! location. What is closed stays closed, and what a thread cannot reach in its code it never accesses, so a hunt without such a thread is without hope, and so is
//! everything behind it. Dropping it changes neither the nearest violation nor the order in which those that remain are met.

use crate::automaton::Access;
use crate::futures::LocSet;
use crate::machine::Machine;
use steadfast_ir::values::locations_of;
use steadfast_ir::{Pc, Thread, cfg, dataflow};
use steadfast_span::{Index, IndexVec};

/// A local state.
#[derive(Debug)]
pub(super) struct Local {
    /// What it does next.
    pub(super) access: Access,
    /// The locations that may be accessed from here on.
    pub(super) reachable: LocSet,
}

/// All local states, as far as they were needed, by class of threads.
#[derive(Debug)]
pub(super) struct Locals {
    /// By position in the code.
    reachable: Vec<IndexVec<Pc, LocSet>>,
    /// By number.
    known: Vec<Vec<Local>>,
}

impl Locals {
    pub(super) fn new(machine: &Machine<'_>) -> Self {
        let reachable: Vec<_> = machine.automata.iter().map(|automaton| reachable(automaton.thread())).collect();
        Self { known: reachable.iter().map(|_| Vec::new()).collect(), reachable }
    }

    /// The local state of a thread.
    #[inline]
    pub(super) fn get<const W: usize>(&mut self, machine: &Machine<'_>, state: &[u64; W], thread: usize) -> &Local {
        let (class, local) = (machine.class_of[thread], machine.local(state, thread) as usize);
        if self.known[class].len() <= local {
            self.learn(machine, class);
        }
        &self.known[class][local]
    }

    #[cold]
    fn learn(&mut self, machine: &Machine<'_>, class: usize) {
        let (known, reachable) = (&mut self.known[class], &self.reachable[class]);
        let automaton = &machine.automata[class];
        known.extend((known.len()..automaton.len()).map(|local| {
            let access = automaton.access(local as u32);
            Local { reachable: reachable[access.pc], access }
        }));
    }
}

/// The locations that a thread may access from each position on.
fn reachable(thread: &Thread) -> IndexVec<Pc, LocSet> {
    let mut reachable: IndexVec<Pc, LocSet> = thread
        .code
        .iter()
        .map(|instruction| {
            let locations = dataflow::place(&instruction.op).into_iter().flat_map(locations_of);
            locations.fold(0, |all, loc| all | 1 << loc.index())
        })
        .collect();
    let edges: Vec<(Pc, Vec<Pc>)> =
        thread.code.enumerated().rev().map(|(pc, instruction)| (pc, cfg::successors(pc, &instruction.op))).collect();
    let mut changed = true;
    while changed {
        changed = false;
        for (pc, next) in &edges {
            let next = next.iter().filter(|next| next.index() < thread.code.len());
            let all = next.fold(reachable[*pc], |all, &next| all | reachable[next]);
            changed |= all != reachable[*pc];
            reachable[*pc] = all;
        }
    }
    reachable
}
