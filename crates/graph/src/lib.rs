//! Decides, by enumeration, whether every execution graph that a memory model allows a small program is sequentially consistent.
//!
//! An *execution graph* has an [`Event`] for every visible step and the relations po (program order), rf (reads-from), mo
//! (modification order) and the derived fr (from-read). A model is a predicate on graphs ([`Axioms`]), and a program is *robust*
//! against it when every consistent graph that it generates is also SC-consistent: (po ∪ rf ∪ mo ∪ fr)⁺ is irreflexive. The
//! definitions follow Lahav and Margalit, "Robustness against release/acquire semantics" (PLDI'19), and Margalit and Lahav,
//! "Verifying observational robustness against a C11-style memory model" (POPL'21).
//!
//! The crate is the slow and obvious twin of everything fast: the [`oracle`] is what property tests compare with, and an
//! [`Execution`] built by hand is in the [`Witness`] that a user is shown, whether it comes from a check or from a run of a real program.
//!
//! # Guarantee
//! For programs whose executions are bounded the [`oracle`] is sound and complete; anything that does not fit its bounds is reported as
//! [`oracle::OracleVerdict::TooLarge`].
//!
//! # Deviations from the papers
//! 1. In RA, SRA and RC20 an SC fence is encoded with a ghost location f. By default f does not count in SC-consistency
//!    ([`GhostEdges`]); by the letter it does.
//! 2. RC20 has no `seq_cst` accesses. Here they are acquire/release accesses for which psc′ must be acyclic
//!    ([`axioms::psc`]); programs without them are treated exactly as published.
//! 3. [`rc11`](steadfast_model::Model::Rc11) is weaker than `RC11`: psc′ in place of its condition on accesses. [`rc11-full`](steadfast_model::Model::Rc11Full) has the original.
//! 4. `RC11` is used with the release sequences of C++20.
//! 5. Plain accesses are enumerated like relaxed ones that never synchronise. The result means something only for programs without
//!    races; ask [`oracle::race_free`] first.
//! 6. TSO ignores the orderings of accesses: a `seq_cst` store is a plain `mov`. An unlock is a store.
//! 7. A thread stops at a failed assertion; the graph up to there counts.
//!
//! # Example
//! ```
//! use steadfast_graph::oracle::{Options, robust};
//! use steadfast_graph::EdgeKind;
//! use steadfast_model::Model;
//! use steadfast_ir::{Expr, ProgramBuilder, ReadOrder, WriteOrder};
//!
//! let mut b = ProgramBuilder::new("store-buffering");
//! let (x, y) = (b.atomic("x", 0), b.atomic("y", 0));
//! for (mine, other) in [(x, y), (y, x)] {
//!     b.thread("t", |t| {
//!         let r = t.register("r");
//!         t.store(mine, Expr::Const(1), WriteOrder::Release);
//!         t.load(r, other, ReadOrder::Acquire);
//!     });
//! }
//! let verdict = robust(&b.finish(), Model::Tso, &Options::default());
//! let cycle = verdict.counterexample().and_then(|graph| graph.labelled_cycle()).unwrap();
//! let edges: Vec<_> = cycle.iter().map(|&(_, kind)| kind).collect();
//! assert_eq!(edges, [EdgeKind::Po, EdgeKind::Fr, EdgeKind::Po, EdgeKind::Fr]);
//! ```
//!
//! # Invariants
//! - Initial writes are first in po and in the modification order of their location.
//! - Nothing here depends on the order of a hash map: verdicts and counterexamples are the same on every run.

pub mod axioms;
mod base;
mod cycle;
mod dot;
mod event;
mod execution;
mod fence;
mod names;
pub mod oracle;
mod race;
mod relation;
mod witness;

pub use axioms::{Axioms, GhostEdges};
pub use base::{Base, EdgeKind};
pub use cycle::LabelledCycle;
pub use dot::dot;
pub use event::{Event, EventId, EventKind, Order};
pub use execution::{Execution, IllFormed};
pub use names::{Legend, Names};
pub use relation::Relation;
pub use witness::{RunStep, Witness};
