//! How large a program may become. Beyond these sizes no analysis would end, and a mistake is more likely than intent.

/// Threads, all copies counted.
pub(super) const THREADS: u16 = 64;

/// Shared locations, all cells of arrays counted.
pub(super) const LOCATIONS: u16 = 4096;

/// Instructions of all threads together, after inlining.
pub(super) const INSTRUCTIONS: usize = 100_000;

/// Variables and temporaries of one thread, after inlining.
pub(super) const REGISTERS: usize = 1024;

/// Statements that are looked at while inlining. A tower of functions can be exponential without containing one instruction.
pub(super) const STEPS: usize = 1_000_000;

/// How deep lowering may recurse, which is through statements, expressions and calls. More than one function body can need.
pub(super) const DEPTH: usize = 3 * crate::MAX_NESTING;
