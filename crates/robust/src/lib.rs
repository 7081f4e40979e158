//! Decides whether a program is robust: whether everything that it can do under a weak memory model it can also do under sequential consistency.
//!
//! A program is **robust** against a model M when every M-consistent execution graph that it generates is SC-consistent (hbSC = (po ∪ rf ∪ mo ∪ fr)⁺ is
//! irreflexive): *Robustness against release/acquire semantics*, PLDI'19, and *Verifying observational robustness against a C11-style memory model*,
//! POPL'21. The weak model is never run: if there is a violation, then there is an SC run whose next step could leave SC.
//!
//! Guarantee: the verdict is "robust" only after an exhaustive search, and "not robust" only with a witness. For graph robustness, which is decided exactly, the axioms of the `graph` crate confirm each
//! witness; if they do not, that is an internal error.
//! Observational robustness is sound (no violation is missed) and may report too much, as in the paper.
//!
//! Deviations from the papers, numbered:
//! 1. The search has two parts: first the program alone under SC, which gives its state graph; then a search over that graph for each overwritten write (`single`). The
//!    papers' joint views are the same rules over vectors (`joint`). They are used for the observational notion, and to test `single`.
//! 2. Critical values are computed from the accesses that the program really reaches; the user does not annotate them.
//! 3. Spin loops count as blocking; see `automaton`.
//! 4. Each model's file lists further ones.

mod append_vec;
mod automaton;
mod awareness;
mod by_translation;
mod check;
mod chunks;
mod decision;
mod early_search;
mod event;
mod explored;
mod flow;
mod joint;
mod lanes;
mod machine;
mod models;
mod monitor_layout;
mod ops;
mod options;
mod remaining;
mod single;
mod stale_writes;
mod sweep;
mod taint;
mod tracker;
mod translation;
mod triangular;
mod upper_bounds;
mod witness;

pub use check::check;
pub use models::Supported;
pub use options::{Options, Outcome, Place, Reductions, Statistics, Verdict};
pub use steadfast_explore::{Bound, Limits, Observer, Progress};
pub use triangular::triangular_race;
pub use witness::{RunStep, Witness};
