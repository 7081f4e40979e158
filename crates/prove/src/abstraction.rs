//! Programs that are not robust: reads that yield more than what is there, so that the program becomes robust.
//!
//! Whatever then holds of the abstraction under SC holds of the original under TSO.

use crate::facts::Richness;
use crate::infer::infer;
use crate::plan::{Planner, Proof, guess_moves};
use crate::solver::{Solver, SolverError};
use crate::steps::{Action, Guess, Model};

/// More reads than this are not abstracted.
const MOST: usize = 3;

/// Abstracts one read after the other by guesses that let it move, until every write is harmless.
pub(crate) fn prove(
    model: &Model,
    (richness, last_resort): (Richness, bool),
    solver: &mut Solver,
    stop: &dyn Fn() -> bool,
) -> Result<Option<Proof>, SolverError> {
    continued(model, (richness, last_resort), MOST, solver, stop)
}

fn continued(
    model: &Model,
    (richness, last_resort): (Richness, bool),
    left: usize,
    solver: &mut Solver,
    stop: &dyn Fn() -> bool,
) -> Result<Option<Proof>, SolverError> {
    let invariant = infer(model, richness, solver, stop)?;
    let failure = match Planner::new(model).prove(&invariant, solver, stop)? {
        Ok(proof) => return Ok(Some(proof)),
        Err(failure) => failure,
    };
    let Some(read) = failure.blocked.filter(|_| left > 0) else { return Ok(None) };
    for guess in guesses(model, last_resort) {
        let Some(candidate) = with_guess(model, (read.0, model.roles[read.0].steps[read.1].from), guess) else {
            return Ok(None);
        };
        if guess_moves(&candidate, &invariant, read, solver)?
            && let Some(proof) = continued(&candidate, (richness, last_resort), left - 1, solver, stop)?
        {
            return Ok(Some(proof));
        }
    }
    Ok(None)
}

/// The guesses worth trying, strong ones first.
fn guesses(model: &Model, last_resort: bool) -> impl Iterator<Item = Guess> {
    let numbers = model.numbers().into_iter().map(Guess::Or);
    numbers.chain([Guess::AtMost, Guess::AtLeast]).chain(last_resort.then_some(Guess::Anything))
}

/// The program with the read at a point abstracted, on all ways on from it. Nothing if there is no exact read.
pub(crate) fn with_guess(model: &Model, (role, from): (usize, usize), guess: Guess) -> Option<Model> {
    let mut model = model.clone();
    let steps = &mut model.roles.get_mut(role)?.steps;
    if !steps.iter().any(|step| step.from == from && matches!(step.action, Action::Read(_))) {
        return None;
    }
    for step in steps.iter_mut().filter(|step| step.from == from) {
        if let Action::Read(cell) = &step.action {
            step.action = Action::Guess(cell.clone(), guess);
        }
    }
    Some(model)
}
