//! Runs of the sanitizer's engine against its slow twins, on random traces.
//!
//! A trace is what threads did, one step after the other: atomic accesses of all kinds and orders, fences, locks, creating and joining threads, freeing, plain accesses. At every
//! access three say whether it violates robustness: the engine (`steadfast-clocks`), the location clocks of *Dynamic robustness verification against weak memory* (PLDI'25,
//! appendix A), and the definition, which extends the execution graph of the trace by the access in every way and asks the axioms. Whether a plain access races is asked
//! of the engine and of the graph's happens-before.

mod campaign;
mod compare;
mod definition;
mod engine;
mod location_clocks;
mod races;
mod sample;
mod simulation;
mod step;

pub use campaign::{TraceCampaign, TraceFinding, TraceTally};
pub use compare::{Counts, Disagreement, compare};
pub use sample::{TraceLength, sample_trace};
pub use step::{Trace, TraceStep};
