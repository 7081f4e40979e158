//! The runtime of the sanitizer: decides, while an instrumented program runs, whether its atomic accesses could behave differently on a
//! weak memory model than when its threads simply take turns, and reports it.
//!
//! Compilers emit calls to `ThreadSanitizer`'s interface (`abi`); this library answers them, and intercepts what else orders threads
//! (`intercept`). An atomic access locks the record of its location (`table`), is carried out, and is judged by `steadfast-clocks`
//! (`engine`). What is found is written at once (`report`).
//!
//! Guarantee: the program does what it would do without the runtime, in one of the orders that it could have happened in. No report is invented; every
//! one holds for some run of the program in the memory model. A report that was made survives whatever becomes of the process.
//!
//! Deviations from `RSan` (Margalit et al., PLDI'25): 1. no lock is shared by accesses to different locations; 2. `seq_cst` accesses count; 3. schedules
//! can be controlled.
//!
//! Invariants: nothing here unwinds into the program. Memory comes from the system and never from the program's allocator. A thread that is
//! inside the runtime (`tls`) is not observed. One record is locked at a time, and nothing of the program is called meanwhile.

#![allow(unsafe_code, reason = "this crate is the interface to C, and its state is shared by all threads of a program")]
#![allow(
    clippy::inline_always,
    reason = "an access costs some nanoseconds; a call that is not inlined is a good part of that"
)]
#![allow(clippy::cast_ptr_alignment, reason = "memory from the system begins at a page")]
#![allow(clippy::cast_possible_wrap, clippy::cast_sign_loss, reason = "system calls take and return words")]
// Exports are only there when it is not a test: a test should not replace the allocator and the threads of its own harness.
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
