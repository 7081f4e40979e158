//! What a thread can still do, by local state: the basis of *relevance*. A monitor's bit that nobody can use any more is cleared, so that
//! states which differ only in it are one.

use crate::explored::Explored;
use crate::machine::Machine;
use rustc_hash::FxHashMap;

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

/// For every state of a graph, which combination of futures its threads have. Combinations are few, so what depends only on them can be remembered.
#[derive(Debug)]
pub(crate) struct Outlooks {
    /// The combination of each state, by state number.
    pub of_state: Vec<u32>,
    /// The futures of the threads in each combination.
    pub combinations: Vec<Box<[Future]>>,
    /// By state number, the locations that some thread is about to access.
    pub touches: Vec<LocSet>,
}

impl Outlooks {
    /// Looks at every state.
    pub(crate) fn new(machine: &Machine<'_>, graph: &dyn Explored, futures: &Futures) -> Self {
        let mut kinds: FxHashMap<Future, u64> = FxHashMap::default();
        let numbered: Vec<Vec<u64>> = futures
            .iter()
            .map(|futures| {
                let mut number = |future: &Future| {
                    let next = kinds.len() as u64;
                    *kinds.entry(*future).or_insert(next)
                };
                futures.iter().map(&mut number).collect()
            })
            .collect();
        let mut known: FxHashMap<Box<[u64]>, u32> = FxHashMap::default();
        let mut outlooks =
            Self { of_state: vec![0; graph.id_bound()], combinations: Vec::new(), touches: vec![0; graph.id_bound()] };
        let touched: Vec<Vec<LocSet>> = machine
            .automata
            .iter()
            .map(|automaton| {
                let of = |id| automaton.access(id).loc.map_or(0, |loc| 1 << loc);
                (0..automaton.len() as u32).map(of).collect()
            })
            .collect();
        let mut key = vec![0; machine.threads()];
        for id in graph.ids() {
            for (thread, slot) in key.iter_mut().enumerate() {
                let (class, local) = (machine.class_of[thread], graph.local(id, thread) as usize);
                *slot = numbered[class][local];
                outlooks.touches[id as usize] |= touched[class][local];
            }
            let number = if let Some(&number) = known.get(key.as_slice()) {
                number
            } else {
                let number = outlooks.combinations.len() as u32;
                let future = |thread| futures[machine.class_of[thread]][graph.local(id, thread) as usize];
                outlooks.combinations.push((0..machine.threads()).map(future).collect());
                known.insert(key.clone().into(), number);
                number
            };
            outlooks.of_state[id as usize] = number;
        }
        outlooks
    }
}
