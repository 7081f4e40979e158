//! Locks on files, for those who have opened a file each for themselves (`flock`, and those of open files by `fcntl`). They are taken for descriptors, like [`super::files`], where closing gives a lock back.
//!
//! The other ones of `fcntl`, which are those of `lockf`, belong to the process: they never keep its threads apart, so they order nothing.

use super::files::{FILES, has_read};
use crate::sync;
use core::ffi::{c_int, c_short};

crate::sys::next! {
    fn flock(file: c_int, operation: c_int) -> c_int;
    fn fcntl(file: c_int, command: c_int, argument: usize) -> c_int;
    fn fcntl64(file: c_int, command: c_int, argument: usize) -> c_int;
}

/// Changes a lock. Unless it becomes that of one alone, others may go on then.
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

/// What is done with a file, by one of the two functions. There is one argument more or none; passing on what is not there is harmless.
unsafe fn control(command: c_int, argument: usize, original: impl FnOnce() -> c_int) -> c_int {
    if !matches!(command, libc::F_OFD_SETLK | libc::F_OFD_SETLKW) {
        return original();
    }
    // SAFETY: these take a lock; its first part is the kind of it. Whoever gives nothing hears that from the system.
    let kind = unsafe { (argument as *const c_short).as_ref() };
    change(kind == Some(&(libc::F_WRLCK as c_short)), original)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn fcntl(file: c_int, command: c_int, argument: usize) -> c_int {
    // SAFETY: the program's own arguments, passed on as they are: whatever the third one is, it has a word.
    unsafe { control(command, argument, || real::fcntl(file, command, argument)) }
}

/// What `fcntl` is for programs that are compiled with `_FILE_OFFSET_BITS=64`.
#[unsafe(no_mangle)]
unsafe extern "C" fn fcntl64(file: c_int, command: c_int, argument: usize) -> c_int {
    // SAFETY: the program's own arguments, passed on as they are: whatever the third one is, it has a word.
    unsafe { control(command, argument, || real::fcntl64(file, command, argument)) }
}
