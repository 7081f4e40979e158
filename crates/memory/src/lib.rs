//! The allocator of the binary: cheap for a check that takes a millisecond, and for one that fills gigabytes.
//!
//! - A short check begins in memory that the executable has anyway, and nothing is asked of the system before that is used up (`pool`).
//! - Threads hardly ever wait for each other: each cuts blocks from a piece of its own, and keeps what it frees (`local`).
//! - Large tables lie in large pages, where the system has them: a step of the search goes to random places of them, and finding an address in small
//!   pages can take longer than reading what is there (`system`).
//!
//! Blocks have one of a few sizes (`classes`) and nothing beside them that says so: whoever gives one back says how large it was.
//!
//! Guarantee: blocks are distinct, aligned and as large as asked for. What a thread keeps for itself is bounded, whoever allocated it, and is given back when it ends.
//!
//! Not to be confused with the runtime's allocator in `rt`, which lives in other people's programs and must not ask anybody for anything.

#![allow(unsafe_code, reason = "this is what an allocator is about")]

#[cfg(target_os = "linux")]
mod classes;
#[cfg(target_os = "linux")]
mod local;
#[cfg(target_os = "linux")]
mod memory;
#[cfg(target_os = "linux")]
mod pool;
#[cfg(target_os = "linux")]
mod system;

#[cfg(target_os = "linux")]
pub use memory::Memory;
#[cfg(not(target_os = "linux"))]
pub use std::alloc::System as Memory;
