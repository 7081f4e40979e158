//! No claim is ever wrong: on random finite programs, what is claimed is compared with a machine that has store buffers, and with the exact checker.
//!
//! `STEADFAST_PROGRAMS` is how many programs are tried, `STEADFAST_SEED` with which seed the first is made.

use crate::machine;
use crate::solver::solver;
use std::time::Duration;
use steadfast_ir::Program;
use steadfast_lang::{Template, parse_template};
use steadfast_model::Notion;
use steadfast_prove::{Claim, Options, ProofResult, Property, SolverOptions, prove};
use steadfast_robust::{Supported, Verdict};
use steadfast_span::SourceFile;
use steadfast_twin::random::{Config, Focus, program_of_seed};

fn claim(program: &Program, template: &Template) -> Option<(Claim, Property)> {
    let solver = SolverOptions { timeout: Duration::from_secs(2), ..SolverOptions::default() };
    match prove(program, template, &Options { solver, stop: &|| false }) {
        ProofResult::Proved(proof) => Some((proof.claim, proof.property)),
        ProofResult::NotProved(_) => None,
        other => panic!("{other:?}\n{program}"),
    }
}

fn finite(program: &Program) -> Template {
    Template { many: vec![false; program.threads.len()], ..Template::default() }
}

fn is_trace_robust(program: &Program) -> bool {
    let mut options = steadfast_robust::Options::new(Supported::Tso, Notion::Graph);
    options.spin = false;
    // A program that fails is not asked any further.
    matches!(steadfast_robust::check(program, &options).verdict, Verdict::Robust | Verdict::Failed(_))
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
        let assertions = if seed % 2 == 0 { 15 } else { 0 };
        let config = Config { focus, small: true, branches: 20, assertions, ..Config::default() };
        let program = program_of_seed(seed, &config);
        let (claim, property) = claim(&program, &finite(&program)).unzip();
        let asserted = matches!(property, Some(Property::Invariants | Property::HornClauses));
        *claims.entry((claim, asserted)).or_insert(0) += 1;
        assert!(!asserted || !machine::can_fail(&program), "seed {seed}: assertions are claimed to hold of\n{program}");
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
    claim(&program, &template).map(|(claim, _)| claim)
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

/// What a text asserts, with invariants of its own.
fn property(text: &str) -> Option<Property> {
    let (program, template) = template(text);
    claim(&program, &template).map(|(_, property)| property)
}

const COUNTERS: &str = "atomic<int> x, y;
mutex m;
threads worker {
    loop { OUTSIDE m.lock(); INSIDE let a = x.load(); x.store(a + 1); BETWEEN let b = y.load(); y.store(b + 2); m.unlock(); fence(seq_cst); }
}
thread watcher {
    loop { m.lock(); let a = x.load(); let b = y.load(); assert(b == a + a); m.unlock(); fence(seq_cst); }
}";

#[test]
fn invariants_in_the_text_help_and_are_not_believed() {
    if !solver("z3") {
        return;
    }
    let with = |outside: &str, inside: &str, between: &str| {
        property(&COUNTERS.replace("OUTSIDE", outside).replace("INSIDE", inside).replace("BETWEEN", between))
    };
    let helped = with("invariant(m == 1 || y == x + x);", "invariant(y == x + x);", "invariant(y == x + x - 2);");
    assert_eq!(helped, Some(Property::Invariants));
    let not_enough = with("", "invariant(y == x + x);", "");
    assert!(matches!(not_enough, Some(Property::Unknown(_))), "{not_enough:?}");
    let wrong = with("invariant(y == x + x);", "invariant(y == x + x);", "invariant(y == x + x);");
    assert!(matches!(wrong, Some(Property::Unknown(_))), "{wrong:?}");
}

#[test]
fn horn_clauses_find_what_simple_facts_do_not_say() {
    if !solver("z3") {
        return;
    }
    let text = |number: u8| {
        format!(
            "atomic<int> x;\nthreads a {{ loop {{ x.fetch_add(3); }} }}\nthread b {{ let r = x.load(); assert(r != {number}); }}"
        )
    };
    assert_eq!(property(&text(4)), Some(Property::HornClauses));
    assert!(matches!(property(&text(6)), Some(Property::Unknown(_))));
}

/// What a failed round of a spin loop has read does not count for states, unless something is asserted about it.
#[test]
fn an_assertion_about_a_temporary_counts() {
    if !solver("z3") {
        return;
    }
    let text = "atomic<int> x, y;\nthread one { x.store(1); assert(y.load() == 0); }\nthread two { y.store(1); fence(seq_cst); let r = x.load(); y.store(0); observe(r); }";
    assert!(!matches!(property(text), Some(Property::Invariants | Property::HornClauses)));
    check_against_machine(text);
}
