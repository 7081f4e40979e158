//! The accesses that a thread can still make from a local state. This is the basis of the *relevance* reduction: a bit of a monitor state that no remaining access can use is cleared, so
//! that states which differ only in such bits become one.

use crate::automaton::NextAccess;
use crate::chunks;
use crate::explored::Explored;
use crate::machine::Machine;
use rustc_hash::FxHashMap;
use std::ops::Range;
use steadfast_explore::{StateId, parallel_map};
use steadfast_ir::Pc;
use steadfast_span::Index;

/// A set of locations, as bits.
pub(crate) type LocSet = u64;

/// The accesses that a thread can still make, from a local state on. The next access counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Remaining {
    /// Locations that may be read, or waited for.
    pub reads: LocSet,
    /// Locations that may be written or updated.
    pub writes: LocSet,
    /// Plain locations that may be accessed.
    pub plain: LocSet,
    /// Whether any access or any fence that is a step of its own remains. Only these pass knowledge on to other threads.
    pub active: bool,
}

/// By class of threads and local state.
pub(crate) type RemainingAccesses = Vec<Vec<Remaining>>;

/// Computes the remaining accesses of all local states that a finished exploration has found.
pub(crate) fn remaining_accesses(machine: &Machine<'_>, ghost: Option<u16>) -> RemainingAccesses {
    machine
        .automata
        .iter()
        .map(|automaton| {
            let steps: Vec<(u32, u32)> = automaton
                .known_steps()
                .iter()
                .map(|step| (step.source, step.next))
                .chain(automaton.known_moves())
                .collect();
            let mut by_local: Vec<Remaining> = (0..automaton.len() as u32)
                .map(|id| {
                    let access = automaton.access(id);
                    let bit = access.loc.filter(|_| access.plain.is_none()).map_or(0, |loc| 1 << loc);
                    let fence = access.loc.is_none() && !access.halted;
                    let fence_bit = ghost.filter(|_| fence).map_or(0, |loc| 1 << loc);
                    Remaining {
                        reads: if access.read_values.is_empty() { 0 } else { bit },
                        writes: fence_bit | if access.writes || !access.update_values.is_empty() { bit } else { 0 },
                        plain: access.loc.filter(|_| access.plain.is_some()).map_or(0, |loc| 1 << loc),
                        active: !access.halted,
                    }
                })
                .collect();
            let mut changed = true;
            while changed {
                changed = false;
                for &(source, next) in steps.iter().rev() {
                    let next = by_local[next as usize];
                    let mine = &mut by_local[source as usize];
                    let merged = Remaining {
                        reads: mine.reads | next.reads,
                        writes: mine.writes | next.writes,
                        plain: mine.plain | next.plain,
                        active: mine.active | next.active,
                    };
                    changed |= merged != *mine;
                    *mine = merged;
                }
            }
            by_local
        })
        .collect()
}

/// Assumes that every access remains everywhere. Used when the reduction is off.
pub(crate) fn anything(machine: &Machine<'_>) -> RemainingAccesses {
    let everything = Remaining { reads: u64::MAX, writes: u64::MAX, plain: u64::MAX, active: true };
    machine.automata.iter().map(|automaton| vec![everything; automaton.len()]).collect()
}

/// The states of a graph, grouped by what a monitor can see of them. Many states are in one group (*site*), so results that depend only on the site can be cached.
#[derive(Debug)]
pub(crate) struct Sites {
    /// The site of each state, by state number.
    pub of_state: Vec<u32>,
    /// The sites.
    pub all: Vec<Site>,
    /// The remaining accesses of all threads, for each combination that occurs.
    pub remaining: Vec<Box<[Remaining]>>,
}

/// States in which the threads make the same next accesses and have the same remaining accesses.
#[derive(Debug)]
pub(crate) struct Site {
    /// The number of the combination of remaining accesses, in [`Sites::remaining`].
    pub remaining: u32,
    /// The local states of the threads in one of these states.
    pub locals: Box<[u32]>,
    /// The locations that some thread is about to access.
    pub touches: LocSet,
}

/// Numbered keys of states, each with the first state that has it.
#[derive(Default)]
struct Seen {
    known: FxHashMap<Box<[u32]>, u32>,
    examples: Vec<(Box<[u32]>, StateId)>,
}

impl Seen {
    fn number(&mut self, key: &[u32], id: StateId) -> u32 {
        if let Some(&number) = self.known.get(key) {
            return number;
        }
        let number = self.examples.len() as u32;
        self.known.insert(key.into(), number);
        self.examples.push((key.into(), id));
        number
    }
}

impl Sites {
    /// Groups all states. With `places`, the threads are at the same positions in the code in all states of a site.
    pub(crate) fn new(
        machine: &Machine<'_>,
        graph: &dyn Explored,
        remaining: &RemainingAccesses,
        places: bool,
        jobs: usize,
    ) -> Self {
        let kinds = kinds_of_locals(machine, remaining, places);
        let order = graph.order();
        let look = |range: Range<usize>| {
            let mut seen = Seen::default();
            let mut key = vec![0; machine.threads()];
            let mut number = |&id: &StateId| {
                graph.locals(id, &mut key);
                for (local, &class) in key.iter_mut().zip(&machine.class_of) {
                    *local = kinds[class][*local as usize];
                }
                seen.number(&key, id)
            };
            let numbers: Vec<u32> = order[range.clone()].iter().map(&mut number).collect();
            (range, numbers, seen)
        };
        let mut sites = Self { of_state: Vec::new(), all: Vec::new(), remaining: Vec::new() };
        let mut all = Seen::default();
        let mut combinations: FxHashMap<Box<[Remaining]>, u32> = FxHashMap::default();
        let mut parts = Vec::new();
        for (range, numbers, seen) in parallel_map(chunks::ranges(order.len(), jobs), look) {
            let numbers_in_all: Vec<u32> = seen.examples.iter().map(|(key, id)| all.number(key, *id)).collect();
            for (_, id) in &all.examples[sites.all.len()..] {
                sites.add(machine, graph, remaining, *id, &mut combinations);
            }
            parts.push((range, numbers, numbers_in_all));
        }
        sites.of_state = chunks::fill_in_parallel(graph.id_bound(), parts, |(range, numbers, numbers_in_all), put| {
            for (&state, number) in order[range].iter().zip(numbers) {
                put(state as usize, numbers_in_all[number as usize]);
            }
        });
        sites
    }

    fn add(
        &mut self,
        machine: &Machine<'_>,
        graph: &dyn Explored,
        remaining: &RemainingAccesses,
        id: StateId,
        known: &mut FxHashMap<Box<[Remaining]>, u32>,
    ) {
        let mut locals = vec![0; machine.threads()].into_boxed_slice();
        graph.locals(id, &mut locals);
        let class = |thread: usize| machine.class_of[thread];
        let combination: Box<[Remaining]> =
            locals.iter().enumerate().map(|(thread, &local)| remaining[class(thread)][local as usize]).collect();
        let next = self.remaining.len() as u32;
        let number = *known.entry(combination.clone()).or_insert(next);
        if number == next {
            self.remaining.push(combination);
        }
        let touches = locals.iter().enumerate().fold(0, |all, (thread, &local)| {
            all | machine.automata[class(thread)].access(local).loc.map_or(0, |loc| 1 << loc)
        });
        self.all.push(Site { remaining: number, locals, touches });
    }

    /// The number of the combination of remaining accesses in a state.
    #[inline]
    pub(crate) fn remaining_of(&self, state: StateId) -> u32 {
        self.all[self.of_state[state as usize] as usize].remaining
    }
}

/// Numbers the local states of every class. Local states with the same next access and the same remaining accesses have the same number; with `places`, they must also be at the same
/// position in the code.
fn kinds_of_locals(machine: &Machine<'_>, remaining: &RemainingAccesses, places: bool) -> Vec<Vec<u32>> {
    let mut kinds: FxHashMap<(Remaining, NextAccess), u32> = FxHashMap::default();
    let classes = machine.automata.iter().zip(remaining);
    classes
        .map(|(automaton, remaining)| {
            let number = |(local, &remaining): (usize, &Remaining)| {
                let mut access = automaton.access(local as u32);
                if !places {
                    access.pc = Pc::new(0);
                }
                let next = kinds.len() as u32;
                *kinds.entry((remaining, access)).or_insert(next)
            };
            remaining.iter().enumerate().map(number).collect()
        })
        .collect()
}
