//! Proves that a program is robust against TSO for any number of threads and unbounded data.
//!
//! The method is that of Bouajjani, Enea, Mutluergil and Tasiran, *Reasoning about TSO programs using reduction and abstraction* (CAV 2018), with corrections and with the claims that
//! `docs/prove.md` explains. A store is harmless if it can move to an earlier time, or if the loads that overtake it can move to a later time. Both are questions about two threads, whatever
//! the number of threads is. An SMT solver answers them, with the help of invariants that are found by elimination.
//!
//! Deviations from the paper:
//! 1. Invariants and abstractions are found, not written by hand. A fact about two threads mentions registers only, so no question is about three threads.
//! 2. Where only states are compared, a failed round of a spin loop is left out, because it changes nothing.
//! 3. A load of what its own thread has stored cannot go where another value would lead.
//! 4. A store and a load of an equal value do not commute, as they do in the paper (`docs/prove.md` has an example). Our claims are therefore graded.
//!
//! Where there is no proof, [`InstanceResults`] decides small finite instances: is the program at fault, or only the proof?
//!
//! Invariants: no solver is started if none is needed; a claim is made only if all its questions are answered with "unsat"; the basis of a claim can be written to files and checked
//! again ([`certificate`]).

mod abstraction;
pub mod certificate;
mod encode;
mod facts;
mod horn;
mod infer;
mod instances;
mod invariant;
mod movers;
mod overtaking;
mod plan;
mod property;
mod sample;
mod solver;
mod steps;
mod system;
mod term;

pub use instances::{
    DecidedInstance, InstanceOptions, InstanceResults, SmallAssertions, SmallInstances, abstracted_load,
};
pub use invariant::UnprovedInvariant;
pub use movers::{Claim, Direction};
pub use plan::{Failure, Proof, Reason, WriteProof};
pub use property::Property;
pub use solver::{SolverError, SolverOptions, find as find_solver};
pub use system::{Guess, Unsupported};

use abstraction::AbstractionSearch;
use facts::Richness;
use plan::Planner;
use property::with_property;
use solver::Solver;
use steadfast_ir::Program;
use steadfast_lang::Template;
use system::System;

/// Options of a proof attempt.
pub struct Options<'a> {
    /// The solver.
    pub solver: SolverOptions,
    /// Called from time to time: whether to give up.
    pub stop: &'a dyn Fn() -> bool,
}

/// The result of a proof attempt.
#[derive(Debug)]
pub enum ProofResult {
    /// There is a proof.
    Proved(Proof),
    /// There is no proof. The program may be robust nevertheless.
    NotProved(Failure),
    /// The solver failed, gave no answer, or was interrupted.
    Inconclusive(SolverError),
    /// The program has features that proofs do not support.
    Unsupported(Unsupported),
}

/// Whether proofs support all features of a template.
pub fn supports(program: &Program, template: &Template) -> Result<(), Unsupported> {
    System::of(program, template).map(|_| ())
}

/// Tries to prove that a template is robust.
pub fn prove(program: &Program, template: &Template, options: &Options<'_>) -> ProofResult {
    let system = match System::of(program, template) {
        Ok(system) => system,
        Err(problem) => return ProofResult::Unsupported(problem),
    };
    attempt(&system, options).unwrap_or_else(|error| ProofResult::Inconclusive(error.or_interrupted(options.stop)))
}

fn attempt(system: &System, options: &Options<'_>) -> Result<ProofResult, SolverError> {
    let planner = Planner::new(system);
    if planner.is_immediate() && !system.has_assertions() && !system.has_stated() {
        return Ok(ProofResult::Proved(planner.immediate()));
    }
    let mut solver = Solver::start(&options.solver, &encode::prelude(system))?;
    let proof = match robust(system, &planner, &mut solver, options)? {
        Ok(proof) => proof,
        Err(failure) => return Ok(ProofResult::NotProved(failure)),
    };
    let mut proof = with_property(system, proof, &mut solver, options)?;
    proof.questions = solver.questions;
    Ok(ProofResult::Proved(proof))
}

/// Proves that a template, or an abstraction of it, is robust.
fn robust(
    system: &System,
    planner: &Planner<'_>,
    solver: &mut Solver,
    options: &Options<'_>,
) -> Result<Result<Proof, Failure>, SolverError> {
    if planner.is_immediate() {
        let mut proof = planner.immediate();
        if system.has_stated() {
            proof.basis.invariant = infer::infer(system, Richness::Plain, solver, options.stop)?;
        }
        return Ok(Ok(proof));
    }
    let mut first = None;
    for richness in [Richness::Plain, Richness::Rich] {
        let invariant = infer::infer(system, richness, solver, options.stop)?;
        let failure = match planner.prove(&invariant, solver, options.stop)? {
            Ok(proof) => return Ok(Ok(proof)),
            Err(failure) => failure,
        };
        let mut search = AbstractionSearch { solver, stop: options.stop };
        if let Some(proof) = search.abstracted(system, &invariant, &failure)? {
            return Ok(Ok(proof));
        }
        first = first.or(Some(failure));
    }
    first.map(Err).ok_or_else(|| SolverError::Unknown("nothing was tried".into()))
}
