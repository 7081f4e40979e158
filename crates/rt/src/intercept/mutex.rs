//! Mutexes and spin locks. The mutexes of C11 are those of POSIX with other result codes.

use super::libc_word;
use crate::schedule::{self, Deadline, Operation};
use crate::sync;
use core::ffi::c_int;
use libc::{CLOCK_REALTIME, EBUSY, EOWNERDEAD, ETIMEDOUT, clockid_t, pthread_mutex_t, pthread_spinlock_t, timespec};

crate::sys::next! {
    fn pthread_mutex_lock(mutex: *mut pthread_mutex_t) -> c_int;
    fn pthread_mutex_trylock(mutex: *mut pthread_mutex_t) -> c_int;
    fn pthread_mutex_timedlock(mutex: *mut pthread_mutex_t, until: *const timespec) -> c_int;
    fn pthread_mutex_clocklock(mutex: *mut pthread_mutex_t, clock: clockid_t, until: *const timespec) -> c_int;
    fn pthread_mutex_unlock(mutex: *mut pthread_mutex_t) -> c_int;
    fn pthread_mutex_destroy(mutex: *mut pthread_mutex_t) -> c_int;
    fn pthread_spin_lock(lock: *mut pthread_spinlock_t) -> c_int;
    fn pthread_spin_trylock(lock: *mut pthread_spinlock_t) -> c_int;
    fn pthread_spin_unlock(lock: *mut pthread_spinlock_t) -> c_int;
    fn pthread_spin_destroy(lock: *mut pthread_spinlock_t) -> c_int;
}

/// Takes a lock: under a controlled schedule by trying until it works, else with the original. Returns what the original would.
pub(super) fn take(
    address: usize,
    moved_by_others: bool,
    deadline: Deadline,
    attempt: impl Fn() -> c_int,
    wait: impl FnOnce() -> c_int,
) -> c_int {
    let result = if schedule::controls(Operation::Lock, address, moved_by_others) {
        let attempt = || Some(attempt()).filter(|&result| result != EBUSY);
        schedule::wait_for(Operation::Lock, address, deadline, attempt).unwrap_or(ETIMEDOUT)
    } else {
        wait()
    };
    if result == 0 || result == EOWNERDEAD {
        sync::acquired(address);
    }
    result
}

/// Locks a mutex; also at the end of a wait for a condition.
pub(super) unsafe fn lock(mutex: *mut pthread_mutex_t) -> c_int {
    // SAFETY: the program's own argument, for `take_mutex` and for the original.
    unsafe { take_mutex(mutex, Deadline::Never, || real::pthread_mutex_lock(mutex)) }
}

unsafe fn try_lock(mutex: *mut pthread_mutex_t) -> c_int {
    schedule::step(Operation::TryLock, mutex as usize);
    // SAFETY: the program's own argument, passed on as it is.
    let result = unsafe { real::pthread_mutex_trylock(mutex) };
    if result == 0 || result == EOWNERDEAD {
        sync::acquired(mutex as usize);
    }
    result
}

unsafe fn timed_lock(mutex: *mut pthread_mutex_t, until: *const timespec) -> c_int {
    // SAFETY: the program's own arguments, for `take_mutex` and for the original.
    unsafe { take_mutex(mutex, Deadline::At(CLOCK_REALTIME, until), || real::pthread_mutex_timedlock(mutex, until)) }
}

unsafe fn take_mutex(mutex: *mut pthread_mutex_t, deadline: Deadline, wait: impl FnOnce() -> c_int) -> c_int {
    // SAFETY: the program's own argument, passed on as it is.
    let attempt = || unsafe { real::pthread_mutex_trylock(mutex) };
    // SAFETY: the program takes this mutex, so it has initialised it.
    let shared = unsafe { is_moved_by_others(mutex) };
    take(mutex as usize, shared, deadline, attempt, wait)
}

/// Whether the mutex can become free although no thread of this process unlocks it.
pub(super) unsafe fn is_moved_by_others(mutex: *mut pthread_mutex_t) -> bool {
    // SAFETY: the caller passes a mutex that the program has initialised, and a mutex has more words than that.
    layout::is_moved_by_others(unsafe { libc_word(mutex, layout::KIND) })
}

/// Called before a mutex is unlocked. If this thread does not hold it, the unlock will fail, and the clock of the last holder must stay.
pub(super) unsafe fn releasing(mutex: *mut pthread_mutex_t) {
    // SAFETY: the program gives this mutex back, so it has initialised it.
    if unsafe { is_mine(mutex) } {
        sync::releasing(mutex as usize);
    }
}

/// Whether this thread may unlock a mutex. For kinds that do not check their owner the answer is always yes: there, unlocking without holding is undefined behaviour.
unsafe fn is_mine(mutex: *mut pthread_mutex_t) -> bool {
    // SAFETY: the caller passes a mutex that the program has initialised, and a mutex has more words than that.
    let (owner, kind) = unsafe { (libc_word(mutex, layout::OWNER), libc_word(mutex, layout::KIND)) };
    !layout::knows_its_owner(kind) || owner == crate::sys::thread_number()
}

/// Where glibc keeps the parts of a mutex, in words, and the bits of its kind.
mod layout {
    use core::ffi::c_int;

    pub(super) const OWNER: usize = 2;
    pub(super) const KIND: usize = 4;
    const ROBUST: c_int = 16;
    const INHERITS_PRIORITY: c_int = 32;
    const SHARED: c_int = 128;

    /// Whether an unlock by another thread fails.
    pub(super) fn knows_its_owner(kind: c_int) -> bool {
        matches!(kind & 3, libc::PTHREAD_MUTEX_RECURSIVE | libc::PTHREAD_MUTEX_ERRORCHECK)
            || kind & (ROBUST | INHERITS_PRIORITY) != 0
    }

    /// Whether it can become free although no thread of this process unlocks it.
    pub(super) fn is_moved_by_others(kind: c_int) -> bool {
        kind & (ROBUST | SHARED) != 0
    }
}

/// Unlocks a mutex.
pub(super) unsafe fn unlock(mutex: *mut pthread_mutex_t) -> c_int {
    // SAFETY: the program gives this mutex back, so it has initialised it.
    unsafe { releasing(mutex) };
    // SAFETY: the program's own argument, passed on as it is.
    let result = unsafe { real::pthread_mutex_unlock(mutex) };
    schedule::notify(Operation::Unlock, mutex as usize);
    result
}

/// Converts a result to the codes of C11.
pub(super) fn c11(result: c_int) -> c_int {
    match result {
        0 | EOWNERDEAD => 0,
        EBUSY => 1,
        libc::ENOMEM => 3,
        ETIMEDOUT => 4,
        _ => 2,
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_mutex_lock(mutex: *mut pthread_mutex_t) -> c_int {
    // SAFETY: the program's own argument, passed on as it is.
    unsafe { lock(mutex) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_mutex_trylock(mutex: *mut pthread_mutex_t) -> c_int {
    // SAFETY: the program's own argument, passed on as it is.
    unsafe { try_lock(mutex) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_mutex_timedlock(mutex: *mut pthread_mutex_t, until: *const timespec) -> c_int {
    // SAFETY: the program's own arguments, passed on as they are.
    unsafe { timed_lock(mutex, until) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_mutex_clocklock(
    mutex: *mut pthread_mutex_t,
    clock: clockid_t,
    until: *const timespec,
) -> c_int {
    // SAFETY: the program's own arguments, for `take_mutex` and for the original.
    unsafe { take_mutex(mutex, Deadline::At(clock, until), || real::pthread_mutex_clocklock(mutex, clock, until)) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_mutex_unlock(mutex: *mut pthread_mutex_t) -> c_int {
    // SAFETY: the program's own argument, passed on as it is.
    unsafe { unlock(mutex) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_mutex_destroy(mutex: *mut pthread_mutex_t) -> c_int {
    sync::destroyed(mutex as usize, size_of::<pthread_mutex_t>());
    // SAFETY: the program's own argument, passed on as it is.
    unsafe { real::pthread_mutex_destroy(mutex) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn mtx_lock(mutex: *mut pthread_mutex_t) -> c_int {
    // SAFETY: in glibc, a mutex of C11 is one of POSIX; the argument is the program's.
    c11(unsafe { lock(mutex) })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn mtx_trylock(mutex: *mut pthread_mutex_t) -> c_int {
    // SAFETY: in glibc, a mutex of C11 is one of POSIX; the argument is the program's.
    c11(unsafe { try_lock(mutex) })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn mtx_timedlock(mutex: *mut pthread_mutex_t, until: *const timespec) -> c_int {
    // SAFETY: in glibc, a mutex of C11 is one of POSIX; the arguments are the program's.
    c11(unsafe { timed_lock(mutex, until) })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn mtx_unlock(mutex: *mut pthread_mutex_t) -> c_int {
    // SAFETY: in glibc, a mutex of C11 is one of POSIX; the argument is the program's.
    c11(unsafe { unlock(mutex) })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn mtx_destroy(mutex: *mut pthread_mutex_t) {
    sync::destroyed(mutex as usize, size_of::<pthread_mutex_t>());
    // SAFETY: in glibc, a mutex of C11 is one of POSIX; the argument is the program's.
    unsafe { real::pthread_mutex_destroy(mutex) };
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_spin_lock(lock: *mut pthread_spinlock_t) -> c_int {
    // SAFETY: the program's own argument, passed on as it is.
    let attempt = || unsafe { real::pthread_spin_trylock(lock) };
    // SAFETY: the program's own argument, passed on as it is.
    take(lock as usize, false, Deadline::Never, attempt, || unsafe { real::pthread_spin_lock(lock) })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_spin_trylock(lock: *mut pthread_spinlock_t) -> c_int {
    schedule::step(Operation::TryLock, lock as usize);
    // SAFETY: the program's own argument, passed on as it is.
    let result = unsafe { real::pthread_spin_trylock(lock) };
    if result == 0 {
        sync::acquired(lock as usize);
    }
    result
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_spin_unlock(lock: *mut pthread_spinlock_t) -> c_int {
    sync::releasing(lock as usize);
    // SAFETY: the program's own argument, passed on as it is.
    let result = unsafe { real::pthread_spin_unlock(lock) };
    schedule::notify(Operation::Unlock, lock as usize);
    result
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_spin_destroy(lock: *mut pthread_spinlock_t) -> c_int {
    sync::destroyed(lock as usize, size_of::<pthread_spinlock_t>());
    // SAFETY: the program's own argument, passed on as it is.
    unsafe { real::pthread_spin_destroy(lock) }
}
