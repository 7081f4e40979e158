//! Barriers.

use super::libc_word;
use crate::schedule::{self, Operation};
use crate::sync;
use core::ffi::{c_int, c_uint};
use libc::{pthread_barrier_t, pthread_barrierattr_t};

crate::sys::next! {
    fn pthread_barrier_init(barrier: *mut pthread_barrier_t, attributes: *const pthread_barrierattr_t, count: c_uint) -> c_int;
    fn pthread_barrier_wait(barrier: *mut pthread_barrier_t) -> c_int;
    fn pthread_barrier_destroy(barrier: *mut pthread_barrier_t) -> c_int;
}

/// How many threads a barrier waits for. glibc keeps the number in the third word of the structure.
unsafe fn count(barrier: *mut pthread_barrier_t) -> usize {
    // SAFETY: the caller passes a barrier that the program has initialised, and a barrier has more words than that.
    unsafe { libc_word(barrier, 2) as c_uint as usize }
}

/// Whether other processes may use the barrier.
unsafe fn is_shared(barrier: *mut pthread_barrier_t) -> bool {
    // SAFETY: the caller passes a barrier that the program has initialised, and a barrier has more words than that.
    unsafe { libc_word(barrier, 3) != 0 }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_barrier_wait(barrier: *mut pthread_barrier_t) -> c_int {
    // SAFETY: the program waits at this barrier, so it has initialised it.
    let arrival = sync::arriving(barrier as usize, unsafe { count(barrier) });
    // SAFETY: the program waits at this barrier, so it has initialised it.
    let result = if schedule::controls(Operation::Barrier, barrier as usize, unsafe { is_shared(barrier) }) {
        // SAFETY: the program waits at this barrier, so it has initialised it.
        let last = schedule::wait_at_barrier(barrier as usize, unsafe { count(barrier) });
        if last { libc::PTHREAD_BARRIER_SERIAL_THREAD } else { 0 }
    } else {
        // SAFETY: the program's own argument, passed on as it is.
        unsafe { real::pthread_barrier_wait(barrier) }
    };
    arrival.over();
    result
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_barrier_destroy(barrier: *mut pthread_barrier_t) -> c_int {
    sync::destroyed(barrier as usize, size_of::<pthread_barrier_t>());
    // SAFETY: the program's own argument, passed on as it is.
    unsafe { real::pthread_barrier_destroy(barrier) }
}
