//! Verdicts, their exit codes, and what is said about them.

use crate::steadfast::{check_text, steadfast};

const SB: &str = "corpus/litmus/sb.sf";
const MP: &str = "corpus/litmus/mp.sf";

#[test]
fn robust_is_0_and_says_what_was_shown() {
    let ended = steadfast(&["check", "--model", "ra", MP]);
    assert_eq!(ended.code, 0, "{ended:?}");
    assert!(ended.stdout.starts_with("corpus/litmus/mp.sf: robust (ra, graph): "), "{}", ended.stdout);
    assert!(ended.stdout.contains(" of the program, ") && ended.stdout.ends_with("; exhaustive\n"), "{}", ended.stdout);
    assert_eq!(ended.stderr, "");
}

#[test]
fn not_robust_is_1_and_shows_run_cycle_and_remedy() {
    let ended = steadfast(&["check", "--model", "ra", SB]);
    assert_eq!(ended.code, 1, "{ended:?}");
    for part in [
        "error[V0001]: not robust: this load can read an overwritten value",
        "^^^^^^^^^^^^^^^ (5) `second` may still read 0 here, from (1), although (2) has overwritten it",
        "1.  thread first   line 19  x.store(1, release)",
        "(5) x.load(acquire) —fr→ (2)",
        "between (2) and (3) in `first`, lines 19 and 20",
        "corpus/litmus/sb.sf: not robust (ra, graph): ",
    ] {
        assert!(ended.stdout.contains(part), "{part}\n{}", ended.stdout);
    }
}

#[test]
fn a_fence_is_not_recommended_where_there_is_one() {
    for model in ["ra", "rc20", "tso"] {
        let ended = steadfast(&["check", "--model", model, "corpus/litmus/sb-one-fence.sf"]);
        assert!(ended.stdout.contains("in `first`, lines 19 and 20"), "{model} {}", ended.stdout);
        assert!(!ended.stdout.contains("in `second`, lines"), "{model} {}", ended.stdout);
    }
    // The fence between two attempts of one thief is there; that before the attempt of the other one is missing.
    let ended = steadfast(&["check", "--model", "ra", "--jobs", "1", "corpus/programs/chase-lev-attempt.sf"]);
    assert!(ended.stdout.contains("put `fence(seq_cst)`\n             between"), "{}", ended.stdout);
    assert!(ended.stdout.contains("in `thief[1]`, lines 55 and 57"), "{}", ended.stdout);
}

#[test]
fn relaxed_message_passing_is_told_which_accesses_to_strengthen() {
    let ended = steadfast(&["check", "--model", "rc20", "corpus/litmus/mp-relaxed.sf"]);
    let help = "release and acquire are enough: make (3) `y.store(1, relaxed)` in line 17 `release`, \
                and make (4) `y.load(relaxed)` in line 21 `acquire`";
    assert!(ended.stdout.contains(help), "{}", ended.stdout);
}

#[test]
fn every_kind_of_violation_has_its_code() {
    for (file, options, code) in [
        (SB, vec!["--model=ra"], "V0001"),
        ("corpus/litmus/2+2w.sf", vec!["--model=ra"], "V0002"),
        ("corpus/litmus/mp-plain-relaxed.sf", vec!["--model=rc20"], "V0003"),
        ("corpus/litmus/assertion-under-sc.sf", vec!["--model=ra"], "V0004"),
        (SB, vec!["--model=ra", "--notion=observational"], "V0005"),
    ] {
        let arguments: Vec<_> = ["check", file].into_iter().chain(options).collect();
        let ended = steadfast(&arguments);
        assert_eq!(ended.code, 1, "{ended:?}");
        assert!(ended.stdout.contains(&format!("error[{code}]")), "{code}: {}", ended.stdout);
    }
    let ended = check_text("atomic<u8> x; thread t { let r = 1 / x.load(); observe(r); }", &["--model=ra"]);
    assert_eq!(ended.code, 1, "{ended:?}");
    assert!(ended.stdout.contains("error[V0006]: an expression has no value: division by zero"), "{}", ended.stdout);
}

#[test]
fn a_race_that_the_graph_does_not_show_is_called_doubtful() {
    let ask = |file: &str| steadfast(&["check", "--model", "rc20", "--notion", "observational", file]);
    let (real, doubtful) =
        (ask("corpus/litmus/unseen-read-two-releases.sf"), ask("corpus/litmus/unseen-read-behind-wait.sf"));
    assert_eq!((real.code, doubtful.code), (1, 1));
    assert!(real.stdout.contains("unseen read as 0, which is overwritten"), "{}", real.stdout);
    assert!(!real.stdout.contains("ordered after all") && doubtful.stdout.contains("ordered after all"));
}

#[test]
fn notes_tell_about_spin_loops_and_deadlocks() {
    let spinning = "atomic<u8> x; thread t { while (x.load(acquire) != 1) {} } thread u { x.store(1, release); }";
    let ended = check_text(spinning, &["--model=ra"]);
    assert!(ended.stdout.contains("note[N0001]: the spin loop in line 1 is treated as a wait"), "{}", ended.stdout);
    let blocked = "mutex a; mutex b; thread t { a.lock(); b.lock(); } thread u { b.lock(); a.lock(); }";
    let ended = check_text(blocked, &["--model=ra"]);
    assert_eq!(ended.code, 0, "{ended:?}");
    assert!(ended.stdout.contains("note[V0007]: some run ends with threads blocked for good: "), "{}", ended.stdout);
}

/// A violation that is found in passing does not hide a deadlock, if the whole program is explored for its assertions all the same.
#[test]
fn a_program_that_is_not_robust_may_also_block() {
    let text = "atomic<u8> x, y, z; mutex a; mutex b; thread t { x.store(1, relaxed); let r = y.load(relaxed); assert(r < 2); observe(r); }
        thread u { y.store(1, relaxed); let r = x.load(relaxed); observe(r); }
        thread v { a.lock(); b.lock(); } thread w { b.lock(); a.lock(); }
        thread p { let i = 0; while (i < 20) { z.store(i, relaxed); i = i + 1; } }";
    let ended = check_text(text, &["--model=ra"]);
    assert_eq!(ended.code, 1, "{ended:?}");
    assert!(ended.stdout.contains("note[V0007]: some run ends with threads blocked for good: "), "{}", ended.stdout);
}

#[test]
fn a_bound_is_3_and_says_which() {
    let ended = steadfast(&["check", "--model", "ra", "--max-states", "1000", "corpus/large/chase-lev-ra-24.sf"]);
    assert_eq!(ended.code, 3, "{ended:?}");
    assert!(ended.stdout.contains("warning[I0001]: inconclusive: the limit of 1000 states was reached"), "{ended:?}");
    assert!(!ended.stdout.contains("exhaustive"), "{}", ended.stdout);
}

#[test]
fn values_that_are_too_many_to_follow_are_a_bound_too() {
    // Five pairs of locations that threads go back and forth over, with all their values told apart; and a stale read that is noticed.
    let steps = |mine: &str, its: &str, first: &str, second: &str| -> String {
        let step = |pair: usize, value: usize| {
            let access = |loc: &str, what: &str| format!("{loc}{pair}.{what}({value}, relaxed);\n");
            access(mine, first) + &access(its, second)
        };
        (0..5)
            .flat_map(|pair| (1..256).map(move |value| (pair, value)))
            .map(|(pair, value)| step(pair, value))
            .collect()
    };
    let locations = [0, 1, 2, 3, 4].map(|pair| format!("atomic<u8> x{pair}; atomic<u8> y{pair};")).join("\n");
    let (ping, pong) = (steps("x", "y", "store", "wait"), steps("x", "y", "wait", "store"));
    let text = format!(
        "atomic<bool> f; atomic<u8> g;\n{locations}\nthread a {{ {ping} }}\nthread b {{ {pong} }}
        thread p {{ g.store(1, relaxed); f.store(true, relaxed); }}
        thread q {{ f.wait(true, relaxed); let r = g.load(relaxed); observe(r); }}"
    );
    let ended = check_text(&text, &["--model", "rc20", "--notion", "observational"]);
    assert_eq!(ended.code, 3, "{ended:?}");
    assert!(ended.stdout.contains("more than 4096 things to follow together"), "{}", ended.stdout);
}

#[test]
fn choosing_among_very_many_values_is_a_bound() {
    let bounded = |threads: &str, bound: &str| {
        let ended = check_text(&format!("atomic<u8> x; {threads}"), &["--model", "ra"]);
        assert_eq!(ended.code, 3, "{ended:?}");
        assert!(ended.stdout.contains(bound), "{}", ended.stdout);
    };
    bounded("thread t { x.store(any(0, 255) + any(0, 255) + any(0, 255)); }", "more than 2^18 local steps");
    bounded("thread t[3] { let r = any(0, 255); x.load(); x.store(r); }", "more than 2^22 initial states");
}

/// Each has more than 256 ways to start, and one that ends at once.
#[test]
fn every_way_to_start_is_explored() {
    let ends = |text: &str, arguments: &[&str], code| {
        let ended = check_text(&format!("atomic<bool> x, y; atomic<u8> z;\n{text}"), arguments);
        assert_eq!(ended.code, code, "{arguments:?}: {ended:?}");
    };
    let many = "choose { return; } or { z.store(any(0, 255), relaxed); }";
    let store_buffering = format!(
        "thread a {{ {many} or {{ x.store(1, relaxed); observe(y.load(relaxed)); }} }}
        thread b {{ y.store(1, relaxed); observe(x.load(relaxed)); }}"
    );
    for model in steadfast_robust::Supported::ALL {
        for notion in ["graph", "observational"] {
            ends(&store_buffering, &["--model", model.name(), "--notion", notion], 1);
        }
    }
    ends(&store_buffering, &["--trf"], 1);
    ends(&format!("thread a {{ {many} or {{ z.store(1); assert(false); }} }}"), &["--model", "ra"], 1);
    ends(&format!("thread b {{ assert(x.load() == 0); x.store(1); }} thread a {{ {many} }}"), &["--model", "ra"], 0);
}

#[test]
fn several_files_and_models_get_one_result_each_and_the_worst_decides() {
    let ended = steadfast(&["check", "--model", "ra,rc20", MP, SB]);
    assert_eq!(ended.code, 1, "{ended:?}");
    assert!(ended.stdout.ends_with("\n4 results: 2 robust, 2 not robust\n"), "{}", ended.stdout);
    assert_eq!(steadfast(&["check", SB, "nowhere.sf", MP]).code, 2);
    let bounded = ["check", "--max-states", "1000", "--model", "ra", "corpus/large/chase-lev-ra-24.sf", SB];
    assert_eq!(steadfast(&bounded).code, 1);
}

#[test]
fn all_models_can_be_asked_at_once() {
    let ended = steadfast(&["check", "--model", "all", "-f", "concise", MP]);
    assert_eq!(ended.stdout.lines().count(), steadfast_robust::Supported::ALL.len(), "{}", ended.stdout);
}

#[test]
fn triangular_races_are_a_question_of_their_own() {
    let triangle = "atomic<u8> x, y; thread t { x.store(1); let r = y.load(); } thread u { y.store(1); }";
    let ended = check_text(triangle, &["--trf", "-f", "concise"]);
    assert_eq!(ended.code, 1, "{ended:?}");
    assert!(ended.stdout.contains("triangular race (tso, trf)"), "{}", ended.stdout);
    assert_eq!(check_text(triangle, &["--model", "tso"]).code, 0);
    assert_eq!(check_text(triangle, &["--model", "tso", "--trf"]).code, 2);
}

#[test]
fn a_model_that_is_not_there_is_a_usage_error_with_a_hint() {
    let ended = steadfast(&["check", "--model", "power", MP]);
    assert_eq!((ended.code, ended.stdout.as_str()), (2, ""));
    let hint = format!("unknown model `power`; the models are {}", steadfast_robust::Supported::names());
    assert!(ended.stderr.contains(&hint), "{}", ended.stderr);
    assert_eq!(steadfast(&["check", "--max-memory", "4 parsecs", MP]).code, 2);
    assert_eq!(steadfast(&["check"]).code, 2);
    assert_eq!(steadfast(&["check", "--jobs", "0", MP]).code, 2);
}

#[test]
fn reductions_and_strategies_do_not_change_verdicts() {
    for option in ["--no-reduction=all", "--no-reduction=covering", "--joint", "--fences-by-the-letter", "--jobs=1"] {
        for (file, code) in [(MP, 0), (SB, 1)] {
            assert_eq!(steadfast(&["check", "--model", "ra", option, file]).code, code, "{option} {file}");
        }
    }
}

#[test]
fn quiet_keeps_violations() {
    let ended = steadfast(&["check", "--quiet", "--model", "ra", MP]);
    assert_eq!((ended.code, ended.stdout.as_str(), ended.stderr.as_str()), (0, "", ""));
    assert!(steadfast(&["check", "--quiet", "--model", "ra", SB]).stdout.contains("V0001"));
}

#[test]
fn statistics_tell_reductions_and_memory() {
    let ended = steadfast(&["check", "--statistics", "--no-reduction", "symmetry", MP]);
    assert!(ended.stdout.contains("reductions    classes, relevance, covering, translation"), "{}", ended.stdout);
    assert!(ended.stdout.contains("memory "), "{}", ended.stdout);
}

/// A race that stronger orderings remove, in a program that is not robust with them either.
#[test]
fn advice_claims_only_what_is_known() {
    let text = "plain<u8> d; atomic<u8> x; atomic<u8> y; atomic<u8> p; atomic<u8> q;
thread a { d = 1; x.store(1, release); }
thread b { if (x.load(relaxed) == 1) { y.store(1, release); } }
thread c { if (y.load(acquire) == 1) { let v = d; } }
thread e { p.store(1, release); let r = q.load(acquire); }
thread f { q.store(1, release); let r = p.load(acquire); }
";
    let ended = check_text(text, &["--model", "rc20"]);
    assert!(ended.stdout.contains("error[V0003]") && ended.stdout.contains("help: stronger orderings may help\n"));
    assert!(!ended.stdout.contains("the program is robust"), "{}", ended.stdout);
    assert_eq!(check_text(text, &["--model", "ra"]).code, 1);
}
