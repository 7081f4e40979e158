//! The codes of errors about Steadfast's own language, with what `steadfast explain` says about each.

use steadfast_diag::Code;

/// Every code of this file: the code, a title, and a paragraph.
pub(crate) static CODES: &[(Code, &str, &str)] = &[];
