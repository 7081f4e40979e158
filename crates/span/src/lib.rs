//! Files, byte spans, tokens and typed indices: how all other crates refer to places.
//!
//! Invariants: a [`Span`] is a half-open byte range inside the [`SourceFile`] it came from. Spans are plain data, and stay
//! valid however often the program with them is transformed.

mod file;
mod index;
mod token;

pub use file::{LineColumn, SourceFile};
pub use index::{Index, IndexVec};
pub use token::{Token, tokens};

/// A half-open range of bytes in one source file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// The first byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// A span over the bytes `start..end`.
    pub const fn new(start: u32, end: u32) -> Self {
        Self { start, end }
    }

    /// The smallest span that contains both.
    #[must_use]
    pub fn to(self, other: Self) -> Self {
        Self::new(self.start.min(other.start), self.end.max(other.end))
    }

    /// The span as a range of indices into the text.
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
}
