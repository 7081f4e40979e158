//! A look in passing: does a short run already show that the program is not robust?
//!
//! The main search explores the whole program under SC before it asks about robustness. Most programs that are not robust fail after a few steps,
//! so when the program turns out to be not quite small, the search for a witness ([`crate::witness`]) is made at once, with a bound on its size. What it
//! finds is what would be shown in the end; if it finds nothing, the exploration goes on where it stopped.

use crate::machine::{Cache, Machine};
use crate::witness::Found;
use std::sync::Mutex;
use steadfast_explore::{Budget, System};
use steadfast_ir::{BinaryOp, Expr, Instr, LocKind, Place, Program, dataflow};

/// After how many states of the program to look, and through how many situations. Each look takes about as long as what was explored before it.
const LOOKS: [(u64, usize); 2] = [(400, 10_000), (50_000, 250_000)];
/// The same if the exploration goes on all the same, so that a look saves less.
const SHORT_LOOKS: [(u64, usize); 2] = [(400, 10_000), (50_000, 80_000)];

/// What a violation that was found in passing means for the exploration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    /// It is the answer: nothing else can be wrong with the program.
    Ends,
    /// It is the answer if no step of the program fails; only the whole exploration excludes that. The searches for violations are saved.
    Waits,
    /// Nothing: a race comes first, and the weak model may have races that SC does not show.
    None,
}

impl Use {
    fn looks(self) -> &'static [(u64, usize)] {
        match self {
            Self::Ends => &LOOKS,
            Self::Waits => &SHORT_LOOKS,
            Self::None => &[],
        }
    }
}

/// What a look is good for. Other verdicts come before "not robust".
pub(crate) fn worth(program: &Program) -> Use {
    let mut code = program.threads.iter().flat_map(|thread| &thread.code);
    if program.locations.iter().any(|location| location.kind == LocKind::Plain) {
        Use::None
    } else if code.any(|instruction| can_fail(program, &instruction.op)) {
        Use::Waits
    } else {
        Use::Ends
    }
}

fn can_fail(program: &Program, op: &Instr) -> bool {
    let indexed = matches!(dataflow::place(op), Some(Place::Element { .. })) && !program.indices_checked;
    indexed || matches!(op, Instr::Assert(_)) || dataflow::expressions(op).into_iter().any(divides)
}

fn divides(expr: &Expr) -> bool {
    match expr {
        Expr::Const(_) | Expr::Reg(_) | Expr::Old => false,
        Expr::Unary(_, operand) => divides(operand),
        Expr::Binary(op, left, right) => matches!(op, BinaryOp::Div | BinaryOp::Rem) || divides(left) || divides(right),
    }
}

/// A machine that is looked at in passing while it is explored.
pub(crate) struct Glancing<'a, 'p> {
    machine: &'a Machine<'p>,
    budget: &'a Budget<'a>,
    look: &'a (dyn Fn(usize) -> Found + Sync),
    worth: Use,
    looks: Mutex<Looks>,
}

#[derive(Default)]
struct Looks {
    made: usize,
    found: Option<Found>,
}

impl<'a, 'p> Glancing<'a, 'p> {
    /// `look` searches through at most so many situations.
    pub(crate) fn new(
        machine: &'a Machine<'p>,
        budget: &'a Budget<'a>,
        worth: Use,
        look: &'a (dyn Fn(usize) -> Found + Sync),
    ) -> Self {
        Self { machine, budget, look, worth, looks: Mutex::default() }
    }

    /// What was found in passing.
    pub(crate) fn found(self) -> Option<Found> {
        self.looks.into_inner().unwrap_or_default().found
    }

    /// Looks if it is time to. Says whether the exploration is over.
    fn look(&self) -> bool {
        let Ok(mut looks) = self.looks.lock() else { return false };
        let explored = self.budget.progress().states;
        if looks.found.is_some() {
            return self.worth == Use::Ends;
        }
        if let Some(&(_, most)) = self.worth.looks().get(looks.made).filter(|(from, _)| explored >= *from) {
            looks.made += 1;
            let found = (self.look)(most);
            looks.found = found.witness.is_some().then_some(found);
        }
        looks.found.is_some() && self.worth == Use::Ends
    }
}

impl<const W: usize> System<W> for Glancing<'_, '_> {
    type Worker<'a>
        = Cache
    where
        Self: 'a;

    fn worker(&self) -> Cache {
        System::<W>::worker(self.machine)
    }

    fn initial(&self) -> Vec<[u64; W]> {
        self.machine.initial()
    }

    fn expand(&self, worker: &mut Cache, state: &[u64; W], successors: &mut Vec<(u32, [u64; W])>) {
        self.machine.expand(worker, state, successors);
    }

    fn stopped(&self) -> bool {
        System::<W>::stopped(self.machine) || self.look()
    }
}
