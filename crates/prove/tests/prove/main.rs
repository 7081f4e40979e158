//! What is proved, and that it is true.

// A test that is skipped, and one with numbers worth reading, say so.
#![allow(clippy::print_stdout)]

mod corpus;
mod machine;
mod mutants;
mod solver;
mod soundness;
