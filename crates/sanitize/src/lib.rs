//! The driver of the sanitizer's runtime. It compiles programs with the runtime ([`compiler`], [`rust`], [`standard_library`]), runs them once ([`run`]) or often ([`session`]), repeats
//! a run ([`choice_log`]), and reads reports
//! ([`record`]), adds names and lines ([`symbols`]), filters ([`suppressions`]), collects ([`collection`]) and shows them ([`text`]), and makes execution graphs
//! of them that can be drawn ([`witness`]).
//!
//! Invariants: nothing here prints. A report that is only partly understood is shown as far as possible.

pub mod choice_log;
pub mod collection;
mod command_line;
pub mod compiler;
pub mod finding;
pub mod length;
mod names;
pub mod record;
pub mod run;
pub mod rust;
pub mod session;
pub mod standard_library;
pub mod suppressions;
pub mod symbols;
pub mod text;
pub mod witness;
