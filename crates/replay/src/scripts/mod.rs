//! Scripts for counterexamples: the same schedule, as statements for PostgreSQL.

mod application;
mod program;
mod templates;

pub use application::{Locked, of_application};
pub use program::{CausalVerdict, Disagreement, Replayed, of_program, on_causal_store};
pub use templates::of_templates;

use steadfast_txn::template::Level;

/// The statement that begins a transaction at a level.
pub fn begin(level: Level) -> String {
    let name = match level {
        Level::Rc => "READ COMMITTED",
        Level::Si => "REPEATABLE READ",
        Level::Ssi => "SERIALIZABLE",
    };
    format!("BEGIN ISOLATION LEVEL {name}")
}
