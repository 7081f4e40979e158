//! Pictures and pages about results, and the files that they are written to.

mod check;
pub(crate) mod collection;
mod files;
mod repaired;

pub(crate) use check::{check_page, endings, run_view, verdict_class};
pub(crate) use files::Files;
pub(crate) use repaired::{repaired, shown as patched};
