//! The functions of libc that the runtime intercepts: those that order threads, and those that allocate or free memory.
//!
//! Each calls the original and reports the operation to the engine. Under a controlled schedule, waits for other threads must not block: the runtime
//! calls a form of the original that returns at once, and the scheduler does the waiting.

mod aio;
mod barrier;
mod condition;
mod copies;
mod exit;
mod file_locks;
mod files;
mod fork;
mod guard;
mod libatomic;
mod libraries;
mod loading;
mod lookups;
mod mappings;
mod memory;
mod mutex;
mod notices;
mod once;
mod operators;
mod queues;
mod read_write;
mod semaphore;
mod shared_segments;
mod signal_handlers;
mod signal_stack;
mod signal_waits;
mod sleep;
mod stream_locks;
mod strings;
mod threads;
mod threads_c11;
mod timers;
mod turns;
mod unwinding;

use core::ffi::c_int;
use core::sync::atomic::{AtomicI32, Ordering};

/// A word of one of libc's structures. Other threads may change it in libc at the same time.
///
/// # Safety
/// The structure is initialised, begins at a multiple of four, and has more than `index` words.
unsafe fn libc_word<T>(structure: *mut T, index: usize) -> c_int {
    // SAFETY: the caller says that the word is there; libc changes it with atomic instructions, too.
    unsafe { AtomicI32::from_ptr(structure.cast::<c_int>().add(index)) }.load(Ordering::Relaxed)
}

/// Prepares everything that must be ready before the program runs.
pub(crate) fn prepare() {
    files::begin();
    fork::prepare();
    threads::prepare();
}
