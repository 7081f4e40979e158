//! Pictures and pages about results.

mod check;
pub(crate) mod collection;
mod repaired;

pub(crate) use check::{check_page, endings, picture, run_view, verdict_class};
pub(crate) use repaired::{repaired, shown as patched};
