//! The runtime of the sanitizer: while an instrumented program runs, it decides whether the atomic accesses could behave differently in a
//! weak memory model than under sequential consistency, and reports it.
//!
//! Compilers emit calls to `ThreadSanitizer`'s interface (`abi`); this library implements it, and intercepts the functions of libc that order threads
//! (`intercept`). An atomic access locks the record of its location (`table`), is made, and is judged by `steadfast-clocks`
//! (`engine`). Findings are written at once (`report`).
//!
//! Guarantee: the program does what it could do without the runtime, under one of its possible schedules. There are no false reports: each
//! one holds for some run of the program in the memory model. A report that was written is kept however the process ends.
//!
//! Deviations from `RSan` (Margalit et al., PLDI'25): 1. no lock is shared by accesses to different locations; 2. `seq_cst` accesses count; 3. schedules
//! can be controlled.
//!
//! Invariants: nothing here unwinds into the program. Memory comes from the system and never from the program's allocator. A thread that is
//! inside the runtime (`tls`) is not recorded. A thread locks one record at a time, and calls no code of the program while it holds one.

#![allow(unsafe_code, reason = "this crate is the interface to C, and its state is shared by all threads of a program")]
#![allow(
    clippy::inline_always,
    reason = "an access costs some nanoseconds; a call that is not inlined is a good part of that"
)]
#![allow(clippy::cast_ptr_alignment, reason = "memory from the system begins at a page")]
#![allow(clippy::cast_possible_wrap, clippy::cast_sign_loss, reason = "system calls take and return words")]
// Tests do not export the functions: they would replace the allocator and the thread functions of the test harness.
#![cfg_attr(test, allow(dead_code, unused_imports, unused_macros))]

mod abi;
mod access;
mod alloc;
mod annotations;
mod delivery;
mod ending;
mod engine;
mod foreign;
mod frames;
mod generations;
mod handlers;
#[cfg(not(test))]
mod intercept;
mod lock;
mod options;
mod order;
mod origins;
mod outside;
mod plain;
mod report;
mod schedule;
mod shadow;
mod signals;
mod spin;
mod stacks;
mod start;
mod sync;
mod sys;
mod table;
mod thread;
mod tls;
mod trace;

#[cfg(not(test))]
#[global_allocator]
static MEMORY: alloc::Memory = alloc::Memory;
