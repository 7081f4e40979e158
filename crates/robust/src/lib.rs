//! Decides whether a program is robust: whether everything that it can do under a weak memory model it can also do under sequential consistency.
//!
//! A program is **robust** against a model M when every M-consistent execution graph that it generates is SC-consistent (hbSC = (po ∪ rf ∪ mo ∪ fr)⁺ is
//! irreflexive): *Robustness against release/acquire semantics*, PLDI'19, and *Verifying observational robustness against a C11-style memory model*,
//! POPL'21. Nobody has to run the weak model: a violation always shows up as an SC run whose next step could leave SC.
//!
//! Guarantee: "robust" after an exhaustive search only; "not robust" with a witness that the axioms of the `graph` crate confirm. Exact for graph
//! robustness; observational robustness is sound (no miss) and may report too much, as in the paper.
//!
//! Deviations from the papers, numbered:
//! 1. The search is split in two: first the program alone under SC, as a graph; then, over that graph, one overwritten write at a time (`hunt`). The
//!    papers' joint views are the same rules over vectors (`joint`), used for the observational notion and as the twin of the first.
//! 2. Critical values are computed from the accesses that the program really reaches, not annotated.
//! 3. Spin loops count as blocking; see `automaton`.
//! 4. Further ones in each model's file.

mod automaton;
mod awareness;
mod ceiling;
mod check;
mod chunks;
mod column;
mod decision;
mod event;
mod explored;
mod flow;
mod futures;
mod glance;
mod hunt;
mod joint;
mod lanes;
mod machine;
mod models;
mod ops;
mod options;
mod prey;
mod shelf;
mod shift;
mod sweep;
mod taint;
mod tracker;
mod translation;
mod triangular;
mod witness;

pub use check::check;
pub use options::{Model, Notion, Options, Orderings, Outcome, Place, Reductions, Statistics, Verdict};
pub use steadfast_explore::{Bound, Limits, Observer, Progress};
pub use triangular::triangular_race;
pub use witness::{RunStep, ViolationKind, Witness};
