//! A proof as files: the program, what the proof rests on, and every question with the answer "unsat", each a script for any solver.
//!
//! Nothing in a certificate is believed. Checking it reads the program again, works out which questions have to be answered for what is claimed, compares them with the files, and asks a solver
//! all of them.

use crate::abstraction::with_guesses;
use crate::encode;
use crate::facts::Fact;
use crate::horn;
use crate::invariant::{Invariant, Question, Spot};
use crate::model::{Guess, Model};
use crate::movers::Claim;
use crate::plan::{Basis, Planner, Proof, Reason};
use crate::property::Shown;
use crate::solver::{Answer, Solver, SolverError, SolverOptions};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::Path;
use std::{fs, io};
use steadfast_ir::Program;
use steadfast_lang::{Template, parse_template};
use steadfast_span::SourceFile;

/// The file with what a proof rests on.
const BASIS: &str = "certificate.json";
/// The file with the program.
const PROGRAM: &str = "program.sf";
/// The folder with the questions.
const QUESTIONS: &str = "questions";
/// The file with Horn clauses, whose answer must be "sat": they have a solution.
const CLAUSES: &str = "clauses.smt2";
/// The form of the files.
const VERSION: u32 = 2;

/// Two points, and the registers of threads there that never hold the same.
type Differing = (Spot, Spot, Vec<(usize, usize)>);

#[derive(Serialize, Deserialize)]
struct Certificate {
    version: u32,
    claim: Claim,
    guesses: Vec<(usize, usize, Guess)>,
    /// Why what is asserted holds.
    property: Shown,
    writes: Vec<(Reason, Claim)>,
    idle: Vec<(usize, usize)>,
    facts: Vec<Vec<Vec<Fact>>>,
    apart: Vec<(Spot, Spot)>,
    differ: Vec<Differing>,
}

/// Why a certificate is not accepted.
#[derive(Debug, thiserror::Error)]
pub enum Refused {
    /// A file cannot be read.
    #[error("{0} cannot be read: {1}")]
    Unreadable(String, io::Error),
    /// A file is not what it should be.
    #[error("{0}")]
    Malformed(String),
    /// The questions are not those that the claim needs.
    #[error("the question {0} is missing, superfluous or different from what the claim needs")]
    Tampered(String),
    /// A solver says that there is such a state.
    #[error("the solver does not agree on the question {0}")]
    Wrong(String),
    /// The solver let us down.
    #[error("question {0}: {1}")]
    Solver(String, SolverError),
}

/// What a certificate that was accepted shows.
#[derive(Clone, Debug)]
pub struct Accepted {
    /// What holds of the program.
    pub claim: Claim,
    /// The name of the program.
    pub name: String,
    /// How many questions the solver answered.
    pub questions: usize,
    /// Whether its assertions are shown to hold, too.
    pub asserted: bool,
}

/// Writes the certificate of a proof into a folder, which is made if necessary.
pub fn write(folder: &Path, text: &str, program: &Program, template: &Template, proof: &Proof) -> io::Result<usize> {
    let Some((model, questions)) = Model::of(program, template).ok().and_then(|model| {
        let model = with_guesses(&model, &proof.basis.guesses)?;
        let questions = Planner::new(&model).questions(&proof.basis)?;
        Some((model, questions))
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
        fs::write(inside.join(format!("{name}.smt2")), script(&model, question))?;
    }
    let clauses = folder.join(CLAUSES);
    match clauses_of(&model, &proof.basis) {
        Some(text) => fs::write(clauses, text)?,
        None if clauses.exists() => fs::remove_file(clauses)?,
        None => {}
    }
    Ok(questions.len())
}

fn certificate(proof: &Proof) -> Certificate {
    let basis = &proof.basis;
    let sorted = |pairs: BTreeSet<(Spot, Spot)>| pairs.into_iter().collect();
    let mut differ: Vec<Differing> = Vec::new();
    let keys: BTreeSet<(Spot, Spot)> = basis.invariant.differ.keys().copied().collect();
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

/// The Horn clauses that the proof rests on, if it does.
fn clauses_of(model: &Model, basis: &Basis) -> Option<String> {
    (basis.property == Shown::HornClauses).then(|| horn::script(model, &basis.invariant))
}

fn script(model: &Model, question: &Question) -> String {
    format!("{}{}(assert {})\n(check-sat)\n", encode::prelude(model), question.declarations, question.formula())
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
    let model = Model::of(&program, &template).map_err(|error| Refused::Malformed(error.to_string()))?;
    let model = with_guesses(&model, &certificate.guesses)
        .ok_or_else(|| Refused::Malformed("the abstracted reads do not exist".into()))?;
    let claim = certificate.claim;
    let basis = basis(&model, certificate)?;
    let questions = Planner::new(&model)
        .questions(&basis)
        .ok_or_else(|| Refused::Malformed("the reasons do not fit the writes of the program".into()))?;
    compare(folder, &model, &questions)?;
    ask(&model, &questions, options, stop)?;
    if let Some(clauses) = clauses_of(&model, &basis) {
        if read(CLAUSES)? != clauses {
            return Err(Refused::Tampered(CLAUSES.into()));
        }
        match horn::holds(&clauses, options) {
            Ok(true) => {}
            Ok(false) => return Err(Refused::Wrong(CLAUSES.into())),
            Err(error) => return Err(Refused::Solver(CLAUSES.into(), error.or_interrupted(stop))),
        }
    }
    let asserted = basis.property != Shown::Nothing;
    Ok(Accepted { claim, name: program.name, questions: questions.len(), asserted })
}

/// What the certificate says, if it makes sense for this program and its claim is not stronger than its parts.
fn basis(model: &Model, certificate: Certificate) -> Result<Basis, Refused> {
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
    let shape = certificate.facts.len() == model.roles.len()
        && certificate.facts.iter().zip(&model.roles).all(|(points, role)| {
            points.len() == role.points.len() && points.iter().flatten().all(|fact| fact.is_sensible(model, role))
        });
    let spot = |&(role, point): &Spot| model.roles.get(role).is_some_and(|role| point < role.points.len());
    let apart = certificate.apart.iter().all(|(one, other)| spot(one) && spot(other) && one <= other);
    let register = |spot: &Spot, reg: usize| reg < model.roles[spot.0].registers.len();
    let differ = certificate.differ.iter().all(|(one, other, registers)| {
        spot(one) && spot(other) && registers.iter().all(|&(a, b)| register(one, a) && register(other, b))
    });
    if !shape || !apart || !differ {
        return malformed("the invariant does not fit the program");
    }
    let starts = crate::invariant::start_pairs(model);
    let apart: rustc_hash::FxHashSet<(Spot, Spot)> = certificate.apart.iter().copied().collect();
    let met = starts
        .iter()
        .any(|(one, other)| apart.contains(&crate::invariant::pair((one.0, one.1.to), (other.0, other.1.to))));
    if met {
        return malformed("threads are said to be apart that start together");
    }
    let mut invariant = Invariant { facts: certificate.facts.clone(), apart, ..Invariant::none(model) };
    for (one, other, registers) in certificate.differ.iter().cloned() {
        for (a, b) in registers {
            invariant.differ.entry((one, other)).or_default().insert((a, b));
            invariant.differ.entry((other, one)).or_default().insert((b, a));
        }
    }
    let Certificate { writes: choices, idle, guesses, property, .. } = certificate;
    Ok(Basis { invariant, choices, idle, guesses, property })
}

fn compare(folder: &Path, model: &Model, questions: &[(String, Question)]) -> Result<(), Refused> {
    let unreadable = |error| Refused::Unreadable(QUESTIONS.to_owned(), error);
    let mut files = BTreeSet::new();
    for entry in fs::read_dir(folder.join(QUESTIONS)).map_err(unreadable)? {
        files.insert(entry.map_err(unreadable)?.file_name().to_string_lossy().into_owned());
    }
    for (name, question) in questions {
        let file = format!("{name}.smt2");
        let text = fs::read_to_string(folder.join(QUESTIONS).join(&file)).unwrap_or_default();
        if !files.remove(&file) || text != script(model, question) {
            return Err(Refused::Tampered(name.clone()));
        }
    }
    files.into_iter().next().map_or(Ok(()), |name| Err(Refused::Tampered(name)))
}

fn ask(
    model: &Model,
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
    let mut solver = Solver::start(options, &encode::prelude(model)).map_err(failed("start"))?;
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
