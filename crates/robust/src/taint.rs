//! Registers that may hold a wrong value.
//!
//! In observational robustness a plain read may go wrong as long as nobody notices: its register is *tainted*. Taint flows through
//! assignments; a store, update, wait, CAS, branch, assertion, assumption, array index or `observe` that depends on a tainted register
//! notices. (Rocker fails already at an assignment, and its assertions and assumptions do not look; this follows the paper.)

use crate::automaton::{Automaton, Stray};
use crate::event::Transition;
use rustc_hash::FxHashMap;
use steadfast_ir::{RegSet, dataflow};

/// What a step makes of the taint of the thread that takes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Taint {
    /// A tainted register is observed on the way.
    Noticed,
    /// The possible taints afterwards; usually one.
    After(Vec<u32>),
}

/// Sets of tainted registers of one class of threads, numbered; 0 is the empty one.
#[derive(Debug)]
pub struct TaintSets {
    sets: Vec<RegSet>,
    memo: FxHashMap<(u32, u32, bool), Taint>,
}

impl Default for TaintSets {
    fn default() -> Self {
        Self { sets: vec![RegSet::new()], memo: FxHashMap::default() }
    }
}

impl TaintSets {
    /// A set.
    pub fn get(&self, number: u32) -> &RegSet {
        &self.sets[number as usize]
    }

    fn number(&mut self, set: RegSet) -> u32 {
        let found = self.sets.iter().position(|known| *known == set);
        found.unwrap_or_else(|| {
            self.sets.push(set);
            self.sets.len() - 1
        }) as u32
    }

    /// Whether the next access of a local state depends on a tainted register.
    pub fn notices(&self, automaton: &Automaton<'_>, local: u32, taint: u32) -> bool {
        let pc = automaton.access(local).pc;
        taint != 0 && dataflow::observed(&automaton.thread().code[pc].op).intersects(self.get(taint))
    }

    /// The taint after a transition (by its number); `wrong` if its read goes wrong.
    pub fn after(
        &mut self,
        automaton: &Automaton<'_>,
        (number, transition): (u32, &Transition),
        before: u32,
        wrong: bool,
    ) -> Taint {
        if let Some(known) = self.memo.get(&(number, before, wrong)) {
            return known.clone();
        }
        let taint = match automaton.stray(transition, self.get(before).clone(), wrong) {
            Stray::Noticed => Taint::Noticed,
            Stray::Landed(sets) => {
                let mut numbers: Vec<u32> = sets.into_iter().map(|set| self.number(set)).collect();
                numbers.sort_unstable();
                numbers.dedup();
                Taint::After(numbers)
            }
        };
        self.memo.insert((number, before, wrong), taint.clone());
        taint
    }
}
