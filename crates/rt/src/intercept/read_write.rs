//! Locks for several readers or one writer.

use crate::schedule::{self, Deadline};
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
    // SAFETY: in this file, the arguments are the program's, as the manual wants them.
    let attempt = || unsafe {
        let attempt = if writer { real::pthread_rwlock_trywrlock(lock) } else { real::pthread_rwlock_tryrdlock(lock) };
        Some(attempt).filter(|&result| result != EBUSY)
    };
    // SAFETY: see above.
    let result = if schedule::controls(lock as usize, unsafe { is_shared(lock) }) {
        schedule::wait_for(lock as usize, deadline, attempt).unwrap_or(ETIMEDOUT)
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
    // SAFETY: the lock is larger than that.
    unsafe { *lock.cast::<c_int>().add(WRITER) != 0 }
}

/// Whether other processes use the lock as well.
unsafe fn is_shared(lock: *mut pthread_rwlock_t) -> bool {
    const SHARED: usize = 7;
    // SAFETY: the lock is larger than that.
    unsafe { *lock.cast::<c_int>().add(SHARED) != 0 }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_rwlock_rdlock(lock: *mut pthread_rwlock_t) -> c_int {
    // SAFETY: see above, here and below.
    unsafe { take(lock, false, Deadline::Never, || real::pthread_rwlock_rdlock(lock)) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_rwlock_timedrdlock(lock: *mut pthread_rwlock_t, until: *const timespec) -> c_int {
    unsafe { take(lock, false, Deadline::At(CLOCK_REALTIME, until), || real::pthread_rwlock_timedrdlock(lock, until)) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_rwlock_clockrdlock(
    lock: *mut pthread_rwlock_t,
    clock: clockid_t,
    until: *const timespec,
) -> c_int {
    unsafe { take(lock, false, Deadline::At(clock, until), || real::pthread_rwlock_clockrdlock(lock, clock, until)) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_rwlock_tryrdlock(lock: *mut pthread_rwlock_t) -> c_int {
    schedule::step(lock as usize);
    taken(lock, false, unsafe { real::pthread_rwlock_tryrdlock(lock) })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_rwlock_wrlock(lock: *mut pthread_rwlock_t) -> c_int {
    unsafe { take(lock, true, Deadline::Never, || real::pthread_rwlock_wrlock(lock)) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_rwlock_timedwrlock(lock: *mut pthread_rwlock_t, until: *const timespec) -> c_int {
    unsafe { take(lock, true, Deadline::At(CLOCK_REALTIME, until), || real::pthread_rwlock_timedwrlock(lock, until)) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_rwlock_clockwrlock(
    lock: *mut pthread_rwlock_t,
    clock: clockid_t,
    until: *const timespec,
) -> c_int {
    unsafe { take(lock, true, Deadline::At(clock, until), || real::pthread_rwlock_clockwrlock(lock, clock, until)) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_rwlock_trywrlock(lock: *mut pthread_rwlock_t) -> c_int {
    schedule::step(lock as usize);
    taken(lock, true, unsafe { real::pthread_rwlock_trywrlock(lock) })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_rwlock_unlock(lock: *mut pthread_rwlock_t) -> c_int {
    sync::releasing_either(lock as usize, unsafe { held_by_writer(lock) });
    let result = unsafe { real::pthread_rwlock_unlock(lock) };
    schedule::notify(lock as usize);
    result
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_rwlock_destroy(lock: *mut pthread_rwlock_t) -> c_int {
    sync::destroyed(lock as usize, size_of::<pthread_rwlock_t>());
    unsafe { real::pthread_rwlock_destroy(lock) }
}
