//! The codes of errors and warnings about text, with what `steadfast explain` says about each.

use steadfast_diag::Code;

/// The file is longer than [`crate::MAX_INPUT_BYTES`].
pub const TOO_LARGE: Code = Code("E0100");
/// The file is not text.
pub const BINARY: Code = Code("E0101");
/// There were more than [`crate::MAX_DIAGNOSTICS`] errors.
pub const TOO_MANY_ERRORS: Code = Code("E0102");
/// Blocks or expressions are nested more than [`crate::MAX_NESTING`] deep.
pub const TOO_DEEP: Code = Code("E0103");
/// The lowered program broke an invariant.
pub const MALFORMED: Code = Code("E0104");

/// Every code of this file: the code, a title, and a paragraph.
pub static CODES: &[(Code, &str, &str)] = &[];
