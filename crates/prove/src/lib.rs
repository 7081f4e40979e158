//! Proves that a program is robust against TSO for any number of threads and unbounded data.
//!
//! The method is that of Bouajjani, Enea, Mutluergil and Tasiran, *Reasoning about TSO programs using reduction and abstraction* (CAV 2018), with the corrections and the claims that
//! `docs/prove.md` explains. A store is harmless if it can be moved to an earlier time, or if the loads that overtake it can be moved to a later time; both are questions about two
//! different threads, whatever the number of threads is. They are answered by an SMT solver, with the help of invariants that are found by elimination.
//!
//! Invariants: no solver is started if none is needed; nothing is claimed if one question was not answered with "unsat"; everything that a claim rests on can be written down and
//! checked again ([`certificate`]).

mod abstraction;
pub mod certificate;
mod encode;
mod facts;
mod horn;
mod infer;
mod invariant;
mod model;
mod movers;
mod plan;
mod property;
mod reach;
mod sample;
mod solver;
mod steps;
mod term;

pub use invariant::Unshown;
pub use model::{Guess, Unsupported};
pub use movers::{Claim, Direction};
pub use plan::{Failure, Proof, Reason, WriteProof};
pub use property::Property;
pub use solver::{SolverError, SolverOptions, find as find_solver};

use abstraction::Search;
use facts::Richness;
use model::Model;
use plan::Planner;
use property::with_property;
use solver::Solver;
use steadfast_ir::Program;
use steadfast_lang::Template;

/// How to prove.
pub struct Options<'a> {
    /// The solver.
    pub solver: SolverOptions,
    /// Asked now and then: whether to give up.
    pub stop: &'a dyn Fn() -> bool,
}

/// What came of it.
#[derive(Debug)]
pub enum Outcome {
    /// It is robust, in this sense and for this reason.
    Proved(Proof),
    /// No proof was found. That alone does not make the program wrong.
    NotProved(Failure),
    /// The solver let us down, or was interrupted.
    Inconclusive(SolverError),
    /// The program is outside of what can be reasoned about.
    Unsupported(Unsupported),
}

/// Whether a template can be reasoned about at all.
pub fn understands(program: &Program, template: &Template) -> Result<(), Unsupported> {
    Model::of(program, template).map(|_| ())
}

/// Tries to prove that a template is robust.
pub fn prove(program: &Program, template: &Template, options: &Options<'_>) -> Outcome {
    let model = match Model::of(program, template) {
        Ok(model) => model,
        Err(problem) => return Outcome::Unsupported(problem),
    };
    attempt(&model, options).unwrap_or_else(|error| Outcome::Inconclusive(error.or_interrupted(options.stop)))
}

fn attempt(model: &Model, options: &Options<'_>) -> Result<Outcome, SolverError> {
    let planner = Planner::new(model);
    if planner.is_immediate() && !model.has_assertions() && !model.has_stated() {
        return Ok(Outcome::Proved(planner.immediate()));
    }
    let mut solver = Solver::start(&options.solver, &encode::prelude(model))?;
    let proof = match robust(model, &planner, &mut solver, options)? {
        Ok(proof) => proof,
        Err(failure) => return Ok(Outcome::NotProved(failure)),
    };
    let mut proof = with_property(model, proof, &mut solver, options)?;
    proof.questions = solver.questions;
    Ok(Outcome::Proved(proof))
}

/// Shows that a template is robust, or that an abstraction of it is.
fn robust(
    model: &Model,
    planner: &Planner<'_>,
    solver: &mut Solver,
    options: &Options<'_>,
) -> Result<Result<Proof, Failure>, SolverError> {
    if planner.is_immediate() {
        let mut proof = planner.immediate();
        if model.has_stated() {
            proof.basis.invariant = infer::infer(model, Richness::Plain, solver, options.stop)?;
        }
        return Ok(Ok(proof));
    }
    let mut first = None;
    for richness in [Richness::Plain, Richness::Rich] {
        let invariant = infer::infer(model, richness, solver, options.stop)?;
        let failure = match planner.prove(&invariant, solver, options.stop)? {
            Ok(proof) => return Ok(Ok(proof)),
            Err(failure) => failure,
        };
        let mut search = Search { solver, stop: options.stop };
        if let Some(proof) = search.abstracted(model, &invariant, &failure)? {
            return Ok(Ok(proof));
        }
        first = first.or(Some(failure));
    }
    first.map(Err).ok_or_else(|| SolverError::Unknown("nothing was tried".into()))
}
