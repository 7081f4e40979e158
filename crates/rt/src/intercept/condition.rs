//! Condition variables of POSIX and C11.
//!
//! The mutex orders the threads: a wait unlocks it first and locks it again before it returns.

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
        // A thread that is cancelled here locks the mutex again, too.
        let result = unwinding::or_else(sync::acquired, mutex as usize, original);
        sync::acquired(mutex as usize);
        return result;
    }
    // A thread that was cancelled before does not wait, and still holds the mutex.
    threads::end_if_cancelled();
    // No other thread runs between the unlock and the wait: this thread keeps the turn until it waits.
    // SAFETY: the program waits with this mutex, so it has initialised it and holds it.
    unsafe { mutex::unlock(mutex) };
    let woken = schedule::wait_for_signal(condition as usize, schedule::ALL, deadline);
    // SAFETY: the program waits with this mutex, so it has initialised it, and does not destroy it meanwhile.
    let locked = unsafe { mutex::lock(mutex) };
    threads::end_if_cancelled();
    // After an interruption the wait may return, too: spurious wakeups are allowed.
    if woken == Woken::TimedOut { ETIMEDOUT } else { locked }
}

/// The attributes of the condition. glibc keeps them in the word that counts the waiting threads.
unsafe fn attributes(condition: *mut pthread_cond_t) -> c_int {
    const WAITERS: usize = 9;
    // SAFETY: the caller passes a condition that the program has initialised, and a condition has more words than that.
    unsafe { libc_word(condition, WAITERS) }
}

/// Whether other processes may use the condition.
unsafe fn is_shared(condition: *mut pthread_cond_t) -> bool {
    // SAFETY: the caller passes a condition that the program has initialised.
    unsafe { attributes(condition) & 1 != 0 }
}

/// The clock of its deadlines.
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
