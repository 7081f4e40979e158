//! Registers that may hold a wrong value.
//!
//! Under observational robustness, a plain read may go wrong as long as the program does not notice: its register is then *tainted*. Taint flows through assignments. The program notices when
//! a store, update, wait, CAS, branch, assertion, assumption, array index or `observe` depends on a tainted register. (Rocker already fails at an assignment, and its assertions and assumptions
//! do not check for taint; we follow the paper.)

use crate::append_vec::AppendVec;
use crate::automaton::TaintedStep;
use crate::event::Transition;
use crate::machine::Machine;
use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex, MutexGuard};
use steadfast_ir::{Pc, RegSet, dataflow};

/// The number of the taint in which no register of any thread is tainted.
pub(crate) const UNTAINTED: u32 = 0;

/// The possible taints after a step, or nothing if the step depends on a tainted register.
type After = Option<Arc<[u32]>>;

/// The taints of all threads, each with a number, and the steps between them.
#[derive(Debug)]
pub(crate) struct Taints<'a> {
    machine: &'a Machine<'a>,
    /// By number: for each thread, its tainted registers. Workers read them all the time and wait for each other only to add one.
    all: AppendVec<Box<[RegSet]>>,
    known: Mutex<Known>,
}

/// The taints and steps that are known so far.
#[derive(Debug, Default)]
struct Known {
    count: u32,
    /// By taint, transition, thread, place and whether the read goes wrong: the result of [`Taints::after`].
    memo: FxHashMap<(u32, u32, usize, usize, bool), After>,
}

impl<'a> Taints<'a> {
    /// Contains only the empty taint.
    pub(crate) fn new(machine: &'a Machine<'a>) -> Self {
        let taints = Self { machine, all: AppendVec::new(), known: Mutex::default() };
        let none = vec![RegSet::new(); machine.threads()].into();
        taints.number(&mut taints.known(), none);
        taints
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().expect("no panic while locked")
    }

    /// Whether the next access of a thread, at this position, depends on a tainted register.
    pub(crate) fn notices(&self, thread: usize, pc: Pc, taint: u32) -> bool {
        let tainted = &self.all.get(taint)[thread];
        let code = &self.machine.automata[self.machine.class_of[thread]].thread().code;
        !tainted.is_empty() && dataflow::observed(&code[pc].op).intersects(tainted)
    }

    /// The taints after a transition of a thread. Threads then move (`from[i]` is the former place of the thread at place `i`). With `wrong`, the read goes wrong. Returns nothing if the transition
    /// depends on a tainted register.
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
        let after = match automaton.follow_taint(transition, before[thread].clone(), wrong) {
            TaintedStep::Noticed => None,
            TaintedStep::Reached(sets) => {
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
            self.all.set(known.count, taints);
            known.count += 1;
            known.count - 1
        })
    }
}
