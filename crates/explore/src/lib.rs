//! Exact exploration of finite transition systems. This crate knows nothing about memory, threads or programs.
//!
//! Two engines:
//! - [`reach`](mod@reach) visits every state of a [`System`] once, breadth first and in parallel, and keeps the whole [`StateGraph`]: states
//!   and labelled edges. Full states are stored and compared, never only their hashes.
//! - [`CoverSet`] holds, for every key, an antichain of bit vectors ordered by inclusion: the frontier of a search in which a state with
//!   more bits can do everything that a state with fewer bits can.
//!
//! Guarantee: when a search returns without a [`Bound`], every reachable state was visited or is covered by one that was. A bound that was
//! hit is always reported; nothing is dropped silently.
//!
//! Invariants: state numbers do not depend on the number of jobs, unless the system's own encoding does; `reach` stores every state once; `CoverSet` never keeps two comparable vectors under
//! one key.

mod cover;
mod limits;
mod parallel;
pub mod reach;
mod store;

pub use cover::{CoverSet, NodeId};
pub use limits::{Bound, Budget, Limits, Observer, Progress};
pub use parallel::parallel_map;
pub use reach::{Edge, StateGraph, StateId, System, reach};
pub use store::Shard;
