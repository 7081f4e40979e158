//! Message queues (POSIX and System V) and the semaphores of System V. They are treated like descriptors, as in [`super::files`]. The identifiers of System V are not descriptors, so none of them is compared with the standard output.

use super::files::{has_read, has_written, nothing, surrounded, will_write};
use core::ffi::{c_char, c_int, c_long, c_uint, c_void};
use libc::{mqd_t, sembuf, size_t, ssize_t, timespec};

surrounded! {
    will_write, has_written {
        fn msgsnd(queue: c_int, message: *const c_void, bytes: size_t, flags: c_int) -> c_int;
        fn mq_send(queue: mqd_t, message: *const c_char, bytes: size_t, priority: c_uint) -> c_int;
        fn mq_timedsend(queue: mqd_t, message: *const c_char, bytes: size_t, priority: c_uint, until: *const timespec) -> c_int;
    }
    nothing, has_read {
        fn msgrcv(queue: c_int, message: *mut c_void, bytes: size_t, kind: c_long, flags: c_int) -> ssize_t;
        fn mq_receive(queue: mqd_t, message: *mut c_char, bytes: size_t, priority: *mut c_uint) -> ssize_t;
        fn mq_timedreceive(queue: mqd_t, message: *mut c_char, bytes: size_t, priority: *mut c_uint, until: *const timespec) -> ssize_t;
    }
    will_write, has_read {
        fn semop(set: c_int, operations: *mut sembuf, count: size_t) -> c_int;
        fn semtimedop(set: c_int, operations: *mut sembuf, count: size_t, time: *const timespec) -> c_int;
    }
}
