//! The maximum sizes of a program. Beyond these, no analysis would end, and the size is probably a mistake.

/// Threads, with all copies.
pub(super) const THREADS: u16 = 64;

/// Shared locations, with all cells of arrays.
pub(super) const LOCATIONS: u16 = 4096;

/// Instructions of all threads together, after inlining.
pub(super) const INSTRUCTIONS: usize = 100_000;

/// Variables and temporaries of one thread, after inlining.
pub(super) const REGISTERS: usize = 1024;

/// Statements visited while inlining. Nested calls can be exponential without containing one instruction.
pub(super) const STEPS: usize = 1_000_000;

/// The maximum depth of lowering, which recurses through statements, expressions and calls. It is more than one function body can need.
pub(super) const DEPTH: usize = 3 * crate::MAX_NESTING;
