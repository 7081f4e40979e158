//! The guard around every question to another crate: a panic there is a mistake of the tool, and becomes a message and an exit code. What is known
//! already stays, and other files and models are not affected.

use crate::codes;
use std::panic::{AssertUnwindSafe, catch_unwind};
use steadfast_diag::Diagnostic;

/// What fails if a test wants it: what we do and about which file or program, as `checking against ra lock.sf`.
const FAILS: &str = "STEADFAST_TEST_PANIC";

/// Asks a question about a file or a program, while we are `doing` something. What failed exactly is on standard error.
pub(crate) fn guarded<A>(doing: &str, subject: &str, question: impl FnOnce() -> A) -> Result<A, Diagnostic> {
    let is_wanted = || std::env::var(FAILS).is_ok_and(|wanted| wanted == format!("{doing} {subject}"));
    // A question is only read, and an answer that was not finished is dropped.
    let asked = AssertUnwindSafe(|| {
        assert!(!is_wanted(), "a test wants this to fail");
        question()
    });
    catch_unwind(asked).map_err(|_| internal_error(doing))
}

/// Says that the tool failed.
pub(crate) fn internal_error(doing: &str) -> Diagnostic {
    Diagnostic::error(codes::INTERNAL, format!("internal error while {doing}"))
        .help("please report this, with the program and the command line")
}
