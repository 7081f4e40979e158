//! The stack for signal handlers. The call orders nothing, but it is the last one that Rust's standard library makes before a thread runs the program's function.

use crate::engine::STARTED_BY_RUST;
use crate::tls;
use core::ffi::c_int;
use core::sync::atomic::{AtomicBool, Ordering};
use libc::stack_t;

crate::sys::next! {
    fn sigaltstack(new: *const stack_t, old: *mut stack_t) -> c_int;
}

/// Whether a second thread has ever started.
static STARTED: AtomicBool = AtomicBool::new(false);

/// Called when a thread begins.
pub(super) fn begin() {
    STARTED.store(true, Ordering::Relaxed);
    if STARTED_BY_RUST.load(Ordering::Relaxed) {
        tls::local().flags = tls::PROLOGUE;
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn sigaltstack(new: *const stack_t, old: *mut stack_t) -> c_int {
    // Rust programs call this before they start a thread, and in each new thread.
    if !STARTED.load(Ordering::Relaxed) {
        STARTED_BY_RUST.store(true, Ordering::Relaxed);
    }
    tls::local().flags = 0;
    // SAFETY: the arguments are the program's.
    unsafe { real::sigaltstack(new, old) }
}
