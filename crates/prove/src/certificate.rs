//! A proof as files: the program, the basis of the proof, and every question, each as a script for any solver that must answer "unsat".
//!
//! The check of a certificate trusts none of them. It reads the program, computes which questions the claim needs, compares them with the files, and asks a solver all of them.

use crate::abstraction::with_guesses;
use crate::encode;
use crate::facts::Fact;
use crate::horn;
use crate::invariant::{Invariant, Question, RolePoint};
use crate::movers::Claim;
use crate::plan::{Basis, Planner, Proof, Reason};
use crate::property::PropertyProof;
use crate::solver::{Answer, Solver, SolverError, SolverOptions};
use crate::system::{Guess, System};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::Path;
use std::{fs, io};
use steadfast_ir::Program;
use steadfast_lang::{Template, parse_template};
use steadfast_span::SourceFile;

/// The file with the basis of the proof.
const BASIS: &str = "certificate.json";
/// The file with the program.
const PROGRAM: &str = "program.sf";
/// The folder with the questions.
const QUESTIONS: &str = "questions";
/// The file with Horn clauses. The answer must be "sat": they have a solution.
const CLAUSES: &str = "clauses.smt2";
/// The version of the file format.
const VERSION: u32 = 2;

/// Two points, and pairs of registers that never hold the same value while two threads are there.
type Differing = (RolePoint, RolePoint, Vec<(usize, usize)>);

#[derive(Serialize, Deserialize)]
struct Certificate {
    version: u32,
    claim: Claim,
    guesses: Vec<(usize, usize, Guess)>,
    /// Why the assertions hold.
    property: PropertyProof,
    writes: Vec<(Reason, Claim)>,
    idle: Vec<(usize, usize)>,
    facts: Vec<Vec<Vec<Fact>>>,
    apart: Vec<(RolePoint, RolePoint)>,
    differ: Vec<Differing>,
}

/// Why a certificate is not accepted.
#[derive(Debug, thiserror::Error)]
pub enum Refused {
    /// A file cannot be read.
    #[error("{0} cannot be read: {1}")]
    Unreadable(String, io::Error),
    /// A file does not have the right form.
    #[error("{0}")]
    Malformed(String),
    /// The questions are not those that the claim needs.
    #[error("the question {0} is missing, superfluous or different from what the claim needs")]
    Tampered(String),
    /// The solver answers a question with "sat".
    #[error("the solver does not agree on the question {0}")]
    Wrong(String),
    /// The solver could not answer.
    #[error("question {0}: {1}")]
    Solver(String, SolverError),
}

/// What an accepted certificate shows.
#[derive(Clone, Debug)]
pub struct Accepted {
    /// The claim about the program.
    pub claim: Claim,
    /// The name of the program.
    pub name: String,
    /// How many questions the solver answered.
    pub questions: usize,
    /// Whether it also shows that the assertions hold.
    pub asserted: bool,
}

/// Writes the certificate of a proof into a folder, and creates the folder if necessary.
pub fn write(folder: &Path, text: &str, program: &Program, template: &Template, proof: &Proof) -> io::Result<usize> {
    let Some((system, questions)) = System::of(program, template).ok().and_then(|system| {
        let system = with_guesses(&system, &proof.basis.guesses)?;
        let questions = Planner::new(&system).questions(&proof.basis)?;
        Some((system, questions))
    }) else {
        return Err(io::Error::other("the proof does not fit the program"));
    };
    let inside = folder.join(QUESTIONS);
    if inside.exists() {
        fs::remove_dir_all(&inside)?;
    }
    fs::create_dir_all(&inside)?;
    fs::write(folder.join(PROGRAM), text)?;
    fs::write(folder.join(BASIS), serde_json::to_string_pretty(&certificate(proof)).map_err(io::Error::other)? + "\n")?;
    for (name, question) in &questions {
        fs::write(inside.join(format!("{name}.smt2")), script(&system, question))?;
    }
    let clauses = folder.join(CLAUSES);
    match clauses_of(&system, &proof.basis) {
        Some(text) => fs::write(clauses, text)?,
        None if clauses.exists() => fs::remove_file(clauses)?,
        None => {}
    }
    Ok(questions.len())
}

fn certificate(proof: &Proof) -> Certificate {
    let basis = &proof.basis;
    let sorted = |pairs: BTreeSet<(RolePoint, RolePoint)>| pairs.into_iter().collect();
    let mut differ: Vec<Differing> = Vec::new();
    let keys: BTreeSet<(RolePoint, RolePoint)> = basis.invariant.differ.keys().copied().collect();
    for (one, other) in keys {
        let registers = basis.invariant.differing_registers(one, other);
        if !registers.is_empty() {
            differ.push((one, other, registers));
        }
    }
    Certificate {
        version: VERSION,
        claim: proof.claim,
        guesses: basis.guesses.clone(),
        property: basis.property,
        writes: basis.choices.clone(),
        idle: basis.idle.clone(),
        facts: basis.invariant.facts.clone(),
        apart: sorted(basis.invariant.apart.iter().copied().collect()),
        differ,
    }
}

/// The Horn clauses, if the proof uses them.
fn clauses_of(system: &System, basis: &Basis) -> Option<String> {
    (basis.property == PropertyProof::HornClauses).then(|| horn::script(system, &basis.invariant))
}

fn script(system: &System, question: &Question) -> String {
    format!("{}{}(assert {})\n(check-sat)\n", encode::prelude(system), question.declarations, question.formula())
}

/// Checks a certificate.
pub fn verify(folder: &Path, options: &SolverOptions, stop: &dyn Fn() -> bool) -> Result<Accepted, Refused> {
    let read =
        |name: &str| fs::read_to_string(folder.join(name)).map_err(|error| Refused::Unreadable(name.to_owned(), error));
    let file = SourceFile::new(PROGRAM, read(PROGRAM)?);
    let (parsed, template) = parse_template(&file);
    let (Some(program), Some(template)) = (parsed.program, template) else {
        return Err(Refused::Malformed(format!("{PROGRAM} is not a program")));
    };
    let certificate: Certificate = serde_json::from_str(&read(BASIS)?)
        .map_err(|error| Refused::Malformed(format!("{BASIS} cannot be understood: {error}")))?;
    if certificate.version != VERSION {
        return Err(Refused::Malformed(format!("{BASIS} has version {}, not {VERSION}", certificate.version)));
    }
    let system = System::of(&program, &template).map_err(|error| Refused::Malformed(error.to_string()))?;
    let system = with_guesses(&system, &certificate.guesses)
        .ok_or_else(|| Refused::Malformed("the abstracted reads do not exist".into()))?;
    let claim = certificate.claim;
    let basis = basis(&system, certificate)?;
    let questions = Planner::new(&system)
        .questions(&basis)
        .ok_or_else(|| Refused::Malformed("the reasons do not fit the writes of the program".into()))?;
    compare(folder, &system, &questions)?;
    ask(&system, &questions, options, stop)?;
    if let Some(clauses) = clauses_of(&system, &basis) {
        if read(CLAUSES)? != clauses {
            return Err(Refused::Tampered(CLAUSES.into()));
        }
        match horn::holds(&clauses, options) {
            Ok(true) => {}
            Ok(false) => return Err(Refused::Wrong(CLAUSES.into())),
            Err(error) => return Err(Refused::Solver(CLAUSES.into(), error.or_interrupted(stop))),
        }
    }
    let asserted = basis.property != PropertyProof::Nothing;
    Ok(Accepted { claim, name: program.name, questions: questions.len(), asserted })
}

/// The basis of the proof, if it fits the program and the claim is not stronger than the claims of its parts.
fn basis(system: &System, certificate: Certificate) -> Result<Basis, Refused> {
    let malformed = |what: &str| Err(Refused::Malformed(what.to_owned()));
    let weakest = certificate.writes.iter().map(|(_, claim)| *claim).max().unwrap_or(Claim::TraceRobust);
    if certificate.claim < weakest {
        return malformed("the claim is stronger than what its parts show");
    }
    if !certificate.guesses.is_empty()
        && certificate
            .writes
            .iter()
            .any(|(reason, claim)| *reason != Reason::Nothing && *claim != Claim::SafeByAbstraction)
        || !certificate.guesses.is_empty() && certificate.claim != Claim::SafeByAbstraction
    {
        return malformed("an abstraction allows no stronger claim than safe-by-abstraction");
    }
    let shape = certificate.facts.len() == system.roles.len()
        && certificate.facts.iter().zip(&system.roles).all(|(points, role)| {
            points.len() == role.points.len() && points.iter().flatten().all(|fact| fact.is_sensible(system, role))
        });
    let spot = |&(role, point): &RolePoint| system.roles.get(role).is_some_and(|role| point < role.points.len());
    let apart = certificate.apart.iter().all(|(one, other)| spot(one) && spot(other) && one <= other);
    let register = |spot: &RolePoint, reg: usize| reg < system.roles[spot.0].registers.len();
    let differ = certificate.differ.iter().all(|(one, other, registers)| {
        spot(one) && spot(other) && registers.iter().all(|&(a, b)| register(one, a) && register(other, b))
    });
    if !shape || !apart || !differ {
        return malformed("the invariant does not fit the program");
    }
    let starts = crate::invariant::start_pairs(system);
    let apart: rustc_hash::FxHashSet<(RolePoint, RolePoint)> = certificate.apart.iter().copied().collect();
    let met = starts
        .iter()
        .any(|(one, other)| apart.contains(&crate::invariant::pair((one.0, one.1.to), (other.0, other.1.to))));
    if met {
        return malformed("threads are said to be apart that start together");
    }
    let mut invariant = Invariant { facts: certificate.facts.clone(), apart, ..Invariant::none(system) };
    for (one, other, registers) in certificate.differ.iter().cloned() {
        for (a, b) in registers {
            invariant.differ.entry((one, other)).or_default().insert((a, b));
            invariant.differ.entry((other, one)).or_default().insert((b, a));
        }
    }
    let Certificate { writes: choices, idle, guesses, property, .. } = certificate;
    Ok(Basis { invariant, choices, idle, guesses, property })
}

fn compare(folder: &Path, system: &System, questions: &[(String, Question)]) -> Result<(), Refused> {
    let unreadable = |error| Refused::Unreadable(QUESTIONS.to_owned(), error);
    let mut files = BTreeSet::new();
    for entry in fs::read_dir(folder.join(QUESTIONS)).map_err(unreadable)? {
        files.insert(entry.map_err(unreadable)?.file_name().to_string_lossy().into_owned());
    }
    for (name, question) in questions {
        let file = format!("{name}.smt2");
        let text = fs::read_to_string(folder.join(QUESTIONS).join(&file)).unwrap_or_default();
        if !files.remove(&file) || text != script(system, question) {
            return Err(Refused::Tampered(name.clone()));
        }
    }
    files.into_iter().next().map_or(Ok(()), |name| Err(Refused::Tampered(name)))
}

fn ask(
    system: &System,
    questions: &[(String, Question)],
    options: &SolverOptions,
    stop: &dyn Fn() -> bool,
) -> Result<(), Refused> {
    if questions.is_empty() {
        return Ok(());
    }
    let failed = |name: &str| {
        let name = name.to_owned();
        move |error: SolverError| Refused::Solver(name, error.or_interrupted(stop))
    };
    let mut solver = Solver::start(options, &encode::prelude(system)).map_err(failed("start"))?;
    for (name, question) in questions {
        if stop() {
            return Err(Refused::Solver(name.clone(), SolverError::Interrupted));
        }
        let (answer, _) = solver.ask(&question.declarations, &question.formula(), &[]).map_err(failed(name))?;
        if answer != Answer::Unsat {
            return Err(Refused::Wrong(name.clone()));
        }
    }
    Ok(())
}
