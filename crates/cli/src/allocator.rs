//! The allocator of the binary.
//!
//! It is `steadfast-memory`. The features `measure-…` replace it, so that `cargo xtask bench allocators` can measure the difference.

#[cfg(feature = "measure-mimalloc")]
use mimalloc::MiMalloc as Allocator;
#[cfg(feature = "measure-system-allocator")]
use std::alloc::System as Allocator;
#[cfg(not(any(
    feature = "measure-mimalloc",
    feature = "measure-jemalloc",
    feature = "measure-system-allocator"
)))]
use steadfast_memory::Allocator;
#[cfg(feature = "measure-jemalloc")]
use tikv_jemallocator::Jemalloc as Allocator;

#[global_allocator]
static MEMORY: Allocator = Allocator;
