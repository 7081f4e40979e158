//! Asking, without dying of an answer.

use std::panic::{AssertUnwindSafe, catch_unwind};
use steadfast_ir::Program;
use steadfast_robust::{Options, Outcome, check, triangular_race};

/// The checker failed, which is a mistake of the tool. What it was, it has said on standard error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct InternalError;

/// Asks a question. One program that the checker cannot cope with should not take the results of the others away.
pub(crate) fn ask(program: &Program, options: &Options<'_>) -> Result<Outcome, InternalError> {
    // A question is only read, and an answer that was not finished is dropped.
    catch_unwind(AssertUnwindSafe(|| check(program, options))).map_err(|_| InternalError)
}

/// Asks about triangular races.
pub(crate) fn ask_triangular(program: &Program, options: &Options<'_>) -> Result<Outcome, InternalError> {
    catch_unwind(AssertUnwindSafe(|| triangular_race(program, options))).map_err(|_| InternalError)
}
