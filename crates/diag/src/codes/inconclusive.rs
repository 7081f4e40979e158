//! `I`: reasons why a check has no result. None of them says anything about the program.

use super::CodeInfo;
use crate::Code;

/// The limit of states was reached.
pub const STATE_BOUND: Code = Code("I0001");
/// The limit of memory was reached.
pub const MEMORY_BOUND: Code = Code("I0002");
/// The time limit was reached.
pub const TIME_BOUND: Code = Code("I0003");
/// The user interrupted the check.
pub const INTERRUPTED: Code = Code("I0004");

/// All reasons.
pub static CODES: &[CodeInfo] = &[
    CodeInfo {
        code: STATE_BOUND,
        title: "inconclusive: the bound on states was reached",
        explanation: "\
The check visited as many states as `--max-states` allows and found no
violation among them. That is not a proof: a state that was not visited may
have one. Only a search that has visited everything says `robust`.

Example: `steadfast check --max-states 1000000 big.sf` ends with exit code 3 and
this code if the program has more than a million states.

What to do: raise the bound, or make the program smaller. What helps most, in
this order: fewer threads (two or three usually show every violation), fewer
rounds of each loop, smaller types (`u2` or `0..=3` instead of `u8`), and fewer
shared locations.
",
    },
    CodeInfo {
        code: MEMORY_BOUND,
        title: "inconclusive: the bound on memory was reached",
        explanation: "\
The states that the check has to remember need more memory than `--max-memory`
allows. No violation was found among those that were visited, which is not a
proof that there is none. States are stored in full: a verdict never depends
on two of them having different hashes.

Example: `steadfast check --max-memory 2GiB big.sf`.

What to do: raise the bound if the machine has more memory, or make the program
smaller as I0001 describes. Several checks at the same time share the memory
of the machine; run them one after the other.
",
    },
    CodeInfo {
        code: TIME_BOUND,
        title: "inconclusive: the time limit was reached",
        explanation: "\
The check ran for as long as `--time-limit` allows and found no violation. That
is not a proof that there is none. Which states were visited by then depends on
the machine; the same limit may suffice on another one.

Example: `steadfast check --time-limit 60 big.sf` gives up after a minute, with
exit code 3.

What to do: raise the limit, use more processors with `--jobs`, or make the
program smaller as I0001 describes. For a bound that gives the same result on
every machine, use `--max-states`.
",
    },
    CodeInfo {
        code: INTERRUPTED,
        title: "inconclusive: the check was interrupted",
        explanation: "\
The check was stopped from outside, with Ctrl-C or by a signal. The numbers
that are shown are those of the part that was finished. No violation had been
found by then, which is not a proof that there is none.

Example: Ctrl-C during `steadfast check big.sf` shows the partial result and
ends with exit code 130. Files that were already checked keep their results.

What to do: run it again, perhaps with `--time-limit` or `--max-states` so that
it ends by itself.
",
    },
];
