//! Barriers.

use crate::{schedule, sync};
use core::ffi::{c_int, c_uint};
use libc::{pthread_barrier_t, pthread_barrierattr_t};

crate::sys::next! {
    fn pthread_barrier_init(barrier: *mut pthread_barrier_t, attributes: *const pthread_barrierattr_t, count: c_uint) -> c_int;
    fn pthread_barrier_wait(barrier: *mut pthread_barrier_t) -> c_int;
    fn pthread_barrier_destroy(barrier: *mut pthread_barrier_t) -> c_int;
}

/// How many threads a barrier waits for. glibc keeps it in the third word of the structure.
unsafe fn count(barrier: *mut pthread_barrier_t) -> usize {
    // SAFETY: the barrier is larger than that.
    unsafe { *barrier.cast::<c_uint>().add(2) as usize }
}

/// Whether other processes use the barrier as well.
unsafe fn is_shared(barrier: *mut pthread_barrier_t) -> bool {
    // SAFETY: the barrier is larger than that.
    unsafe { *barrier.cast::<c_int>().add(3) != 0 }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_barrier_wait(barrier: *mut pthread_barrier_t) -> c_int {
    // SAFETY: the barrier is the program's, here and below.
    let arrival = sync::arriving(barrier as usize, unsafe { count(barrier) });
    let result = if schedule::controls(barrier as usize, unsafe { is_shared(barrier) }) {
        let last = schedule::wait_at_barrier(barrier as usize, unsafe { count(barrier) });
        if last { libc::PTHREAD_BARRIER_SERIAL_THREAD } else { 0 }
    } else {
        unsafe { real::pthread_barrier_wait(barrier) }
    };
    arrival.over();
    result
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_barrier_destroy(barrier: *mut pthread_barrier_t) -> c_int {
    sync::destroyed(barrier as usize, size_of::<pthread_barrier_t>());
    unsafe { real::pthread_barrier_destroy(barrier) }
}
