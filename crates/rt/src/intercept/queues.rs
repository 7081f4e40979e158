//! Queues of messages, of both kinds, and the semaphores of System V. They are taken for descriptors, like [`super::files`]; but the numbers of System V are not, and none of them is the standard output.

use super::files::{FILES, found_nothing, has_read};
use crate::{sync, sys};
use core::ffi::{c_char, c_int, c_long, c_uint, c_void};
use libc::{mqd_t, sembuf, size_t, ssize_t, timespec};

crate::sys::next! {
    fn msgsnd(queue: c_int, message: *const c_void, bytes: size_t, flags: c_int) -> c_int;
    fn msgrcv(queue: c_int, message: *mut c_void, bytes: size_t, kind: c_long, flags: c_int) -> ssize_t;
    fn mq_send(queue: mqd_t, message: *const c_char, bytes: size_t, priority: c_uint) -> c_int;
    fn mq_timedsend(queue: mqd_t, message: *const c_char, bytes: size_t, priority: c_uint, until: *const timespec) -> c_int;
    fn mq_receive(queue: mqd_t, message: *mut c_char, bytes: size_t, priority: *mut c_uint) -> ssize_t;
    fn mq_timedreceive(queue: mqd_t, message: *mut c_char, bytes: size_t, priority: *mut c_uint, until: *const timespec) -> ssize_t;
    fn semop(set: c_int, operations: *mut sembuf, count: size_t) -> c_int;
    fn semtimedop(set: c_int, operations: *mut sembuf, count: size_t, time: *const timespec) -> c_int;
}

macro_rules! sending {
    ($(fn $name:ident($($argument:ident: $type:ty),*) -> $result:ty;)*) => { $(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name($($argument: $type),*) -> $result {
            sync::contributing(FILES);
            // SAFETY: the arguments are the program's.
            let result = unsafe { real::$name($($argument),*) };
            if result < 0 && sys::errno() == libc::EAGAIN {
                found_nothing();
            }
            result
        }
    )* };
}

macro_rules! receiving {
    ($(fn $name:ident($($argument:ident: $type:ty),*) -> $result:ty;)*) => { $(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name($($argument: $type),*) -> $result {
            // SAFETY: the arguments are the program's.
            let result = unsafe { real::$name($($argument),*) };
            has_read(result as isize);
            result
        }
    )* };
}

macro_rules! doing_both {
    ($(fn $name:ident($($argument:ident: $type:ty),*) -> $result:ty;)*) => { $(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name($($argument: $type),*) -> $result {
            sync::contributing(FILES);
            // SAFETY: the arguments are the program's.
            let result = unsafe { real::$name($($argument),*) };
            has_read(result as isize);
            result
        }
    )* };
}

sending! {
    fn msgsnd(queue: c_int, message: *const c_void, bytes: size_t, flags: c_int) -> c_int;
    fn mq_send(queue: mqd_t, message: *const c_char, bytes: size_t, priority: c_uint) -> c_int;
    fn mq_timedsend(queue: mqd_t, message: *const c_char, bytes: size_t, priority: c_uint, until: *const timespec) -> c_int;
}

receiving! {
    fn msgrcv(queue: c_int, message: *mut c_void, bytes: size_t, kind: c_long, flags: c_int) -> ssize_t;
    fn mq_receive(queue: mqd_t, message: *mut c_char, bytes: size_t, priority: *mut c_uint) -> ssize_t;
    fn mq_timedreceive(queue: mqd_t, message: *mut c_char, bytes: size_t, priority: *mut c_uint, until: *const timespec) -> ssize_t;
}

doing_both! {
    fn semop(set: c_int, operations: *mut sembuf, count: size_t) -> c_int;
    fn semtimedop(set: c_int, operations: *mut sembuf, count: size_t, time: *const timespec) -> c_int;
}
