//! The locks of C streams, where the program takes them itself (`flockfile`). The short locks inside libc's own functions order nothing.

use super::mutex;
use crate::schedule::{self, Deadline, Operation};
use crate::sync;
use core::ffi::c_int;
use libc::{EBUSY, FILE};

crate::sys::next! {
    fn flockfile(stream: *mut FILE);
    fn ftrylockfile(stream: *mut FILE) -> c_int;
    fn funlockfile(stream: *mut FILE);
}

/// Tries to take the lock. Returns what `pthread_mutex_trylock` would.
unsafe fn attempt(stream: *mut FILE) -> c_int {
    // SAFETY: the program's own argument, passed on as it is.
    if unsafe { real::ftrylockfile(stream) } == 0 { 0 } else { EBUSY }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn flockfile(stream: *mut FILE) {
    let wait = || {
        // SAFETY: the program's own argument, passed on as it is.
        unsafe { real::flockfile(stream) };
        0
    };
    // libc's own functions hold the lock without the scheduler's knowledge, so the scheduler does not do the waiting.
    // SAFETY: the program's own argument, passed on as it is.
    mutex::take(stream as usize, true, Deadline::Never, || unsafe { attempt(stream) }, wait);
}

#[unsafe(no_mangle)]
unsafe extern "C" fn ftrylockfile(stream: *mut FILE) -> c_int {
    schedule::step(Operation::TryLock, stream as usize);
    // SAFETY: the program's own argument, passed on as it is.
    let result = unsafe { real::ftrylockfile(stream) };
    if result == 0 {
        sync::acquired(stream as usize);
    }
    result
}

#[unsafe(no_mangle)]
unsafe extern "C" fn funlockfile(stream: *mut FILE) {
    sync::releasing(stream as usize);
    // SAFETY: the program's own argument, passed on as it is.
    unsafe { real::funlockfile(stream) };
    schedule::notify(Operation::Unlock, stream as usize);
}
