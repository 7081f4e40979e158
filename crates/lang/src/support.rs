//! What all parsers need: a guard against deep nesting, and names for programs without one.

use crate::codes;
use steadfast_diag::Diagnostic;
use steadfast_span::{SourceFile, Span};

/// Blocks and expressions may be nested this deep. Everything downstream may recurse over them.
pub const MAX_NESTING: usize = 200;

/// Counts how deep a recursive parser is.
#[derive(Debug, Default)]
pub(crate) struct Depth(usize);

impl Depth {
    /// Goes one level down. False, and no change, at the limit.
    pub(crate) fn enter(&mut self) -> bool {
        let allowed = self.0 < MAX_NESTING;
        self.0 += usize::from(allowed);
        allowed
    }

    /// Goes one level up again; to be called once per successful [`Depth::enter`].
    pub(crate) fn leave(&mut self) {
        self.0 -= 1;
    }
}

/// The error for what lies beyond [`MAX_NESTING`].
pub(crate) fn too_deep(span: Span) -> Diagnostic {
    let message = format!("the program is nested more than {MAX_NESTING} levels deep");
    Diagnostic::error(codes::TOO_DEEP, message).at(span, "this is one level too many")
}

/// What a program is called if its text does not say: the file's name without folder and extension.
pub(crate) fn program_name(file: &SourceFile) -> String {
    let stem = std::path::Path::new(file.name()).file_stem().and_then(|stem| stem.to_str());
    stem.unwrap_or(file.name()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depth_is_limited_and_recovers() {
        let mut depth = Depth::default();
        assert!((0..MAX_NESTING).all(|_| depth.enter()));
        assert!(!depth.enter());
        depth.leave();
        assert!(depth.enter());
    }
}
