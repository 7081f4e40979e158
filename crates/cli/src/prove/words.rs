//! What comes of proofs, in words.

use steadfast_lang::Instance;
use steadfast_prove::{Claim, Guess, SmallAssertions};

/// A claim in a word.
pub(crate) fn claimed(claim: Claim) -> &'static str {
    match claim {
        Claim::TraceRobust => "trace-robust",
        Claim::ValueTraceRobust => "value-trace-robust",
        Claim::StateRobust => "state-robust",
        Claim::SafeByAbstraction => "safe by abstraction",
    }
}

/// What a claim means.
pub(super) fn meaning(claim: Claim) -> &'static str {
    match claim {
        Claim::TraceRobust => "every run under TSO has the same trace as a run in which threads simply take turns",
        Claim::ValueTraceRobust => {
            "every run under TSO is, as far as values tell, the same as one in which threads simply take turns"
        }
        Claim::StateRobust => {
            "every state that TSO reaches with empty buffers is reached when threads simply take turns"
        }
        Claim::SafeByAbstraction => {
            "whatever holds of the program with the reads below abstracted, when threads simply take turns, holds of it under TSO"
        }
    }
}

/// What an abstracted read may yield.
pub(super) fn yielded(guess: Guess, read: &str) -> String {
    match guess {
        Guess::AtMost => format!("any value <= {read}"),
        Guess::AtLeast => format!("any value >= {read}"),
        Guess::Or(number) => format!("{read}, or {number}"),
    }
}

/// An instance, of a template with or without roles that any number of threads run.
pub(super) fn instance(instance: Instance, many: bool) -> String {
    let values = format!("integers from 0 to {}", instance.values - 1);
    if many { format!("{} threads of each kind and {values}", instance.copies) } else { values }
}

/// What small instances showed about assertions.
pub(super) fn asserted(asserted: &SmallAssertions, many: bool) -> String {
    let words = |one: &Instance| instance(*one, many);
    match (&asserted.failing, &asserted.coarse, asserted.holding.last()) {
        (Some(failing), ..) => format!("an assertion fails, already with {}", words(&failing.instance)),
        (_, Some(coarse), _) => format!(
            "its assertions could not be shown to hold: with {} the abstraction fails, which the program does not",
            words(coarse)
        ),
        (.., Some(holding)) => {
            format!("no assertion fails with {}; that none ever does could not be shown", words(holding))
        }
        _ => "its assertions could not be shown to hold, and no finite instance could be decided".into(),
    }
}
