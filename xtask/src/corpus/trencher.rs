//! The programs of Trencher, the tool of ESOP 2013, under TSO.
//!
//! Most of them say in a comment whether they are robust. For the others the verdicts come from an independent sketch of the
//! algorithm, and from checks by hand.

use super::source::{Case, Source};
use std::sync::Arc;
use steadfast_lang::ExpectedVerdict::{self, NotRobust, Robust};
use steadfast_model::Notion;

/// The default directory of Trencher's programs, relative to the root of the repository.
pub(crate) const DIRECTORY: &str = "../shared/corpora/trencher";

/// The verdicts of files that do not say it in the usual words.
const KNOWN: [(&str, ExpectedVerdict); 17] = [
    ("pso.txt", Robust),
    ("spinlock.txt", Robust),
    ("trf.txt", Robust),
    ("memorax/bakery.bound2.fenced.txt", NotRobust),
    ("memorax/bakery.txt", NotRobust),
    ("memorax/burns.fenced.txt", Robust),
    ("memorax/burns.txt", NotRobust),
    ("memorax/clh.txt", NotRobust),
    ("memorax/dekker.txt", NotRobust),
    ("memorax/dekker2.txt", NotRobust),
    ("memorax/dijkstra.fenced.txt", NotRobust),
    ("memorax/dijkstra.txt", NotRobust),
    ("memorax/lamport_fast.fenced.txt", Robust),
    ("memorax/lamport_fast.txt", NotRobust),
    ("memorax/peterson.fenced.txt", Robust),
    // These two, and bakery, have counters without a bound; the violations show early.
    ("memorax/ticket_spin_lock.2.txt", NotRobust),
    ("memorax/ticket_spin_lock.txt", NotRobust),
];

/// The question about one of its programs. `None` if the checker cannot answer it yet.
pub(crate) fn case(source: &Source) -> Option<Case> {
    let model = "tso".parse().ok()?;
    let said = source.expectations.first().map(|expectation| expectation.verdict);
    let known = KNOWN.iter().find(|(file, _)| *file == source.name).map(|(_, verdict)| *verdict);
    Some(Case {
        file: source.name.clone(),
        program: Arc::clone(&source.program),
        model,
        notion: Notion::Graph,
        expected: said.or(known),
    })
}
