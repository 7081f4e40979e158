//! The allocator of the binary. It is cheap for a check that takes a millisecond, and for one that fills gigabytes.
//!
//! - A short check uses memory that the executable contains, and makes no system calls before that is used up (`pool`).
//! - Threads seldom wait for each other: each cuts blocks from its own piece, and keeps the blocks that it frees (`local`).
//! - Large tables are in large pages, if the system has them: a step of the search accesses random places of them, and translating an address in small
//!   pages can take longer than the access itself (`system`).
//!
//! Blocks have one of a few sizes (`classes`), and no header: the size is given when a block is freed.
//!
//! Guarantee: blocks are distinct, aligned, and as large as requested. The memory that a thread keeps is bounded, whichever thread allocated it, and is given back when the thread ends.
//!
//! The runtime in `rt` has its own allocator: it runs in other people's programs and must not depend on anything.

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
pub use memory::Allocator;
#[cfg(not(target_os = "linux"))]
pub use std::alloc::System as Allocator;
