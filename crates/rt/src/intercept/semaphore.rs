//! Semaphores.

use super::{libc_word, threads};
use crate::schedule::{self, Deadline, Operation};
use crate::{signals, sync, sys};
use core::ffi::c_int;
use libc::{CLOCK_REALTIME, EAGAIN, EINTR, ETIMEDOUT, clockid_t, sem_t, timespec};

crate::sys::next! {
    fn sem_wait(semaphore: *mut sem_t) -> c_int;
    fn sem_trywait(semaphore: *mut sem_t) -> c_int;
    fn sem_timedwait(semaphore: *mut sem_t, until: *const timespec) -> c_int;
    fn sem_clockwait(semaphore: *mut sem_t, clock: clockid_t, until: *const timespec) -> c_int;
    fn sem_post(semaphore: *mut sem_t) -> c_int;
    fn sem_getvalue(semaphore: *mut sem_t, value: *mut c_int) -> c_int;
    fn sem_destroy(semaphore: *mut sem_t) -> c_int;
}

unsafe fn wait(semaphore: *mut sem_t, deadline: Deadline, wait: impl FnOnce() -> c_int) -> c_int {
    // SAFETY: the program's own argument, passed on as it is.
    let attempt = || match unsafe { real::sem_trywait(semaphore) } {
        0 => Some(0),
        _ if sys::errno() == EAGAIN => None,
        error => Some(error),
    };
    let (_, handled) = signals::handled();
    let attempt = || {
        threads::end_if_cancelled();
        attempt().or_else(|| {
            let is_interrupted = signals::handled().1 != handled;
            is_interrupted.then(|| {
                sys::set_errno(EINTR);
                -1
            })
        })
    };
    // SAFETY: the program waits for this semaphore, so it has initialised it.
    let result = if schedule::controls(Operation::Take, semaphore as usize, unsafe { is_shared(semaphore) }) {
        schedule::wait_for(Operation::Take, semaphore as usize, deadline, attempt).unwrap_or_else(|| {
            sys::set_errno(ETIMEDOUT);
            -1
        })
    } else {
        wait()
    };
    if result == 0 {
        sync::acquired(semaphore as usize);
    }
    result
}

/// Whether other processes may use the semaphore. glibc keeps the answer after the counters.
unsafe fn is_shared(semaphore: *mut sem_t) -> bool {
    const SHARED: usize = 2;
    // SAFETY: the caller passes a semaphore that the program has initialised, and a semaphore has more words than that.
    unsafe { libc_word(semaphore, SHARED) != 0 }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn sem_wait(semaphore: *mut sem_t) -> c_int {
    // SAFETY: the program's own argument, for `wait` and for the original.
    unsafe { wait(semaphore, Deadline::Never, || real::sem_wait(semaphore)) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn sem_trywait(semaphore: *mut sem_t) -> c_int {
    schedule::step(Operation::TryTake, semaphore as usize);
    // SAFETY: the program's own argument, passed on as it is.
    let result = unsafe { real::sem_trywait(semaphore) };
    if result == 0 {
        sync::acquired(semaphore as usize);
    }
    result
}

#[unsafe(no_mangle)]
unsafe extern "C" fn sem_timedwait(semaphore: *mut sem_t, until: *const timespec) -> c_int {
    // SAFETY: the program's own arguments, for `wait` and for the original.
    unsafe { wait(semaphore, Deadline::At(CLOCK_REALTIME, until), || real::sem_timedwait(semaphore, until)) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn sem_clockwait(semaphore: *mut sem_t, clock: clockid_t, until: *const timespec) -> c_int {
    // SAFETY: the program's own arguments, for `wait` and for the original.
    unsafe { wait(semaphore, Deadline::At(clock, until), || real::sem_clockwait(semaphore, clock, until)) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn sem_post(semaphore: *mut sem_t) -> c_int {
    sync::contributing(semaphore as usize);
    // SAFETY: the program's own argument, passed on as it is.
    let result = unsafe { real::sem_post(semaphore) };
    schedule::notify(Operation::Post, semaphore as usize);
    result
}

/// It orders nothing, but a program may poll it until another thread has changed the value.
#[unsafe(no_mangle)]
unsafe extern "C" fn sem_getvalue(semaphore: *mut sem_t, value: *mut c_int) -> c_int {
    schedule::step(Operation::Other, semaphore as usize);
    // SAFETY: the program's own arguments, passed on as they are.
    unsafe { real::sem_getvalue(semaphore, value) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn sem_destroy(semaphore: *mut sem_t) -> c_int {
    sync::destroyed(semaphore as usize, size_of::<sem_t>());
    // SAFETY: the program's own argument, passed on as it is.
    unsafe { real::sem_destroy(semaphore) }
}
