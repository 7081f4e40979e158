//! What a template asserts: shown by its invariants, or else by Horn clauses.
//!
//! It is shown of the program, or of its abstraction, when threads simply take turns. A proof that the program is robust carries it over to TSO: an assertion reads nothing but
//! registers, and a thread that has failed can be left where it is until all buffers are empty.

use crate::Options;
use crate::abstraction::with_guesses;
use crate::facts::Richness;
use crate::horn;
use crate::infer::infer;
use crate::invariant::{Invariant, Question};
use crate::model::Model;
use crate::plan::{Planner, Proof};
use crate::solver::{Answer, Solver, SolverError};
use serde::{Deserialize, Serialize};
use steadfast_span::Span;

/// Whether what a program asserts holds under TSO.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Property {
    /// It asserts nothing.
    Nothing,
    /// It holds; so the invariants say.
    Invariants,
    /// It holds; so a solution of Horn clauses says.
    HornClauses,
    /// These assertions could not be shown to hold.
    Unknown(Vec<Span>),
}

/// Why what a program asserts holds, for a certificate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Shown {
    /// Nothing is asserted, or nothing is shown.
    #[default]
    Nothing,
    /// By the invariants.
    Invariants,
    /// By Horn clauses.
    HornClauses,
}

/// What must hold for every assertion: the name of the question, the place of the assertion, the question.
pub(crate) fn questions(model: &Model, invariant: &Invariant) -> Vec<(String, Span, Question)> {
    let mut questions = Vec::new();
    for (role, code) in model.roles.iter().enumerate() {
        for (number, start) in code.starts.iter().enumerate() {
            for (at, asserted) in start.asserts.iter().enumerate() {
                let question = Invariant::asserted_at_start(model, role, asserted);
                questions.push((format!("assert-start-{role}-{number}-{at}"), asserted.span, question));
            }
        }
        for (number, step) in code.steps.iter().enumerate() {
            for (at, asserted) in step.asserts.iter().enumerate() {
                let question = invariant.asserted(model, role, step, asserted);
                questions.push((format!("assert-{role}-{number}-{at}"), asserted.span, question));
            }
        }
    }
    questions
}

/// Adds to a proof whether what the program asserts holds.
pub(crate) fn with_property(
    model: &Model,
    mut proof: Proof,
    solver: &mut Solver,
    options: &Options<'_>,
) -> Result<Proof, SolverError> {
    if !model.has_assertions() {
        return Ok(proof);
    }
    let Some(model) = with_guesses(model, &proof.basis.guesses) else { return Ok(proof) };
    let mut failed = failing(&model, &proof.basis.invariant, solver)?;
    for richness in [Richness::Plain, Richness::Rich] {
        if failed.is_empty() {
            break;
        }
        // More facts than those that the proof rests on do no harm to it.
        let invariant = infer(&model, richness, solver, options.stop)?;
        failed = failing(&model, &invariant, solver)?;
        proof.invariants = Planner::new(&model).invariants(&invariant);
        proof.basis.invariant = invariant;
    }
    (proof.property, proof.basis.property) = if failed.is_empty() {
        (Property::Invariants, Shown::Invariants)
    } else if by_clauses(&model, &proof.basis.invariant, options) {
        (Property::HornClauses, Shown::HornClauses)
    } else {
        (Property::Unknown(failed), Shown::Nothing)
    };
    Ok(proof)
}

/// The assertions that do not follow from the invariant.
fn failing(model: &Model, invariant: &Invariant, solver: &mut Solver) -> Result<Vec<Span>, SolverError> {
    let mut failing = Vec::new();
    for (_, span, question) in questions(model, invariant) {
        if !failing.contains(&span) && solver.ask(&question.declarations, &question.formula(), &[])?.0 == Answer::Sat {
            failing.push(span);
        }
    }
    Ok(failing)
}

/// Whether a solver finds a solution of the clauses. One that does not, for whatever reason, shows nothing.
fn by_clauses(model: &Model, invariant: &Invariant, options: &Options<'_>) -> bool {
    !(options.stop)() && horn::holds(&horn::script(model, invariant), &options.solver).unwrap_or(false)
}
