//! Condition variables, and those of C11.
//!
//! What orders threads here is the mutex: it is given back on the way in and taken on the way out.

use super::{libc_word, mutex, threads, unwinding};
use crate::schedule::{self, Deadline, Operation, Woken};
use crate::sync;
use core::ffi::c_int;
use libc::{CLOCK_MONOTONIC, CLOCK_REALTIME, ETIMEDOUT, clockid_t, pthread_cond_t, pthread_mutex_t, timespec};

crate::sys::next! {
    #[version = c"GLIBC_2.3.2"]
    fn pthread_cond_wait(condition: *mut pthread_cond_t, mutex: *mut pthread_mutex_t) -> c_int;
    #[version = c"GLIBC_2.3.2"]
    fn pthread_cond_timedwait(condition: *mut pthread_cond_t, mutex: *mut pthread_mutex_t, until: *const timespec) -> c_int;
    fn pthread_cond_clockwait(condition: *mut pthread_cond_t, mutex: *mut pthread_mutex_t, clock: clockid_t, until: *const timespec) -> c_int;
    #[version = c"GLIBC_2.3.2"]
    fn pthread_cond_signal(condition: *mut pthread_cond_t) -> c_int;
    #[version = c"GLIBC_2.3.2"]
    fn pthread_cond_broadcast(condition: *mut pthread_cond_t) -> c_int;
    #[version = c"GLIBC_2.3.2"]
    fn pthread_cond_destroy(condition: *mut pthread_cond_t) -> c_int;
}

unsafe fn wait(
    condition: *mut pthread_cond_t,
    mutex: *mut pthread_mutex_t,
    deadline: Deadline,
    original: impl FnOnce() -> c_int,
) -> c_int {
    // SAFETY: the program waits with this condition and this mutex, so it has initialised them.
    let moved_by_others = unsafe { is_shared(condition) || mutex::is_moved_by_others(mutex) };
    if !schedule::controls(Operation::WaitForSignal, condition as usize, moved_by_others) {
        // SAFETY: the program waits with this mutex, so it has initialised it.
        unsafe { mutex::releasing(mutex) };
        // A thread that is cancelled here gets the mutex back as well.
        let result = unwinding::or_else(sync::acquired, mutex as usize, original);
        sync::acquired(mutex as usize);
        return result;
    }
    // Who was cancelled before does not wait at all, and still has the mutex.
    threads::end_if_cancelled();
    // Nothing can come between giving the mutex back and waiting: this thread has its turn until it waits.
    // SAFETY: the program waits with this mutex, so it has initialised it and holds it.
    unsafe { mutex::unlock(mutex) };
    let woken = schedule::wait_for_signal(condition as usize, schedule::ALL, deadline);
    // SAFETY: the program waits with this mutex, so it has initialised it, and does not destroy it meanwhile.
    let locked = unsafe { mutex::lock(mutex) };
    threads::end_if_cancelled();
    // Whoever is interrupted may return as well: that can always happen.
    if woken == Woken::TimedOut { ETIMEDOUT } else { locked }
}

/// What the condition was made with. glibc keeps that with the number of those who wait.
unsafe fn attributes(condition: *mut pthread_cond_t) -> c_int {
    const WAITERS: usize = 9;
    // SAFETY: the caller passes a condition that the program has initialised, and a condition has more words than that.
    unsafe { libc_word(condition, WAITERS) }
}

/// Whether other processes use the condition as well.
unsafe fn is_shared(condition: *mut pthread_cond_t) -> bool {
    // SAFETY: the caller passes a condition that the program has initialised.
    unsafe { attributes(condition) & 1 != 0 }
}

/// The clock that its time limits are meant for.
unsafe fn clock_of(condition: *mut pthread_cond_t) -> clockid_t {
    // SAFETY: the caller passes a condition that the program has initialised.
    if unsafe { attributes(condition) } & 2 != 0 { CLOCK_MONOTONIC } else { CLOCK_REALTIME }
}

unsafe fn signal(condition: *mut pthread_cond_t) -> c_int {
    schedule::step(Operation::Signal, condition as usize);
    schedule::signal(condition as usize, schedule::ALL, 1);
    // SAFETY: the program's own argument, passed on as it is.
    unsafe { real::pthread_cond_signal(condition) }
}

unsafe fn broadcast(condition: *mut pthread_cond_t) -> c_int {
    schedule::step(Operation::Broadcast, condition as usize);
    schedule::signal(condition as usize, schedule::ALL, usize::MAX);
    // SAFETY: the program's own argument, passed on as it is.
    unsafe { real::pthread_cond_broadcast(condition) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_cond_wait(condition: *mut pthread_cond_t, mutex: *mut pthread_mutex_t) -> c_int {
    // SAFETY: the program's own arguments, for `wait` and for the original.
    unsafe { wait(condition, mutex, Deadline::Never, || real::pthread_cond_wait(condition, mutex)) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_cond_timedwait(
    condition: *mut pthread_cond_t,
    mutex: *mut pthread_mutex_t,
    until: *const timespec,
) -> c_int {
    // SAFETY: the program's own arguments, for `wait` and for the original; it waits for the condition, so it has initialised it.
    unsafe {
        wait(condition, mutex, Deadline::At(clock_of(condition), until), || {
            real::pthread_cond_timedwait(condition, mutex, until)
        })
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_cond_clockwait(
    condition: *mut pthread_cond_t,
    mutex: *mut pthread_mutex_t,
    clock: clockid_t,
    until: *const timespec,
) -> c_int {
    // SAFETY: the program's own arguments, for `wait` and for the original.
    unsafe {
        wait(condition, mutex, Deadline::At(clock, until), || {
            real::pthread_cond_clockwait(condition, mutex, clock, until)
        })
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_cond_signal(condition: *mut pthread_cond_t) -> c_int {
    // SAFETY: the program's own argument, passed on as it is.
    unsafe { signal(condition) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_cond_broadcast(condition: *mut pthread_cond_t) -> c_int {
    // SAFETY: the program's own argument, passed on as it is.
    unsafe { broadcast(condition) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cnd_wait(condition: *mut pthread_cond_t, mutex: *mut pthread_mutex_t) -> c_int {
    // SAFETY: in glibc, the conditions and mutexes of C11 are those of POSIX; the arguments are the program's.
    mutex::c11(unsafe { pthread_cond_wait(condition, mutex) })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cnd_timedwait(
    condition: *mut pthread_cond_t,
    mutex: *mut pthread_mutex_t,
    until: *const timespec,
) -> c_int {
    // SAFETY: in glibc, the conditions and mutexes of C11 are those of POSIX; the arguments are the program's.
    mutex::c11(unsafe { pthread_cond_timedwait(condition, mutex, until) })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cnd_signal(condition: *mut pthread_cond_t) -> c_int {
    // SAFETY: in glibc, the conditions of C11 are those of POSIX; the argument is the program's.
    mutex::c11(unsafe { signal(condition) })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cnd_broadcast(condition: *mut pthread_cond_t) -> c_int {
    // SAFETY: in glibc, the conditions of C11 are those of POSIX; the argument is the program's.
    mutex::c11(unsafe { broadcast(condition) })
}
