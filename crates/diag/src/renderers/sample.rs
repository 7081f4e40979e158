//! Sample diagnostics for the tests of all renderers.

use crate::{Code, Diagnostic};
use steadfast_span::{SourceFile, Span};

const PROGRAM: &str = "\
atomic<u8> x;
atomic<u8> y;

thread left {
    x.store(1, release);
    let r = y.load(acquire);
}
";

/// A short program.
pub(crate) fn file() -> SourceFile {
    SourceFile::new("litmus/sb.sf", PROGRAM)
}

/// The span of the first occurrence of `part` in the program.
pub(crate) fn span_of(part: &str) -> Span {
    let start = PROGRAM.find(part).expect("the sample contains it") as u32;
    Span::new(start, start + part.len() as u32)
}

/// A verdict with every part that a diagnostic can have.
pub(crate) fn stale_read() -> Diagnostic {
    Diagnostic::error(Code("V0001"), "not robust: this load can read an overwritten value")
        .at(span_of("y.load(acquire)"), "may read 0, although `y` is 1")
        .context(span_of("x.store(1, release)"), "still on its way")
        .note("model: ra, notion: graph")
        .help("make both accesses `seq_cst`")
}

/// A warning about a whole file.
pub(crate) fn without_place() -> Diagnostic {
    Diagnostic::warning(Code("W0001"), "no thread\nat all")
}
