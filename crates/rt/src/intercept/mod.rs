//! The functions of libc that the runtime has to know about: whatever orders threads, and whatever makes memory new.
//!
//! Each does what the original does, by calling it, and tells the engine. Under a controlled schedule nothing may block for real: the original
//! is then called in a form that returns at once, and waiting is the scheduler's.

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
mod strings;
mod threads;
mod threads_c11;
mod timers;
mod turns;
mod unwinding;

/// What has to be asked for before the program can do anything.
pub(crate) fn prepare() {
    files::begin();
    fork::prepare();
    threads::prepare();
}
