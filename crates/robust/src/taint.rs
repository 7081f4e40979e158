//! Registers that may hold a wrong value.
//!
//! In observational robustness a plain read may go wrong as long as nobody notices: its register is *tainted*. Taint flows through
//! assignments; a store, update, wait, CAS, branch, assertion, assumption, array index or `observe` that depends on a tainted register
//! notices. (Rocker fails already at an assignment, and its assertions and assumptions do not look; this follows the paper.)

use crate::automaton::Stray;
use crate::event::Transition;
use crate::machine::Machine;
use crate::shelf::Shelf;
use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex, MutexGuard};
use steadfast_ir::{Pc, RegSet, dataflow};

/// The number of "no register of any thread is tainted".
pub(crate) const UNTAINTED: u32 = 0;

/// The taints that are possible after a step; nothing if a tainted register is observed.
type After = Option<Arc<[u32]>>;

/// The taints of all threads, numbered, with the steps between them.
#[derive(Debug)]
pub(crate) struct Taints<'a> {
    machine: &'a Machine<'a>,
    /// Per thread, its tainted registers. Workers look at them all the time, and wait for each other only to add some.
    all: Shelf<Box<[RegSet]>>,
    known: Mutex<Known>,
}

/// What is known about the taints so far.
#[derive(Debug, Default)]
struct Known {
    count: u32,
    /// Taint, transition, thread, place and whether the read goes wrong: the taints afterwards, or nothing if a tainted register is observed.
    memo: FxHashMap<(u32, u32, usize, usize, bool), After>,
}

impl<'a> Taints<'a> {
    /// Only the empty taint.
    pub(crate) fn new(machine: &'a Machine<'a>) -> Self {
        let taints = Self { machine, all: Shelf::new(), known: Mutex::default() };
        let none = vec![RegSet::new(); machine.threads()].into();
        taints.number(&mut taints.known(), none);
        taints
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().expect("no panic while locked")
    }

    /// Whether the next access of a thread, which is at this position, depends on a tainted register.
    pub(crate) fn notices(&self, thread: usize, pc: Pc, taint: u32) -> bool {
        let tainted = &self.all.get(taint)[thread];
        let code = &self.machine.automata[self.machine.class_of[thread]].thread().code;
        !tainted.is_empty() && dataflow::observed(&code[pc].op).intersects(tainted)
    }

    /// The taints after a transition of a thread, with threads then moved (`from[i]` is where the thread at place `i` was); `wrong` if its read goes
    /// wrong. None: it observes a tainted register.
    pub(crate) fn after(
        &self,
        ((class, transition), number): (&(u32, Transition), u32),
        thread: usize,
        from: &[usize],
        taint: u32,
        wrong: bool,
    ) -> After {
        let place = from.iter().position(|&before| before == thread).unwrap_or(thread);
        let key = (taint, number, thread, place, wrong);
        let mut known = self.known();
        if let Some(known) = known.memo.get(&key) {
            return known.clone();
        }
        let before = self.all.get(taint).clone();
        let automaton = &self.machine.automata[*class as usize];
        let after = match automaton.stray(transition, before[thread].clone(), wrong) {
            Stray::Noticed => None,
            Stray::Landed(sets) => {
                let mut numbers: Vec<u32> = sets
                    .into_iter()
                    .map(|set| {
                        let mut moved = before.clone();
                        moved[thread] = set;
                        self.number(&mut known, from.iter().map(|&place| moved[place].clone()).collect())
                    })
                    .collect();
                numbers.sort_unstable();
                numbers.dedup();
                Some(numbers.into())
            }
        };
        known.memo.insert(key, after.clone());
        after
    }

    fn number(&self, known: &mut Known, taints: Box<[RegSet]>) -> u32 {
        let same = (0..known.count).find(|&number| *self.all.get(number) == taints);
        same.unwrap_or_else(|| {
            self.all.put(known.count, taints);
            known.count += 1;
            known.count - 1
        })
    }
}
