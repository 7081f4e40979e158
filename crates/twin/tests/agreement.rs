//! The checker and its twins agree on a fixed set of random programs. `cargo xtask fuzz` asks about many more.
#![allow(missing_docs)]

use steadfast_robust::Supported;
use steadfast_twin::{Budget, Campaign, Depth, Question, Subject, Tally};

/// How many programs each question is asked about.
const PROGRAMS: u64 = 1_500;

/// Asks a question and insists on agreement.
fn agreed(model: Supported, subject: Subject, programs: u64) -> Tally {
    let question = Question { model, subject };
    let seed = 1;
    let tally = Campaign { question, seed, depth: Depth::Quick, budget: Budget::Programs(programs), jobs: 1 }.run();
    let findings: Vec<String> = tally.findings.iter().take(3).map(ToString::to_string).collect();
    assert!(findings.is_empty(), "{question}, seeds from {seed}\n{}", findings.join("\n"));
    assert!(tally.skipped * 20 < tally.programs, "{question}: {} programs were too large", tally.skipped);
    tally
}

/// Both answers have to occur often enough for the comparison to mean something.
fn not_one_sided(model: Supported, subject: Subject) {
    // Some programs are larger.
    let programs = match subject {
        Subject::Settings => PROGRAMS / 20,
        Subject::Indices => PROGRAMS / 5,
        _ => PROGRAMS,
    };
    let tally = agreed(model, subject, programs);
    assert!(tally.robust * 4 > tally.programs, "only {} are robust", tally.robust);
    let violations = tally.not_robust + tally.races;
    assert!(violations * 40 > tally.programs, "only {violations} are not");
}

/// Asks about a subject under every model.
fn under_every_model(subject: Subject) {
    for question in Question::all().into_iter().filter(|question| question.subject == subject) {
        not_one_sided(question.model, subject);
    }
}

#[test]
fn graph() {
    under_every_model(Subject::Graph);
}

#[test]
fn letter() {
    under_every_model(Subject::Letter);
}

#[test]
fn observational() {
    under_every_model(Subject::Observational);
}

#[test]
fn races() {
    under_every_model(Subject::Races);
}

#[test]
fn indices() {
    under_every_model(Subject::Indices);
}

#[test]
fn settings() {
    under_every_model(Subject::Settings);
}

#[test]
fn the_samples_contain_what_the_reductions_work_on() {
    use steadfast_ir::Instr;
    let programs: Vec<_> = (0..400).map(|seed| steadfast_twin::sample(seed, Subject::Graph)).collect();
    let count = |wanted: &dyn Fn(&steadfast_ir::Program) -> bool| programs.iter().filter(|p| wanted(p)).count();
    let twins =
        count(&|p| p.threads.iter().enumerate().any(|(at, t)| p.threads.iter().skip(at + 1).any(|u| t.code == u.code)));
    let has = |wanted: fn(&Instr) -> bool| count(&|p| p.threads.iter().flat_map(|t| &t.code).any(|i| wanted(&i.op)));
    assert!(twins > 60, "{twins} programs with equal threads");
    assert!(has(|op| matches!(op, Instr::Lock(_))) > 5);
    assert!(has(|op| matches!(op, Instr::Assume(_))) > 5);
    assert!(has(|op| matches!(steadfast_ir::dataflow::place(op), Some(steadfast_ir::Place::Element { .. }))) > 20);
}

#[test]
fn the_number_of_workers_does_not_matter() {
    let question = Question { model: Supported::Rc20, subject: Subject::Observational };
    let run = |jobs| Campaign { question, seed: 9, depth: Depth::Quick, budget: Budget::Programs(200), jobs }.run();
    let (one, two) = (run(1), run(2));
    assert_eq!((one.robust, one.not_robust, one.over_reports), (two.robust, two.not_robust, two.over_reports));
}

/// Else the comparison of programs with indices would say nothing about translation.
#[test]
fn translation_decides_many_programs_with_indices() {
    let question = Question { model: Supported::Ra, subject: Subject::Indices };
    let decided = (0..400).filter(|&seed| {
        let outcome = steadfast_robust::check(&steadfast_twin::sample(seed, question.subject), &question.options());
        !outcome.translated.is_empty()
    });
    let decided = decided.count();
    assert!(decided > 25, "only {decided} of 400");
}
