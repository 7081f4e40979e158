//! No claim is ever wrong: on random finite programs, what is claimed is compared with a machine that has store buffers, and with the exact checker.
//!
//! `STEADFAST_PROGRAMS` is how many programs are tried, `STEADFAST_SEED` with which seed the first is made.

// A test that is skipped, and one with numbers worth reading, say so.
#![allow(clippy::print_stdout)]

mod machine;
mod solver;

use solver::solver;
use steadfast_graph::random::{Config, Focus, program_of_seed};
use steadfast_ir::Program;
use steadfast_lang::{Template, parse_template};
use steadfast_prove::{Claim, Options, Outcome, SolverOptions, prove};
use steadfast_robust::{Model, Notion, Verdict};
use steadfast_span::SourceFile;

fn claim(program: &Program, template: &Template) -> Option<Claim> {
    let options = Options { solver: SolverOptions::default(), stop: &|| false };
    match prove(program, template, &options) {
        Outcome::Proved(proof) => Some(proof.claim),
        Outcome::NotProved(_) => None,
        other => panic!("{other:?}\n{program}"),
    }
}

fn finite(program: &Program) -> Template {
    Template { many: vec![false; program.threads.len()], arrays: Vec::new(), anything: None }
}

fn is_trace_robust(program: &Program) -> bool {
    let mut options = steadfast_robust::Options::new(Model::Tso, Notion::Graph);
    options.spin = false;
    matches!(steadfast_robust::check(program, &options).verdict, Verdict::Robust)
}

fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

#[test]
fn claims_about_random_programs_hold() {
    if !solver("z3") {
        return;
    }
    let (first, count) = (number("STEADFAST_SEED", 1), number("STEADFAST_PROGRAMS", 150));
    let mut claims = std::collections::BTreeMap::new();
    for seed in first..first + count {
        let focus = [Focus::Mixed, Focus::Contention, Focus::Fences][(seed % 3) as usize];
        let config = Config { focus, small: true, branches: 20, ..Config::default() };
        let program = program_of_seed(seed, &config);
        let claim = claim(&program, &finite(&program));
        *claims.entry(claim).or_insert(0) += 1;
        let holds = match claim {
            None | Some(Claim::SafeByAbstraction) => true,
            Some(Claim::TraceRobust) => is_trace_robust(&program) && machine::is_state_robust(&program),
            Some(Claim::ValueTraceRobust | Claim::StateRobust) => machine::is_state_robust(&program),
        };
        assert!(holds, "seed {seed}: {claim:?} is claimed of\n{program}");
    }
    println!("{claims:?}");
}

fn template(text: &str) -> (Program, Template) {
    let file = SourceFile::new("test.sf", text);
    let (parsed, template) = parse_template(&file);
    (parsed.program.unwrap_or_else(|| panic!("{:?}\n{text}", parsed.diagnostics)), template.expect("a template"))
}

fn claimed(text: &str) -> Option<Claim> {
    let (program, template) = template(text);
    claim(&program, &template)
}

/// Each of these is refuted by one row of the table of moves: a prover without that row accepts it.
#[test]
fn programs_behind_the_rows_of_the_table() {
    if !solver("z3") {
        return;
    }
    let mutants = [
        "x.store(1); let r = y.load(); observe(r);",
        "y.store(1); let s = x.swap(1); observe(s);",
        "x.store(0); let r = y.load(); observe(r);",
        "y.store(1); let s = x.swap(1); observe(s);",
        "x.store(1); let r = y.load(); observe(r);",
        "let t = y.swap(1); let s = x.load(); observe(s + t);",
        "x.store(1); let r = y.load(); observe(r);",
        "y.store(1); let s = x.compare_exchange(0, 1); observe(s);",
        "x.store(0); let r = y.load(); observe(r);",
        "y.store(1); let s = x.compare_exchange(0, 1); observe(s);",
        "x.store(1); let r = y.load(); observe(r);",
        "y.store(1); let s = x.compare_exchange(1, 1); observe(s);",
        "x.store(1); let r = y.load(); observe(r);",
        "y.store(1); fence(seq_cst); x.wait(0);",
        "y.store(2); x.store(2);",
        "y.store(1); x.store(1); let r = y.load(); observe(r);",
    ];
    for pair in mutants.chunks(2) {
        let text = format!("atomic<int> x, y;\nthread one {{ {} }}\nthread two {{ {} }}", pair[0], pair[1]);
        check_against_machine(&text);
    }
    let array = "atomic<int> a[2], x;\nthread one { let i = 0; a[i].store(1); i = 1; let r = a[i].load(); observe(r); }\n\
                 thread two { a[1].store(1); fence(seq_cst); let s = a[0].load(); observe(s); }";
    check_against_machine(array);
}

/// Whatever is claimed of a text holds of its finite instance.
fn check_against_machine(text: &str) {
    let file = SourceFile::new("test.sf", text);
    let instance = steadfast_lang::Instance { copies: 2, values: 4, cells: 2 };
    let program = steadfast_lang::parse_instance(&file, instance).program.expect("an instance");
    match claimed(text) {
        None | Some(Claim::SafeByAbstraction) => {}
        Some(Claim::TraceRobust) => assert!(is_trace_robust(&program), "{text}"),
        Some(claim) => assert!(machine::is_state_robust(&program), "{claim:?} {text}"),
    }
}

#[test]
fn store_buffering_is_not_proved_and_is_with_fences() {
    if !solver("z3") {
        return;
    }
    let text = |fence: &str| {
        format!(
            "atomic<int> x, y;\nthreads a {{ loop {{ x.store(1); {fence} let r = y.load(); observe(r); }} }}\nthreads b {{ loop {{ y.store(1); {fence} let r = x.load(); observe(r); }} }}"
        )
    };
    assert_eq!(claimed(&text("fence(seq_cst);")), Some(Claim::TraceRobust));
    assert!(!matches!(claimed(&text("")), Some(Claim::TraceRobust | Claim::ValueTraceRobust | Claim::StateRobust)));
}
