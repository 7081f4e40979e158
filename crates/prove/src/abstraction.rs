//! Abstraction of programs that are not robust: some reads may yield more values than the one in memory, so that the program becomes robust.
//!
//! What holds of the abstraction under SC then holds of the program under TSO.

use crate::infer::infer_from;
use crate::invariant::Invariant;
use crate::plan::{Failure, Planner, Proof, guess_moves};
use crate::solver::{Solver, SolverError};
use crate::system::{Action, Guess, System};

/// The largest number of reads that are abstracted.
const MOST: usize = 3;

/// A search for abstractions.
pub(crate) struct AbstractionSearch<'a> {
    /// The solver.
    pub(crate) solver: &'a mut Solver,
    /// Whether to give up.
    pub(crate) stop: &'a dyn Fn() -> bool,
}

impl AbstractionSearch<'_> {
    /// Abstracts one read after the other by guesses that let the read move, until every write is harmless. `failure` is the reason why the program itself has no proof with `invariant`.
    pub(crate) fn abstracted(
        &mut self,
        system: &System,
        invariant: &Invariant,
        failure: &Failure,
    ) -> Result<Option<Proof>, SolverError> {
        self.deeper(system, invariant, failure, MOST)
    }

    fn deeper(
        &mut self,
        system: &System,
        invariant: &Invariant,
        failure: &Failure,
        left: usize,
    ) -> Result<Option<Proof>, SolverError> {
        let Some(read) = failure.blocked.filter(|_| left > 0) else { return Ok(None) };
        let point = (read.0, system.roles[read.0].steps[read.1].from);
        for guess in guesses(system) {
            let Some(candidate) = with_guess(system, point, guess) else { return Ok(None) };
            if !guess_moves(&candidate, invariant, read, self.solver)? {
                continue;
            }
            let invariant = infer_from(&candidate, invariant, self.solver, self.stop)?;
            let found = match Planner::new(&candidate).prove(&invariant, self.solver, self.stop)? {
                Ok(proof) => Some(proof),
                Err(failure) => self.deeper(&candidate, &invariant, &failure, left - 1)?,
            };
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }
}

/// The guesses to try. "Any value" is not among them: it would make every program safe by abstraction, and say nothing.
fn guesses(system: &System) -> impl Iterator<Item = Guess> {
    let numbers = system.numbers().into_iter().map(Guess::Or);
    numbers.chain([Guess::AtMost, Guess::AtLeast])
}

/// The system with several reads abstracted.
pub(crate) fn with_guesses(system: &System, guesses: &[(usize, usize, Guess)]) -> Option<System> {
    guesses.iter().try_fold(system.clone(), |system, &(role, point, guess)| with_guess(&system, (role, point), guess))
}

/// The system with the read at a point abstracted, in all steps from that point. Nothing if there is no read.
fn with_guess(system: &System, (role, from): (usize, usize), guess: Guess) -> Option<System> {
    let mut system = system.clone();
    let steps = &mut system.roles.get_mut(role)?.steps;
    let can = |action: &Action| match action {
        Action::Read(_) => true,
        // The program text may contain the same guess already.
        Action::Guess(_, same) => *same == guess,
        _ => false,
    };
    if !steps.iter().any(|step| step.from == from && can(&step.action)) {
        return None;
    }
    for step in steps.iter_mut().filter(|step| step.from == from) {
        if let Action::Read(cell) = &step.action {
            step.action = Action::Guess(cell.clone(), guess);
        }
    }
    Some(system)
}
