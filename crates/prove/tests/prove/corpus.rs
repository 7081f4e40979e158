//! The programs of the CAV 2018 paper: what is claimed of each, and that it holds of a finite instance; certificates; and what is left when something is broken.

use crate::solver::solver;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;
use steadfast_ir::Program;
use steadfast_lang::{Instance, LEAVES_INSTANCE, Template, parse_instance, parse_template};
use steadfast_model::Notion;
use steadfast_prove::certificate::{self, Refused};
use steadfast_prove::{Claim, Options, Proof, ProofResult, SolverError, SolverOptions, find_solver, prove};
use steadfast_robust::{Limits, Supported, Verdict};
use steadfast_span::SourceFile;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/proofs")
}

pub(crate) fn source(name: &str) -> SourceFile {
    let path = folder().join(format!("{name}.sf"));
    SourceFile::new(name, fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display())))
}

fn template(file: &SourceFile) -> (Program, Template) {
    let (parsed, template) = parse_template(file);
    (
        parsed.program.unwrap_or_else(|| panic!("{}: {:?}", file.name(), parsed.diagnostics)),
        template.expect("a template"),
    )
}

pub(crate) fn proved(file: &SourceFile) -> ProofResult {
    let (program, template) = template(file);
    prove(&program, &template, &Options { solver: SolverOptions::default(), stop: &|| false })
}

fn proof(name: &str) -> Proof {
    match proved(&source(name)) {
        ProofResult::Proved(proof) => proof,
        other => panic!("{name}: {other:?}"),
    }
}

pub(crate) const IMMEDIATE: [&str; 21] = [
    "message-passing",
    "simple-dekker",
    "dekker",
    "peterson",
    "bakery",
    "dijkstra",
    "spinlock",
    "ticket-lock",
    "burns",
    "szymanski",
    "lamport",
    "clh-lock",
    "parker",
    "pgsql",
    "alternating-bit",
    "increase-sequence",
    "task-scheduling",
    "nbw-w-5r",
    "nbw-w-wr",
    "seqlock",
    "cilk",
];

pub(crate) const REASONED: [(&str, Claim); 14] = [
    ("dc-locking", Claim::TraceRobust),
    ("inline-pgsql", Claim::TraceRobust),
    ("lifo-iwsq", Claim::TraceRobust),
    ("anchor-iwsq", Claim::TraceRobust),
    ("r-detour", Claim::ValueTraceRobust),
    ("r-detours", Claim::ValueTraceRobust),
    ("sb-detours", Claim::ValueTraceRobust),
    ("sb-detours-coh", Claim::ValueTraceRobust),
    ("write-r", Claim::ValueTraceRobust),
    ("write-r-coh", Claim::ValueTraceRobust),
    ("nbw-w-lr-rl", Claim::StateRobust),
    ("chase-lev", Claim::SafeByAbstraction),
    ("fifo-iwsq", Claim::SafeByAbstraction),
    ("mcs-lock", Claim::SafeByAbstraction),
];

#[test]
fn twenty_one_programs_need_no_solver() {
    for name in IMMEDIATE {
        let proof = proof(name);
        assert_eq!((proof.claim, proof.questions), (Claim::TraceRobust, 0), "{name}");
    }
}

#[test]
fn the_others_are_settled() {
    if !solver("z3") {
        return;
    }
    for (name, claim) in REASONED {
        assert_eq!(proof(name).claim, claim, "{name}");
    }
}

#[test]
fn every_file_is_in_the_table() {
    let mut names: Vec<String> = fs::read_dir(folder())
        .expect("the corpus")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.is_file())
        .map(|path| path.file_stem().expect("a name").to_string_lossy().into_owned())
        .collect();
    names.sort();
    let mut known: Vec<&str> = IMMEDIATE.iter().copied().chain(REASONED.iter().map(|(name, _)| *name)).collect();
    known.sort_unstable();
    assert_eq!(names, known);
}

/// The exact verdict of a small instance, as far as integers stay within it; nothing if it is too large.
pub(crate) fn instance_is_robust(file: &SourceFile, values: u16) -> Option<bool> {
    let instance = Instance { copies: 2, values, cells: u32::from(values) };
    let program = parse_instance(file, instance).program.expect("an instance");
    let mut options = steadfast_robust::Options::new(Supported::Tso, Notion::Graph);
    options.spin = false;
    options.limits = Limits { states: Some(300_000), memory: None, time: Some(Duration::from_secs(60)) };
    match steadfast_robust::check(&program, &options).verdict {
        Verdict::Robust => Some(true),
        Verdict::Unsupported(why) if why == LEAVES_INSTANCE => Some(true),
        Verdict::NotRobust(_) => Some(false),
        _ => None,
    }
}

#[test]
fn instances_of_trace_robust_programs_are_robust() {
    let robust = REASONED.iter().filter(|(_, claim)| *claim == Claim::TraceRobust).map(|(name, _)| *name);
    let mut decided = 0;
    for name in IMMEDIATE.into_iter().chain(robust) {
        let verdict = instance_is_robust(&source(name), 4);
        assert_ne!(verdict, Some(false), "{name}");
        decided += usize::from(verdict.is_some());
    }
    assert!(decided >= 15, "{decided}");
}

#[test]
fn certificates_are_checked_by_two_solvers_and_refused_if_tampered_with() {
    if !solver("z3") || !solver("cvc5") {
        return;
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("certificate");
    for name in ["dc-locking", "r-detours", "nbw-w-lr-rl", "message-passing"] {
        let file = source(name);
        let (program, template) = template(&file);
        let proof = proof(name);
        certificate::write(&folder, file.text(), &program, &template, &proof).expect("a folder");
        for solver in ["z3", "cvc5"] {
            let options = SolverOptions { program: solver.into(), ..SolverOptions::default() };
            let accepted =
                certificate::verify(&folder, &options, &|| false).unwrap_or_else(|why| panic!("{name}: {why}"));
            assert_eq!(accepted.claim, proof.claim);
        }
    }
    let verify = || certificate::verify(&folder, &SolverOptions::default(), &|| false);
    let file = source("dc-locking");
    let (program, template) = template(&file);
    let proof = proof("dc-locking");
    let write = || certificate::write(&folder, file.text(), &program, &template, &proof).expect("a folder");
    // A question less, another program, a stronger invariant, a stronger claim.
    write();
    let question = fs::read_dir(folder.join("questions")).expect("questions").next().expect("one").expect("one").path();
    fs::remove_file(question).expect("removed");
    assert!(matches!(verify(), Err(Refused::Tampered(_))));
    write();
    let broken = file.text().replace("lock.lock();", "");
    fs::write(folder.join("program.sf"), broken).expect("written");
    assert!(verify().is_err());
    write();
    let basis = fs::read_to_string(folder.join("certificate.json")).expect("a certificate");
    fs::write(
        folder.join("certificate.json"),
        basis.replacen("\"facts\": [\n    [\n      [", "\"facts\": [\n    [\n      [\n        \"never\",", 1),
    )
    .expect("written");
    assert!(verify().is_err());
    write();
    fs::write(folder.join("certificate.json"), "{").expect("written");
    assert!(matches!(verify(), Err(Refused::Malformed(_))));
    write();
    assert!(verify().is_ok());
}

#[test]
fn a_solver_that_fails_proves_nothing() {
    let (program, template) = template(&source("dc-locking"));
    for (name, solver) in [("missing", "no-such-solver"), ("silent", "true"), ("babbling", "yes")] {
        let options =
            Options { solver: SolverOptions { program: solver.into(), ..SolverOptions::default() }, stop: &|| false };
        assert!(matches!(prove(&program, &template, &options), ProofResult::Inconclusive(_)), "{name}");
    }
    if find_solver("z3".as_ref()).is_some() {
        let stop = Options { solver: SolverOptions::default(), stop: &|| true };
        assert!(matches!(prove(&program, &template, &stop), ProofResult::Inconclusive(SolverError::Interrupted)));
    }
}
