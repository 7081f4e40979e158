//! The rules of TSO one by one, each with a program that tells it from its neighbours; and triangular-race freedom, which implies robustness.
#![allow(missing_docs)]

use steadfast_ir::Program;
use steadfast_lang::{Dialect, parse};
use steadfast_model::Notion;
use steadfast_robust::{Options, Supported, Verdict, check, triangular_race};
use steadfast_span::SourceFile;
use steadfast_twin::{Answer, Depth, Judgement, Question, Subject, judge, sample};

/// The checker under all settings, the axioms and the machine with store buffers agree that the answer is this.
fn agree(threads: &str, answer: Answer) {
    let text = format!("atomic<u8> x, y, z;\n{threads}");
    let program = parse(&SourceFile::new("tso.sf", text), Dialect::Steadfast).program.expect("a program");
    let question = Question { model: Supported::Tso, subject: Subject::Graph };
    assert_eq!(judge(&program, question, Depth::Thorough), Judgement::Agree(answer), "{threads}");
}

/// Two threads, each of which stores to its own location, does something, and loads the other's.
fn store_buffering(between: &str) -> String {
    let thread = |name: &str, mine: &str, other: &str| {
        let between = between.replace("MINE", mine);
        format!("thread {name} {{ {mine}.store(1); {between} let r = {other}.load(); }}\n")
    };
    thread("left", "x", "y") + &thread("right", "y", "x")
}

#[test]
fn a_store_can_wait_while_later_loads_are_served() {
    agree(&store_buffering(""), Answer::NotRobust);
    agree("thread left { x.store(1); let r = y.load(); } thread right { y.store(1); }", Answer::Robust);
}

#[test]
fn orderings_and_other_fences_do_not_matter() {
    agree(&store_buffering("fence(acq_rel);"), Answer::NotRobust);
    let thread =
        |name, mine, other| format!("thread {name} {{ {mine}.store(1, seq_cst); let r = {other}.load(seq_cst); }}\n");
    agree(&(thread("left", "x", "y") + &thread("right", "y", "x")), Answer::NotRobust);
}

#[test]
fn locked_instructions_and_sc_fences_drain_the_buffer() {
    agree(&store_buffering("fence(seq_cst);"), Answer::Robust);
    agree(&store_buffering("z.fetch_add(1);"), Answer::Robust);
    agree("thread left { x.swap(1); let r = y.load(); } thread right { y.swap(1); let r = x.load(); }", Answer::Robust);
    agree("thread left { x.store(1); y.fetch_add(0); } thread right { y.store(1); x.fetch_add(0); }", Answer::Robust);
}

#[test]
fn so_does_a_compare_and_swap_that_fails() {
    agree(&store_buffering("z.compare_exchange(7, 1);"), Answer::Robust);
    agree(
        "thread left { x.store(1); y.compare_exchange(7, 1); } thread right { y.store(1); x.compare_exchange(7, 1); }",
        Answer::Robust,
    );
}

#[test]
fn a_thread_learns_nothing_from_its_own_store() {
    agree(&store_buffering("let s = MINE.load();"), Answer::NotRobust);
}

#[test]
fn but_it_does_from_the_store_of_another_thread() {
    agree(
        "thread left { x.store(1); z.store(1); } thread right { y.store(1); let s = z.load(); let r = x.load(); }",
        Answer::Robust,
    );
    agree(
        "thread left { x.store(1); y.store(1); } thread right { let s = y.load(); let r = x.load(); }",
        Answer::Robust,
    );
}

#[test]
fn stores_stay_in_order() {
    agree("thread left { x.store(1); y.store(2); } thread right { y.store(1); x.store(2); }", Answer::Robust);
    agree("thread left { x.store(1); y.store(1); } thread right { y.store(2); let r = x.load(); }", Answer::NotRobust);
}

#[test]
fn a_write_overtakes_behind_an_early_load() {
    agree("thread left { x.store(1); let r = y.load(); } thread right { y.store(1); x.store(2); }", Answer::NotRobust);
}

#[test]
fn all_threads_see_stores_in_one_order() {
    agree(
        "thread left { x.store(1); } thread right { y.store(1); }
         thread one { let r = x.load(); let s = y.load(); } thread two { let r = y.load(); let s = x.load(); }",
        Answer::Robust,
    );
}

#[test]
fn a_wait_that_is_blocked_can_go_on_with_a_stale_value() {
    let thread = |name, mine, other| format!("thread {name} {{ {mine}.store(1); {other}.wait(0); }}\n");
    agree(&(thread("left", "x", "y") + &thread("right", "y", "x")), Answer::NotRobust);
}

#[test]
fn without_triangular_races_a_program_is_robust() {
    let options = Options::new(Supported::Tso, Notion::Graph);
    let mut free = 0;
    for seed in 0..4_000 {
        let program: Program = sample(seed, Subject::Graph);
        if matches!(triangular_race(&program, &options).verdict, Verdict::Robust) {
            free += 1;
            let verdict = check(&program, &options).verdict;
            assert!(!matches!(verdict, Verdict::NotRobust(_)), "seed {seed}: {program}");
        }
    }
    assert!(free > 400, "only {free} programs are free of triangular races");
}
