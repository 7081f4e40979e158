//! Programs that are not robust: reads that yield more than what is there, so that the program becomes robust.
//!
//! Whatever then holds of the abstraction under SC holds of the original under TSO.

use crate::infer::infer_from;
use crate::invariant::Invariant;
use crate::model::{Action, Guess, Model};
use crate::plan::{Failure, Planner, Proof, guess_moves};
use crate::solver::{Solver, SolverError};

/// More reads than this are not abstracted.
const MOST: usize = 3;

/// A search for abstractions.
pub(crate) struct Search<'a> {
    /// The solver.
    pub(crate) solver: &'a mut Solver,
    /// Whether to give up.
    pub(crate) stop: &'a dyn Fn() -> bool,
}

impl Search<'_> {
    /// Abstracts one read after the other by guesses that let it move, until every write is harmless. The program fails for this reason, with this invariant.
    pub(crate) fn abstracted(
        &mut self,
        model: &Model,
        invariant: &Invariant,
        failure: &Failure,
    ) -> Result<Option<Proof>, SolverError> {
        self.deeper(model, invariant, failure, MOST)
    }

    fn deeper(
        &mut self,
        model: &Model,
        invariant: &Invariant,
        failure: &Failure,
        left: usize,
    ) -> Result<Option<Proof>, SolverError> {
        let Some(read) = failure.blocked.filter(|_| left > 0) else { return Ok(None) };
        let point = (read.0, model.roles[read.0].steps[read.1].from);
        for guess in guesses(model) {
            let Some(candidate) = with_guess(model, point, guess) else { return Ok(None) };
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

/// The guesses worth trying. That a read may yield anything at all is none of them: it would make every program "safe", and say nothing.
fn guesses(model: &Model) -> impl Iterator<Item = Guess> {
    let numbers = model.numbers().into_iter().map(Guess::Or);
    numbers.chain([Guess::AtMost, Guess::AtLeast])
}

/// The program with several reads abstracted.
pub(crate) fn with_guesses(model: &Model, guesses: &[(usize, usize, Guess)]) -> Option<Model> {
    guesses.iter().try_fold(model.clone(), |model, &(role, point, guess)| with_guess(&model, (role, point), guess))
}

/// The program with the read at a point abstracted, on all ways on from it. Nothing if there is none.
fn with_guess(model: &Model, (role, from): (usize, usize), guess: Guess) -> Option<Model> {
    let mut model = model.clone();
    let steps = &mut model.roles.get_mut(role)?.steps;
    let can = |action: &Action| match action {
        Action::Read(_) => true,
        // The text may say so already.
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
    Some(model)
}
