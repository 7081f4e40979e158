//! What a thread can still do, by local state: the basis of *relevance*. A monitor's bit that nobody can use any more is cleared, so that
//! states which differ only in it are one.

use crate::automaton::Access;
use crate::chunks;
use crate::explored::Explored;
use crate::machine::Machine;
use rustc_hash::FxHashMap;
use std::ops::Range;
use steadfast_explore::{StateId, each};
use steadfast_ir::Pc;
use steadfast_span::Index;

/// A set of locations, as bits.
pub(crate) type LocSet = u64;

/// What can still happen from a local state on, itself included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Future {
    /// Locations that may be read, or waited for.
    pub reads: LocSet,
    /// Locations that may be written or updated.
    pub writes: LocSet,
    /// Plain locations that may be accessed.
    pub plain: LocSet,
    /// Whether anything at all is still to come that could pass knowledge on: any access or step fence.
    pub active: bool,
}

/// Per class of threads and local state.
pub(crate) type Futures = Vec<Vec<Future>>;

/// Computes the futures of all local states that a finished exploration has found.
pub(crate) fn futures(machine: &Machine<'_>, ghost: Option<u16>) -> Futures {
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
            let mut futures: Vec<Future> = (0..automaton.len() as u32)
                .map(|id| {
                    let access = automaton.access(id);
                    let bit = access.loc.filter(|_| access.plain.is_none()).map_or(0, |loc| 1 << loc);
                    let fence = access.loc.is_none() && !access.halted;
                    let fence_bit = ghost.filter(|_| fence).map_or(0, |loc| 1 << loc);
                    Future {
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
                    let next = futures[next as usize];
                    let mine = &mut futures[source as usize];
                    let merged = Future {
                        reads: mine.reads | next.reads,
                        writes: mine.writes | next.writes,
                        plain: mine.plain | next.plain,
                        active: mine.active | next.active,
                    };
                    changed |= merged != *mine;
                    *mine = merged;
                }
            }
            futures
        })
        .collect()
}

/// Everything may still happen: what switching relevance off means.
pub(crate) fn no_knowledge(machine: &Machine<'_>) -> Futures {
    let everything = Future { reads: u64::MAX, writes: u64::MAX, plain: u64::MAX, active: true };
    machine.automata.iter().map(|automaton| vec![everything; automaton.len()]).collect()
}

/// What the states of a graph look like to a monitor. Many states look the same, so what depends only on that can be remembered.
#[derive(Debug)]
pub(crate) struct Outlooks {
    /// The site of each state, by state number.
    pub site_of: Vec<u32>,
    /// The sites.
    pub sites: Vec<Site>,
    /// The futures of the threads in each combination that occurs.
    pub combinations: Vec<Box<[Future]>>,
}

/// States with the same futures, in which threads are about to make the same accesses.
#[derive(Debug)]
pub(crate) struct Site {
    /// The combination of futures.
    pub outlook: u32,
    /// The local states of the threads in one such state.
    pub locals: Box<[u32]>,
    /// The locations that some thread is about to access.
    pub touches: LocSet,
}

/// Numbered keys of states, each with a state that has it.
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

impl Outlooks {
    /// Looks at every state. With `places`, states at one site are at the same places in the code.
    pub(crate) fn new(
        machine: &Machine<'_>,
        graph: &dyn Explored,
        futures: &Futures,
        places: bool,
        jobs: usize,
    ) -> Self {
        let kinds = kinds_of_locals(machine, futures, places);
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
        let mut outlooks = Self { site_of: Vec::new(), sites: Vec::new(), combinations: Vec::new() };
        let mut all = Seen::default();
        let mut combinations: FxHashMap<Box<[Future]>, u32> = FxHashMap::default();
        let mut parts = Vec::new();
        for (range, numbers, seen) in each(chunks::stretches(order.len(), jobs), look) {
            let sites: Vec<u32> = seen.examples.iter().map(|(key, id)| all.number(key, *id)).collect();
            for (_, id) in &all.examples[outlooks.sites.len()..] {
                outlooks.add(machine, graph, futures, *id, &mut combinations);
            }
            parts.push((range, numbers, sites));
        }
        outlooks.site_of = chunks::scattered(graph.id_bound(), parts, |(range, numbers, sites), put| {
            for (&state, number) in order[range].iter().zip(numbers) {
                put(state as usize, sites[number as usize]);
            }
        });
        outlooks
    }

    fn add(
        &mut self,
        machine: &Machine<'_>,
        graph: &dyn Explored,
        futures: &Futures,
        id: StateId,
        known: &mut FxHashMap<Box<[Future]>, u32>,
    ) {
        let mut locals = vec![0; machine.threads()].into_boxed_slice();
        graph.locals(id, &mut locals);
        let class = |thread: usize| machine.class_of[thread];
        let combination: Box<[Future]> =
            locals.iter().enumerate().map(|(thread, &local)| futures[class(thread)][local as usize]).collect();
        let next = self.combinations.len() as u32;
        let outlook = *known.entry(combination.clone()).or_insert(next);
        if outlook == next {
            self.combinations.push(combination);
        }
        let touches = locals.iter().enumerate().fold(0, |all, (thread, &local)| {
            all | machine.automata[class(thread)].access(local).loc.map_or(0, |loc| 1 << loc)
        });
        self.sites.push(Site { outlook, locals, touches });
    }

    /// The combination of futures in a state.
    #[inline]
    pub(crate) fn of(&self, state: StateId) -> u32 {
        self.sites[self.site_of[state as usize] as usize].outlook
    }
}

/// Numbers the local states of every class so that those with the same future and the same next access have the same number; with `places`, only those
/// where it is also the same piece of code.
fn kinds_of_locals(machine: &Machine<'_>, futures: &Futures, places: bool) -> Vec<Vec<u32>> {
    let mut kinds: FxHashMap<(Future, Access), u32> = FxHashMap::default();
    let classes = machine.automata.iter().zip(futures);
    classes
        .map(|(automaton, futures)| {
            let number = |(local, &future): (usize, &Future)| {
                let mut access = automaton.access(local as u32);
                if !places {
                    access.pc = Pc::new(0);
                }
                let next = kinds.len() as u32;
                *kinds.entry((future, access)).or_insert(next)
            };
            futures.iter().enumerate().map(number).collect()
        })
        .collect()
}
