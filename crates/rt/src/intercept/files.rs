//! Pipes, sockets and the like: what is written before, is there after it was read.
//!
//! Which descriptors belong together is not known, so all of them do. That can only hide something.

use crate::sync;
use core::ffi::{c_int, c_void};
use libc::{iovec, msghdr, size_t, sockaddr, socklen_t, ssize_t};

crate::sys::next! {
    fn read(file: c_int, buffer: *mut c_void, bytes: size_t) -> ssize_t;
    fn readv(file: c_int, buffers: *const iovec, count: c_int) -> ssize_t;
    fn recv(file: c_int, buffer: *mut c_void, bytes: size_t, flags: c_int) -> ssize_t;
    fn recvfrom(file: c_int, buffer: *mut c_void, bytes: size_t, flags: c_int, from: *mut sockaddr, length: *mut socklen_t) -> ssize_t;
    fn recvmsg(file: c_int, message: *mut msghdr, flags: c_int) -> ssize_t;
    fn write(file: c_int, buffer: *const c_void, bytes: size_t) -> ssize_t;
    fn writev(file: c_int, buffers: *const iovec, count: c_int) -> ssize_t;
    fn send(file: c_int, buffer: *const c_void, bytes: size_t, flags: c_int) -> ssize_t;
    fn sendto(file: c_int, buffer: *const c_void, bytes: size_t, flags: c_int, to: *const sockaddr, length: socklen_t) -> ssize_t;
    fn sendmsg(file: c_int, message: *const msghdr, flags: c_int) -> ssize_t;
    fn eventfd_read(file: c_int, value: *mut u64) -> c_int;
    fn eventfd_write(file: c_int, value: u64) -> c_int;
}

/// An address at which nothing else can be.
const FILES: usize = 64;

/// Nobody in this process reads what goes there.
fn is_output(file: c_int) -> bool {
    file == 1 || file == 2
}

macro_rules! reading {
    ($(fn $name:ident($file:ident: c_int $(, $argument:ident: $type:ty)*) -> $result:ty;)*) => { $(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name($file: c_int $(, $argument: $type)*) -> $result {
            // SAFETY: the arguments are the program's.
            let result = unsafe { real::$name($file $(, $argument)*) };
            if result >= 0 {
                sync::acquired(FILES);
            }
            result
        }
    )* };
}

macro_rules! writing {
    ($(fn $name:ident($file:ident: c_int $(, $argument:ident: $type:ty)*) -> $result:ty;)*) => { $(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name($file: c_int $(, $argument: $type)*) -> $result {
            if !is_output($file) {
                sync::contributing(FILES);
            }
            // SAFETY: the arguments are the program's.
            unsafe { real::$name($file $(, $argument)*) }
        }
    )* };
}

reading! {
    fn read(file: c_int, buffer: *mut c_void, bytes: size_t) -> ssize_t;
    fn readv(file: c_int, buffers: *const iovec, count: c_int) -> ssize_t;
    fn recv(file: c_int, buffer: *mut c_void, bytes: size_t, flags: c_int) -> ssize_t;
    fn recvfrom(file: c_int, buffer: *mut c_void, bytes: size_t, flags: c_int, from: *mut sockaddr, length: *mut socklen_t) -> ssize_t;
    fn recvmsg(file: c_int, message: *mut msghdr, flags: c_int) -> ssize_t;
    fn eventfd_read(file: c_int, value: *mut u64) -> c_int;
}

writing! {
    fn write(file: c_int, buffer: *const c_void, bytes: size_t) -> ssize_t;
    fn writev(file: c_int, buffers: *const iovec, count: c_int) -> ssize_t;
    fn send(file: c_int, buffer: *const c_void, bytes: size_t, flags: c_int) -> ssize_t;
    fn sendto(file: c_int, buffer: *const c_void, bytes: size_t, flags: c_int, to: *const sockaddr, length: socklen_t) -> ssize_t;
    fn sendmsg(file: c_int, message: *const msghdr, flags: c_int) -> ssize_t;
    fn eventfd_write(file: c_int, value: u64) -> c_int;
}
