//! Read-write locks.

use super::libc_word;
use crate::schedule::{self, Deadline, Operation};
use crate::sync;
use core::ffi::c_int;
use libc::{CLOCK_REALTIME, EBUSY, ETIMEDOUT, clockid_t, pthread_rwlock_t, timespec};

crate::sys::next! {
    fn pthread_rwlock_rdlock(lock: *mut pthread_rwlock_t) -> c_int;
    fn pthread_rwlock_tryrdlock(lock: *mut pthread_rwlock_t) -> c_int;
    fn pthread_rwlock_timedrdlock(lock: *mut pthread_rwlock_t, until: *const timespec) -> c_int;
    fn pthread_rwlock_clockrdlock(lock: *mut pthread_rwlock_t, clock: clockid_t, until: *const timespec) -> c_int;
    fn pthread_rwlock_wrlock(lock: *mut pthread_rwlock_t) -> c_int;
    fn pthread_rwlock_trywrlock(lock: *mut pthread_rwlock_t) -> c_int;
    fn pthread_rwlock_timedwrlock(lock: *mut pthread_rwlock_t, until: *const timespec) -> c_int;
    fn pthread_rwlock_clockwrlock(lock: *mut pthread_rwlock_t, clock: clockid_t, until: *const timespec) -> c_int;
    fn pthread_rwlock_unlock(lock: *mut pthread_rwlock_t) -> c_int;
    fn pthread_rwlock_destroy(lock: *mut pthread_rwlock_t) -> c_int;
}

unsafe fn take(lock: *mut pthread_rwlock_t, writer: bool, deadline: Deadline, wait: impl FnOnce() -> c_int) -> c_int {
    // SAFETY: the program's own argument, passed on as it is.
    let attempt = || unsafe {
        let attempt = if writer { real::pthread_rwlock_trywrlock(lock) } else { real::pthread_rwlock_tryrdlock(lock) };
        Some(attempt).filter(|&result| result != EBUSY)
    };
    let operation = if writer { Operation::Lock } else { Operation::LockShared };
    // SAFETY: the program takes this lock, so it has initialised it.
    let result = if schedule::controls(operation, lock as usize, unsafe { is_shared(lock) }) {
        schedule::wait_for(operation, lock as usize, deadline, attempt).unwrap_or(ETIMEDOUT)
    } else {
        wait()
    };
    taken(lock, writer, result)
}

fn taken(lock: *mut pthread_rwlock_t, writer: bool, result: c_int) -> c_int {
    match (result, writer) {
        (0, true) => sync::acquired_for_writing(lock as usize),
        (0, false) => sync::acquired_for_reading(lock as usize),
        _ => {}
    }
    result
}

/// Whether the lock is held by a writer. glibc keeps the writer's number in the structure; it is zero while readers hold the lock.
unsafe fn held_by_writer(lock: *mut pthread_rwlock_t) -> bool {
    const WRITER: usize = 6;
    // SAFETY: the caller passes a lock that the program has initialised, and a lock has more words than that.
    unsafe { libc_word(lock, WRITER) != 0 }
}

/// Whether other processes may use the lock.
unsafe fn is_shared(lock: *mut pthread_rwlock_t) -> bool {
    const SHARED: usize = 7;
    // SAFETY: the caller passes a lock that the program has initialised, and a lock has more words than that.
    unsafe { libc_word(lock, SHARED) != 0 }
}

/// Defines the functions that take the lock, as a writer or as a reader.
macro_rules! taking {
    (writer $writer:literal: $wait:ident $timed:ident $clocked:ident $attempt:ident) => {
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $wait(lock: *mut pthread_rwlock_t) -> c_int {
            // SAFETY: the program's own argument, for `take` and for the original.
            unsafe { take(lock, $writer, Deadline::Never, || real::$wait(lock)) }
        }

        #[unsafe(no_mangle)]
        unsafe extern "C" fn $timed(lock: *mut pthread_rwlock_t, until: *const timespec) -> c_int {
            // SAFETY: the program's own arguments, for `take` and for the original.
            unsafe { take(lock, $writer, Deadline::At(CLOCK_REALTIME, until), || real::$timed(lock, until)) }
        }

        #[unsafe(no_mangle)]
        unsafe extern "C" fn $clocked(lock: *mut pthread_rwlock_t, clock: clockid_t, until: *const timespec) -> c_int {
            // SAFETY: the program's own arguments, for `take` and for the original.
            unsafe { take(lock, $writer, Deadline::At(clock, until), || real::$clocked(lock, clock, until)) }
        }

        #[unsafe(no_mangle)]
        unsafe extern "C" fn $attempt(lock: *mut pthread_rwlock_t) -> c_int {
            schedule::step(if $writer { Operation::TryLock } else { Operation::TryLockShared }, lock as usize);
            // SAFETY: the program's own argument, passed on as it is.
            taken(lock, $writer, unsafe { real::$attempt(lock) })
        }
    };
}

taking!(writer false: pthread_rwlock_rdlock pthread_rwlock_timedrdlock pthread_rwlock_clockrdlock pthread_rwlock_tryrdlock);
taking!(writer true: pthread_rwlock_wrlock pthread_rwlock_timedwrlock pthread_rwlock_clockwrlock pthread_rwlock_trywrlock);

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_rwlock_unlock(lock: *mut pthread_rwlock_t) -> c_int {
    // SAFETY: the program gives this lock back, so it has initialised it.
    sync::releasing_either(lock as usize, unsafe { held_by_writer(lock) });
    // SAFETY: the program's own argument, passed on as it is.
    let result = unsafe { real::pthread_rwlock_unlock(lock) };
    schedule::notify(Operation::Unlock, lock as usize);
    result
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_rwlock_destroy(lock: *mut pthread_rwlock_t) -> c_int {
    sync::destroyed(lock as usize, size_of::<pthread_rwlock_t>());
    // SAFETY: the program's own argument, passed on as it is.
    unsafe { real::pthread_rwlock_destroy(lock) }
}
