//! Asking, without dying of an answer.

use std::panic::{AssertUnwindSafe, catch_unwind};
use steadfast_ir::Program;
use steadfast_robust::{Options, Outcome, check};

/// The checker failed, which is a mistake of the tool. What it was, it has said on standard error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct InternalError;

/// Asks a question. One program that the checker cannot cope with should not take the results of the others away.
pub(crate) fn ask(program: &Program, options: &Options<'_>) -> Result<Outcome, InternalError> {
    // A question is only read, and an answer that was not finished is dropped.
    catch_unwind(AssertUnwindSafe(|| check(program, options))).map_err(|_| InternalError)
}
