//! Whether the assertions of a template hold: by its invariants, or else by Horn clauses.
//!
//! This is shown under SC, for the program or its abstraction. The proof of robustness carries it over to TSO: an assertion reads only registers, and a thread whose assertion has failed can
//! wait until all buffers are empty.

use crate::Options;
use crate::abstraction::with_guesses;
use crate::facts::Richness;
use crate::horn;
use crate::infer::infer;
use crate::invariant::{Invariant, Question};
use crate::plan::{Planner, Proof};
use crate::solver::{Answer, Solver, SolverError};
use crate::system::System;
use serde::{Deserialize, Serialize};
use steadfast_span::Span;

/// Whether the assertions hold under TSO.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Property {
    /// There are no assertions.
    Nothing,
    /// They follow from the invariants.
    Invariants,
    /// They hold because the Horn clauses have a solution.
    HornClauses,
    /// These assertions could not be shown to hold.
    Unknown(Vec<Span>),
}

/// Why the assertions hold, for a certificate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum PropertyProof {
    /// There are none, or they are not shown to hold.
    #[default]
    Nothing,
    /// By the invariants.
    Invariants,
    /// By Horn clauses.
    HornClauses,
}

/// The questions for every assertion: name, place of the assertion, question.
pub(crate) fn questions(system: &System, invariant: &Invariant) -> Vec<(String, Span, Question)> {
    let mut questions = Vec::new();
    for (role, code) in system.roles.iter().enumerate() {
        for (number, start) in code.starts.iter().enumerate() {
            for (at, asserted) in start.asserts.iter().enumerate() {
                let question = Invariant::asserted_at_start(system, role, asserted);
                questions.push((format!("assert-start-{role}-{number}-{at}"), asserted.span, question));
            }
        }
        for (number, step) in code.steps.iter().enumerate() {
            for (at, asserted) in step.asserts.iter().enumerate() {
                let question = invariant.asserted(system, role, step, asserted);
                questions.push((format!("assert-{role}-{number}-{at}"), asserted.span, question));
            }
        }
    }
    questions
}

/// Adds to a proof whether the assertions hold.
pub(crate) fn with_property(
    system: &System,
    mut proof: Proof,
    solver: &mut Solver,
    options: &Options<'_>,
) -> Result<Proof, SolverError> {
    if !system.has_assertions() {
        return Ok(proof);
    }
    let Some(system) = with_guesses(system, &proof.basis.guesses) else { return Ok(proof) };
    let mut failed = failing(&system, &proof.basis.invariant, solver)?;
    for richness in [Richness::Plain, Richness::Rich] {
        if failed.is_empty() {
            break;
        }
        // The proof may use more facts than it needs.
        let invariant = infer(&system, richness, solver, options.stop)?;
        failed = failing(&system, &invariant, solver)?;
        proof.invariants = Planner::new(&system).invariants(&invariant);
        proof.basis.invariant = invariant;
    }
    (proof.property, proof.basis.property) = if failed.is_empty() {
        (Property::Invariants, PropertyProof::Invariants)
    } else if by_clauses(&system, &proof.basis.invariant, options) {
        (Property::HornClauses, PropertyProof::HornClauses)
    } else {
        (Property::Unknown(failed), PropertyProof::Nothing)
    };
    Ok(proof)
}

/// The assertions that do not follow from the invariant.
fn failing(system: &System, invariant: &Invariant, solver: &mut Solver) -> Result<Vec<Span>, SolverError> {
    let mut failing = Vec::new();
    for (_, span, question) in questions(system, invariant) {
        if !failing.contains(&span) && solver.ask(&question.declarations, &question.formula(), &[])?.0 == Answer::Sat {
            failing.push(span);
        }
    }
    Ok(failing)
}

/// Whether a solver finds a solution of the clauses. If it finds none, for whatever reason, nothing is shown.
fn by_clauses(system: &System, invariant: &Invariant, options: &Options<'_>) -> bool {
    !(options.stop)() && horn::holds(&horn::script(system, invariant), &options.solver).unwrap_or(false)
}
