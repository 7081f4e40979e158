//! Locks on open files (`flock`, and the open-file locks of `fcntl`). They count as operations on descriptors, as in [`super::files`], because closing a descriptor releases its lock.
//!
//! The other locks of `fcntl`, which `lockf` uses, belong to the whole process: they never exclude its own threads, so they order nothing.

use super::files::{FILES, has_read};
use crate::sync;
use core::ffi::{c_int, c_short};

crate::sys::next! {
    fn flock(file: c_int, operation: c_int) -> c_int;
    fn fcntl(file: c_int, command: c_int, argument: usize) -> c_int;
    fn fcntl64(file: c_int, command: c_int, argument: usize) -> c_int;
}

/// Changes a lock. Unless the new lock is exclusive, other holders may go on after the call.
fn change(is_for_one: bool, original: impl FnOnce() -> c_int) -> c_int {
    if !is_for_one {
        sync::contributing(FILES);
    }
    let result = original();
    has_read(result as isize);
    result
}

#[unsafe(no_mangle)]
unsafe extern "C" fn flock(file: c_int, operation: c_int) -> c_int {
    // SAFETY: the program's own arguments, passed on as they are.
    change(operation & libc::LOCK_EX != 0, || unsafe { real::flock(file, operation) })
}

/// A call of `fcntl` or `fcntl64`. The third argument may be missing; passing it on anyway is harmless.
unsafe fn control(command: c_int, argument: usize, original: impl FnOnce() -> c_int) -> c_int {
    if !matches!(command, libc::F_OFD_SETLK | libc::F_OFD_SETLKW) {
        return original();
    }
    // SAFETY: these take a lock; its first part is the kind of it. If it is null, the system returns an error.
    let kind = unsafe { (argument as *const c_short).as_ref() };
    change(kind == Some(&(libc::F_WRLCK as c_short)), original)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn fcntl(file: c_int, command: c_int, argument: usize) -> c_int {
    // SAFETY: the program's own arguments, passed on as they are: whatever the third one is, it has a word.
    unsafe { control(command, argument, || real::fcntl(file, command, argument)) }
}

/// `fcntl` for programs that are compiled with `_FILE_OFFSET_BITS=64`.
#[unsafe(no_mangle)]
unsafe extern "C" fn fcntl64(file: c_int, command: c_int, argument: usize) -> c_int {
    // SAFETY: the program's own arguments, passed on as they are: whatever the third one is, it has a word.
    unsafe { control(command, argument, || real::fcntl64(file, command, argument)) }
}
