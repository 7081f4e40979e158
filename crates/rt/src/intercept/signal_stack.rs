//! The stack for signal handlers. It orders nothing; but it is the last thing that Rust's standard library asks for before a thread does what it was started for.

use crate::engine::STARTED_BY_RUST;
use crate::tls;
use core::ffi::c_int;
use core::sync::atomic::{AtomicBool, Ordering};
use libc::stack_t;

crate::sys::next! {
    fn sigaltstack(new: *const stack_t, old: *mut stack_t) -> c_int;
}

/// Whether there has ever been a second thread.
static STARTED: AtomicBool = AtomicBool::new(false);

/// This thread begins.
pub(super) fn begin() {
    STARTED.store(true, Ordering::Relaxed);
    if STARTED_BY_RUST.load(Ordering::Relaxed) {
        tls::local().flags = tls::PROLOGUE;
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn sigaltstack(new: *const stack_t, old: *mut stack_t) -> c_int {
    // Programs in Rust ask for one before they start a thread, and so do all their threads.
    if !STARTED.load(Ordering::Relaxed) {
        STARTED_BY_RUST.store(true, Ordering::Relaxed);
    }
    tls::local().flags = 0;
    // SAFETY: the arguments are the program's.
    unsafe { real::sigaltstack(new, old) }
}
