//! The next accesses of local states, and the locations that can be accessed from them on. They are cached here, because a search needs them all the time, and the machine answers with a lock
//! and a copy.
//!
//! The search for a witness uses them to drop most stale writes early. A stale write leads to a violation only if a thread that may still take it accesses its location. A thread that may no
//! longer take it never may again, and a thread never accesses a location that it cannot reach in its code. So a node without a thread that can do both leads to no violation, and neither do
//! its successors. Dropping it changes neither the nearest violation nor the order of the other nodes.

use crate::automaton::NextAccess;
use crate::machine::Machine;
use crate::remaining::LocSet;
use steadfast_ir::values::locations_of;
use steadfast_ir::{Pc, Thread, cfg, dataflow};
use steadfast_span::{Index, IndexVec};

/// A local state.
#[derive(Debug)]
pub(super) struct Local {
    /// Its next access.
    pub(super) access: NextAccess,
    /// The locations that the thread may access from here on.
    pub(super) reachable: LocSet,
}

/// The local states that were needed so far, by class of threads.
#[derive(Debug)]
pub(super) struct Locals {
    /// By class and position in the code.
    reachable: Vec<IndexVec<Pc, LocSet>>,
    /// By class and number.
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
