//! An early search for a violation, while the program is still being explored.
//!
//! The exploration visits all states of the program under SC before the search for violations begins. Most programs that are not robust go wrong after a few steps. So as soon as a program
//! turns out not to be small, a bounded search for the witness ([`crate::witness`]) runs. It finds the witness that would be shown in the end. If it finds none, the exploration continues where
//! it stopped.

use crate::machine::{Cache, Machine};
use crate::witness::Found;
use std::sync::Mutex;
use steadfast_explore::{Budget, System};
use steadfast_ir::{BinaryOp, Expr, Instr, LocKind, Place, Program, dataflow};

/// After how many states of the program to search, and how many nodes to visit. Each attempt takes about as long as the exploration before it.
const ATTEMPTS: [(u64, usize); 2] = [(400, 10_000), (50_000, 250_000)];
/// The same if the exploration continues in any case, so that finding a violation saves less.
const SHORT_ATTEMPTS: [(u64, usize); 2] = [(400, 10_000), (50_000, 80_000)];

/// What an early violation saves. Other verdicts come before "not robust".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Benefit {
    /// The exploration ends: the violation is the verdict, because nothing else can be wrong with the program.
    Ends,
    /// The searches for violations are saved. The exploration goes on, because a failing step would be the verdict, and only the whole exploration excludes that.
    Waits,
    /// Nothing: a race would be the verdict, and the weak model may have races that SC does not show.
    None,
}

impl Benefit {
    fn attempts(self) -> &'static [(u64, usize)] {
        match self {
            Self::Ends => &ATTEMPTS,
            Self::Waits => &SHORT_ATTEMPTS,
            Self::None => &[],
        }
    }
}

/// What an early violation saves for this program.
pub(crate) fn benefit(program: &Program) -> Benefit {
    let mut code = program.threads.iter().flat_map(|thread| &thread.code);
    if program.locations.iter().any(|location| location.kind == LocKind::Plain) {
        Benefit::None
    } else if code.any(|instruction| can_fail(program, &instruction.op)) {
        Benefit::Waits
    } else {
        Benefit::Ends
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

/// A machine that runs early searches while it is explored.
pub(crate) struct EarlySearch<'a, 'p> {
    machine: &'a Machine<'p>,
    budget: &'a Budget<'a>,
    search: &'a (dyn Fn(usize) -> Found + Sync),
    benefit: Benefit,
    attempts: Mutex<Attempts>,
}

#[derive(Default)]
struct Attempts {
    made: usize,
    found: Option<Found>,
}

impl<'a, 'p> EarlySearch<'a, 'p> {
    /// `search` visits at most as many nodes as it is told.
    pub(crate) fn new(
        machine: &'a Machine<'p>,
        budget: &'a Budget<'a>,
        benefit: Benefit,
        search: &'a (dyn Fn(usize) -> Found + Sync),
    ) -> Self {
        Self { machine, budget, search, benefit, attempts: Mutex::default() }
    }

    /// The early violation, if there is one.
    pub(crate) fn found(self) -> Option<Found> {
        self.attempts.into_inner().unwrap_or_default().found
    }

    /// Searches if it is time to. Returns whether the exploration is over.
    fn attempt(&self) -> bool {
        let Ok(mut attempts) = self.attempts.lock() else { return false };
        let explored = self.budget.progress().states;
        if attempts.found.is_some() {
            return self.benefit == Benefit::Ends;
        }
        if let Some(&(_, most)) = self.benefit.attempts().get(attempts.made).filter(|(from, _)| explored >= *from) {
            attempts.made += 1;
            let found = (self.search)(most);
            attempts.found = found.witness.is_some().then_some(found);
        }
        attempts.found.is_some() && self.benefit == Benefit::Ends
    }
}

impl<const W: usize> System<W> for EarlySearch<'_, '_> {
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
        System::<W>::stopped(self.machine) || self.attempt()
    }
}
