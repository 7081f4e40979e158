//! Pictures and pages about results, and the files that they are written to.

mod check;
mod files;
mod repaired;

pub(crate) use check::{check_page, told};
pub(crate) use files::Files;
pub(crate) use repaired::repaired;
