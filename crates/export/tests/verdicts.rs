//! SPIN's verdicts on litmus tests whose answer is known.

mod support;

use steadfast_export::{PromelaOptions, Supported};
use steadfast_model::Notion;
use support::litmus::parse;

const MODELS: [(Supported, &str); 3] = [(Supported::Ra, "ra"), (Supported::Sra, "sra"), (Supported::Rc20, "rc20")];

/// Checks one program against all models and notions. `not_robust` lists those that it is *not* robust against, of `ra`, `sra` and
/// `rc20`, with the prefix `obs-` for the observational notion.
fn check(threads: &[&str], not_robust: &str) {
    check_for(threads, not_robust, "robust");
}

/// The same, but for the given assertion.
fn check_for(threads: &[&str], violating: &str, assertion: &str) {
    let program = parse(threads);
    let violating: Vec<&str> = violating.split_whitespace().collect();
    for (notion, prefix) in [(Notion::Graph, ""), (Notion::Observational, "obs-")] {
        for (model, name) in MODELS {
            let name = format!("{prefix}{name}");
            let expected = violating.contains(&name.as_str()).then(|| assertion.to_owned());
            // Merging values must not matter; once is enough to see that.
            let classes: &[bool] = if notion == Notion::Graph { &[true, false] } else { &[true] };
            for &critical_values in classes {
                let options = PromelaOptions { critical_values, ..PromelaOptions::new(model, notion) };
                let Some(outcome) = support::spin(&program, options) else { return };
                assert_eq!(outcome.violated, expected, "{name}, critical values {critical_values}\n{program}");
            }
        }
    }
}

#[test]
fn store_buffering() {
    check(&["!x=1; ra=!y; use ra", "!y=1; rb=!x; use rb"], "ra sra rc20 obs-ra obs-sra obs-rc20");
}

#[test]
fn store_buffering_that_nobody_observes() {
    check(&["!x=1; ra=!y", "!y=1; rb=!x"], "ra sra rc20");
}

#[test]
fn store_buffering_is_repaired_by_fences_on_both_sides_only() {
    check(&["x=1; F; ra=y; use ra", "y=1; F; rb=x; use rb"], "");
    check(&["x=1; F; ra=y; use ra", "y=1; rb=x; use rb"], "ra sra rc20 obs-ra obs-sra obs-rc20");
}

#[test]
fn message_passing() {
    check(&["x=1; !y=1", "ra=!y; rb=x; use rb"], "");
    check(&["x=1; y=1", "ra=y; rb=x; use rb"], "rc20 obs-rc20");
    check(&["x=1; y=1", "ra=y; rb=x"], "rc20");
    check(&["x=1; Frel; y=1", "ra=y; Facq; rb=x; use rb"], "");
    check(&["x=1; Frel; y=1", "ra=y; rb=x; use rb"], "rc20 obs-rc20");
}

#[test]
fn two_plus_two_writes_violate_ra_but_not_sra() {
    check(&["!x=1; !y=2", "!y=1; !x=2"], "ra rc20 obs-ra obs-rc20");
}

#[test]
fn independent_reads_of_independent_writes() {
    let all = "ra sra rc20 obs-ra obs-sra obs-rc20";
    check(&["!x=1", "!y=1", "ra=!x; rb=!y; use rb", "rc=!y; rd=!x; use rd"], all);
    check(&["!x=1", "!y=1", "ra=!x; F; rb=!y; use rb", "rc=!y; F; rd=!x; use rd"], "");
}

#[test]
fn a_blocked_wait_can_be_enabled_by_a_stale_value() {
    check(&["ra=y; x?0", "x=1; y=1"], "rc20 obs-rc20");
    check(&["ra=!y; x?0", "x=1; !y=1"], "");
    check(&["x=1; y?1", "y=1; x?1"], "");
}

#[test]
fn a_blocked_cas_can_be_enabled_by_a_stale_value() {
    check(&["ra=y; x:0>2", "x=1; y=1"], "rc20 obs-rc20");
    check(&["ra=!y; x:0>2", "x=1; !y=1"], "");
    // The stale value was overwritten by a read-modify-write, so nothing can come between.
    check(&["ra=y; x:0>2", "rb=x+1; y=1"], "");
}

#[test]
fn a_cas_is_checked_for_what_it_could_read() {
    check(&["ra=x~0>1; use ra", "rb=x~0>1; use rb"], "");
    // The CAS could fail on the stale 0. Under SRA as well: a failed CAS is a read.
    check(&["ra=y; rb=x~1>2", "x=1; y=1"], "rc20 obs-rc20");
    check(&["x=1; ra=y~1>2", "y=1; rb=x~1>2"], "ra sra rc20 obs-ra obs-sra obs-rc20");
    // A strong CAS on 0 cannot read the stale 0 (it was read by a read-modify-write); one that fails without a reason can.
    check(&["ra=y; rb=x~0>2", "rc=x+1; y=1"], "");
    check(&["ra=y; rb=x~~0>2", "rc=x+1; y=1"], "rc20 obs-rc20");
}

#[test]
fn release_sequences_continue_through_read_modify_writes() {
    check(&["x=1; !y=1", "ra=y+1", "!y?2; rb=x; use rb"], "");
    check(&["x=1; !y=1", "y=2", "!y?2; rb=x; use rb"], "ra sra rc20 obs-ra obs-sra obs-rc20");
}

#[test]
fn sc_fences_are_stronger_than_in_rc11() {
    check(&["x=1; F; y=1", "ra=y; z=1", "rb=z; F; rc=x; use rc"], "");
}

#[test]
fn the_order_of_sc_fences_counts_by_the_letter_only() {
    let program = parse(&["x=1; F", "F; y=1", "y=1; ra=x"]);
    for (fences_by_the_letter, expected) in [(false, None), (true, Some("robust".to_owned()))] {
        for model in [Supported::Ra, Supported::Sra, Supported::Rc20] {
            let options = PromelaOptions { fences_by_the_letter, ..PromelaOptions::new(model, Notion::Graph) };
            let Some(outcome) = support::spin(&program, options) else { return };
            assert_eq!(outcome.violated, expected, "{model:?}, by the letter: {fences_by_the_letter}");
        }
    }
}

#[test]
fn plain_accesses_must_be_ordered() {
    let all = "ra sra rc20 obs-ra obs-sra obs-rc20";
    check(&["n=1; !y=1", "!y?1; ra=n; use ra"], "");
    check_for(&["n=1; y=1", "y?1; ra=n"], "rc20 obs-rc20", "race_free");
    check_for(&["n=1", "ra=n"], all, "race_free");
    check_for(&["n=1", "n=2"], all, "race_free");
    check(&["ra=n", "rb=n"], "");
    // Two readers, the second of which hands over to a writer: the first read races under RC20 (POPL'21, Example 6.3).
    check_for(&["ra=n; y=1", "y?1; rb=n; !y=2", "!y?2; n=1"], "rc20 obs-rc20", "race_free");
}

#[test]
fn values_flow_through_registers_before_they_are_observed() {
    check(&["x=1; y=1", "ra=y; rb=x; z=rb"], "rc20 obs-rc20");
    // A clean read of the same register makes it trustworthy again.
    check(&["x=1; y=1", "ra=y; rb=x; rb=z; use rb"], "rc20");
}
