//! Around the runtime of the sanitizer: how programs are compiled with it ([`compiler`], [`rust`], [`standard_library`]), how they are run once ([`run`]) or often ([`session`]), how a run
//! is repeated ([`choice_log`]), and how its reports are read
//! ([`record`]), completed with names and lines ([`symbols`]), filtered ([`suppressions`]), collected ([`collection`]), shown ([`text`]) and made into execution graphs
//! that can be drawn ([`witness`]).
//!
//! Invariants: nothing here prints. A report that cannot be understood completely is shown as far as it can be.

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
